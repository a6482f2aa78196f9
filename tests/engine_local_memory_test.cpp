// Local memory and generic addresses in both engines: requests by word, stores that go through L1 and stay there, and
// what an access costs whose lanes lie in several spaces. Measured: gpu/microbench/local_memory.cu on an H200,
// docs/memory-spaces.md.
#include "microbench.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::uint64_t kGlobal = 1U << 30, kLocal = 1U << 29;
const Access kNowhere = strided(0, 4, 4, 0);

Step of_words(OpClass op, std::vector<Access> accesses, int words) {
  Step made = step(op, std::move(accesses));
  made.instruction.detail = static_cast<std::uint16_t>(words);
  return made;
}
// Word k of all lanes is line k from here; each access names the words' first line.
Step load_local(std::uint64_t line, int words = 1) {
  return of_words(OpClass::local_load, {strided(kLocal + line * 128, 4)}, words);
}
Step store_local(std::uint64_t line, int words = 1) {
  return of_words(OpClass::local_store, {strided(kLocal + line * 128, 4)}, words);
}
Step load_generic(const Access& global, const Access& shared, const Access& local, int words = 1) {
  return of_words(OpClass::generic_load, {global, shared, local}, words);
}
Step store_generic(const Access& global, const Access& shared, const Access& local, int words = 1) {
  return of_words(OpClass::generic_store, {global, shared, local}, words);
}
Step waited() { return step(OpClass::nop).waits_for(0); }

RunOutcome outcome_of(const Program& program, Mode mode, std::int64_t warps = 1) {
  return run(h200(), HandMadeKernel(1, warps * kLanes, program), mode);
}
constexpr Mode kModes[] = {Mode::timing, Mode::counts};

}  // namespace

TEST_CASE("a local access of n words makes n requests of four sectors") {
  for (const Mode mode : kModes)
    for (const int words : {1, 2, 4}) {
      CAPTURE(static_cast<int>(mode));
      CAPTURE(words);
      const auto expected = static_cast<std::uint64_t>(words);
      const RunOutcome outcome = outcome_of({store_local(0, words), load_local(0, words).sets(0), waited()}, mode);
      for (const AccessKind kind : {AccessKind::local_load, AccessKind::local_store}) {
        CHECK(outcome.sm.of(kind).requests == expected);
        CHECK(outcome.sm.of(kind).sectors == 4 * expected);
      }
      CHECK(outcome.sm.of(AccessKind::global_load).requests + outcome.sm.of(AccessKind::global_store).requests == 0);
    }
}

TEST_CASE("a sector for each eight lanes with a lane on, a request if there is any") {
  struct {
    std::uint32_t active;
    std::uint64_t requests, sectors;
  } const rows[] = {{~0U, 1, 4}, {1, 1, 1}, {0xff, 1, 1}, {0x1ff, 1, 2}, {0x80000001, 1, 2}, {0, 0, 0}};
  for (const Mode mode : kModes)
    for (const auto& row : rows) {
      CAPTURE(row.active);
      const RunOutcome outcome =
          outcome_of({of_words(OpClass::local_store, {strided(kLocal, 4, 4, row.active)}, 1)}, mode);
      CHECK(outcome.sm.of(AccessKind::local_store).requests == row.requests);
      CHECK(outcome.sm.of(AccessKind::local_store).sectors == row.sectors);
    }
}

TEST_CASE("a load behind a store hits in L1, sector by sector") {
  struct {
    std::string what;
    Program program;
    std::uint64_t sectors, hits;
  } const rows[] = {
      {"nothing stored", {load_local(0).sets(0), waited()}, 4, 0},
      {"stored", {store_local(0), load_local(0).sets(0), waited()}, 4, 4},
      {"another line", {store_local(1), load_local(0).sets(0), waited()}, 4, 0},
      {"four words", {store_local(0, 4), load_local(0, 4).sets(0), waited()}, 16, 16},
      {"some of its lanes",
       {of_words(OpClass::local_store, {strided(kLocal, 4, 4, 0xff)}, 1), load_local(0).sets(0), waited()},
       4,
       1},
      {"loaded twice", {load_local(0).sets(0), waited(), load_local(0).sets(0), waited()}, 8, 4},
  };
  for (const Mode mode : kModes)
    for (const auto& row : rows) {
      CAPTURE(row.what);
      CAPTURE(static_cast<int>(mode));
      const AccessCounters loads = outcome_of(row.program, mode).sm.of(AccessKind::local_load);
      CHECK(loads.sectors == row.sectors);
      CHECK(loads.hit_sectors == row.hits);
    }
}

TEST_CASE("a store to global memory leaves nothing in L1") {
  for (const Mode mode : kModes) {
    const RunOutcome outcome =
        outcome_of({store_global(strided(kGlobal, 4)), load_global(strided(kGlobal, 4)).sets(0), waited()}, mode);
    CHECK(outcome.sm.of(AccessKind::global_load).hit_sectors == 0);
  }
}

TEST_CASE("a local store is written through, hit or not, and nothing is written back later") {
  for (const Mode mode : kModes)
    for (const int lines : {1, 100, 5000}) {  // 5,000 lines do not fit
      CAPTURE(lines);
      Program program;
      for (int pass = 0; pass < 2; ++pass)
        for (int line = 0; line < lines; ++line) program.push_back(store_local(static_cast<std::uint64_t>(line)));
      const RunOutcome outcome = outcome_of(program, mode);
      // One behind the other: joined, where instructions are timed.
      const std::uint64_t sent = lines == 1 && mode == Mode::timing ? 4 : 8 * static_cast<std::uint64_t>(lines);
      CHECK(outcome.sm.sent_sectors() == sent);
      CHECK(outcome.memory.l2.write_sectors == sent);
      CHECK(outcome.sm.fill_sectors == 0);
    }
}

TEST_CASE("a load that hits takes what it takes on an H200, by its own address and by a generic one") {
  const auto hit = [](const Step& store, const Step& load) {
    const auto cycles = [&](int times) {
      return run_timed(HandMadeKernel(1, 32, Program{store} + repeated(times, Step(load).sets(0).waits_for(0))),
                       one_sm())
          .cycles;
    };
    return static_cast<double>(cycles(80) - cycles(16)) / 64;
  };
  const Access local = strided(kLocal, 4), shared = strided(0, 4), global = strided(kGlobal, 4);
  const double own = hit(store_local(0), load_local(0));
  const double generic = hit(store_local(0), load_generic(kNowhere, kNowhere, local));
  check_figure("LDL that hits", 29.1, own, 11);
  check_figure("LD of local memory that hits", 32, generic, 2);
  const double lds = hit(step(OpClass::nop), load_shared(shared));
  const double ld_shared = hit(step(OpClass::nop), load_generic(kNowhere, shared, kNowhere));
  check_figure("LDS", 23, lds, 1);
  check_figure("LD of shared memory", 26, ld_shared, 1);
  CHECK(ld_shared - lds == static_cast<double>(h200().lsu.generic_cycles));
  check_figure("LD of global memory that hits", 32,
               hit(load_global(global).sets(0).waits_for(0), load_generic(global, kNowhere, kNowhere)), 8);
}

TEST_CASE("the three cycles of a generic address in shared memory are lsu.generic_cycles") {
  const auto of = [](const Step& load, const GpuSpec& spec) {
    return run_timed(HandMadeKernel(1, 32, {Step(load).sets(0), waited()}), spec).cycles;
  };
  const GpuSpec more = gpu("h200", {"sm.gpcs=[1]", "lsu.generic_cycles=13"});
  const Step shared = load_generic(kNowhere, strided(0, 4), kNowhere);
  const Step global = load_generic(strided(kGlobal, 4), kNowhere, kNowhere);
  CHECK(of(shared, more) == of(shared, one_sm()) + 10);
  CHECK(of(global, more) == of(global, one_sm()));
  CHECK(of(load_shared(strided(0, 4)), more) == of(load_shared(strided(0, 4)), one_sm()));
}

TEST_CASE("a generic access counts in each space what its lanes there would count alone") {
  constexpr std::uint32_t kFirst = 0xff, kSecond = 0xff00, kThird = 0xffff0000;
  const Access global = strided(kGlobal, 16, 16, kFirst), shared = strided(0, 64, 16, kSecond),
               local = strided(kLocal, 4, 4, kThird);
  struct {
    std::string what;
    Step generic;
    std::vector<Step> alone;
    std::vector<AccessKind> kinds;
  } const rows[] = {
      {"loads",
       load_generic(global, shared, local, 4).sets(0),
       {load_global(global).sets(0), load_shared(shared).sets(0), of_words(OpClass::local_load, {local}, 4).sets(0)},
       {AccessKind::global_load, AccessKind::shared_load, AccessKind::local_load}},
      {"stores",
       store_generic(global, shared, local, 4),
       {store_global(global), step(OpClass::shared_store, {shared}), of_words(OpClass::local_store, {local}, 4)},
       {AccessKind::global_store, AccessKind::shared_store, AccessKind::local_store}},
  };
  for (const Mode mode : kModes)
    for (const auto& row : rows) {
      CAPTURE(row.what);
      CAPTURE(static_cast<int>(mode));
      const RunOutcome together = outcome_of({row.generic, waited()}, mode);
      for (std::size_t i = 0; i < row.alone.size(); ++i) {
        CAPTURE(i);
        const AccessCounters apart = outcome_of({row.alone[i], waited()}, mode).sm.of(row.kinds[i]);
        const AccessCounters here = together.sm.of(row.kinds[i]);
        CHECK(here.requests == apart.requests);
        CHECK(here.sectors == apart.sectors);
        CHECK(here.wavefronts == apart.wavefronts);
        CHECK(here.ideal == apart.ideal);
        CHECK(here.requests > 0);
      }
    }
}

TEST_CASE("narrow lanes in global and in local memory share a request: each counter has the sectors of both") {
  const Access global = strided(kGlobal, 4, 4, 0xffff), local = strided(kLocal, 4, 4, 0xffff0000);
  for (const Mode mode : kModes) {
    const RunOutcome narrow = outcome_of({load_generic(global, kNowhere, local).sets(0), waited()}, mode);
    CHECK(narrow.sm.of(AccessKind::global_load).sectors == 4);
    CHECK(narrow.sm.of(AccessKind::local_load).sectors == 4);
    const RunOutcome alone = outcome_of({load_generic(global, kNowhere, kNowhere).sets(0), waited()}, mode);
    CHECK(alone.sm.of(AccessKind::global_load).sectors == 2);
  }
}

TEST_CASE("a generic access takes as long as the slowest of its parts, and its parts follow one another") {
  const Access global = strided(kGlobal, 4, 4, 0xff), conflicts = strided(0, 128, 4, 0xffffff00);
  const auto cycles = [](const Step& load) {
    return run_timed(HandMadeKernel(1, 32, {Step(load).sets(0), waited()}), one_sm()).cycles;
  };
  const Cycle far = cycles(load_generic(global, kNowhere, kNowhere));
  const Cycle near = cycles(load_generic(kNowhere, conflicts, kNowhere));
  CHECK(far > 500);
  CHECK(near > 23 + 40);
  CHECK(cycles(load_generic(global, conflicts, kNowhere)) >= far);
  CHECK(cycles(load_generic(global, conflicts, kNowhere)) <= far + near);
  // The data stage is busy with both.
  const auto wavefronts = [](const Step& load) { return outcome_of({load}, Mode::timing).sm.data_wavefronts; };
  CHECK(wavefronts(load_generic(global, conflicts, kNowhere)) ==
        wavefronts(load_generic(global, kNowhere, kNowhere)) + wavefronts(load_generic(kNowhere, conflicts, kNowhere)));
}

TEST_CASE("a generic access on no lane makes no request, but takes its turn") {
  for (const Mode mode : kModes) {
    const RunOutcome outcome = outcome_of({load_generic(kNowhere, kNowhere, kNowhere).sets(0), waited()}, mode);
    CHECK(outcome.sm.line_requests() == 0);
    CHECK(outcome.sm.shared_wavefronts() == 0);
    CHECK(outcome.sm.data_wavefronts == 1);
  }
}

TEST_CASE("local stores of an SM take a cycle for each of their sectors") {
  const auto rate = [](int words) {
    const auto cycles = [&](int times) {
      std::vector<Program> programs;
      for (std::uint64_t warp = 0; warp < 16; ++warp) {
        Program& program = programs.emplace_back();
        for (int i = 0; i < times; ++i)
          program.push_back(store_local(warp * 32 + static_cast<std::uint64_t>(i) % 8, words));
      }
      const HandMadeKernel kernel(1, 16 * kLanes, programs,
                                  [](std::int64_t, int warp) { return static_cast<std::size_t>(warp); });
      return run_timed(kernel, one_sm()).cycles;
    };
    return static_cast<double>(cycles(192) - cycles(64)) / (128 * 16);
  };
  check_figure("STL, 16 warps, cycles", 4.1, rate(1), 5);
  check_figure("STL.128, 16 warps, cycles", 16.3, rate(4), 5);
}

TEST_CASE("loads that hit pass while the data of stores leaves") {
  // `dependent`: each store waits for the load before it.
  const auto cycles_each = [](const GpuSpec& spec, std::uint64_t warps, bool dependent) {
    const auto cycles = [&](int times) {
      std::vector<Program> programs;
      for (std::uint64_t warp = 0; warp < warps; ++warp) {
        Program& program = programs.emplace_back();
        for (int i = 0; i < times; ++i) {
          const std::uint64_t line = warp * 32 + static_cast<std::uint64_t>(i) % 8;
          program.push_back(dependent && i > 0 ? store_local(line).stall(4).waits_for(0) : store_local(line).stall(4));
          program.push_back(dependent ? load_local(line).stall(4).sets(0) : load_local(line).stall(4));
        }
      }
      const HandMadeKernel kernel(1, static_cast<int>(warps) * kLanes, programs,
                                  [](std::int64_t, int warp) { return static_cast<std::size_t>(warp); });
      return run_timed(kernel, spec).cycles;
    };
    return static_cast<double>(cycles(192) - cycles(64)) / (128 * static_cast<double>(warps));
  };
  check_figure("STL and LDL, 16 warps, cycles", 4.1, cycles_each(one_sm(), 16, false), 6);
  // Without room for the last store's data the next one waits until all of it has left, and the loads behind it do.
  const GpuSpec no_room = gpu("h200", {"sm.gpcs=[1]", "lsu.store_buffer_cycles=0"});
  CHECK(cycles_each(no_room, 4, true) > 1.05 * cycles_each(one_sm(), 4, true));
}

TEST_CASE("what fits into L1 is read from it again and again, what does not is read from L2") {
  struct {
    std::uint64_t lines;
    bool fits;
  } const rows[] = {{64, true}, {1024, true}, {4096, false}};
  for (const auto& row : rows) {
    CAPTURE(row.lines);
    Program program;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::uint64_t line = 0; line < row.lines; ++line) program.push_back(store_local(line));
      for (std::uint64_t line = 0; line < row.lines; ++line) program.push_back(load_local(line).sets(0));
    }
    const RunOutcome outcome = outcome_of(program, Mode::timing);
    CHECK((outcome.sm.of(AccessKind::local_load).hit_sectors == 8 * row.lines) == row.fits);
    CHECK((outcome.sm.fill_sectors == 0) == row.fits);
  }
}

TEST_CASE("a load of several words that L1 lacks is waited for until its last word is here") {
  const auto end_of = [](int words) {
    return run_timed(HandMadeKernel(1, 32, {load_local(0, words).sets(0), waited()}), one_sm()).cycles;
  };
  CHECK(end_of(1) > 500);
  CHECK(end_of(4) >= end_of(1) + 3);
  // The scoreboard can be used again.
  const Program again =
      repeated(3, load_local(0, 4).sets(0).waits_for(0)) + Program{load_local(4096, 2).sets(0), waited()};
  CHECK(run_timed(HandMadeKernel(1, 32, again), one_sm()).sm.ctas == 1);
}

TEST_CASE("a generic load whose parts are all far is waited for until the last one is here") {
  Program program;
  for (std::uint64_t i = 0; i < 4; ++i)
    program.push_back(load_generic(strided(kGlobal + i * 4096, 4, 4, 0xff), strided(0, 4, 4, 0xff00),
                                   strided(kLocal + i * 4096, 4, 4, 0xff0000))
                          .sets(0)
                          .waits_for(0));
  program.push_back(waited());
  const Ran ran = run_timed(HandMadeKernel(1, 32, program), one_sm());
  CHECK(ran.sm.ctas == 1);
  CHECK(ran.cycles > 4 * 500);
}
