// Memory barriers in the timing engine: what they wait for, how long they take by scope, and what CCTL.IVALL does to
// L1. Measured: gpu/microbench/fences.cu on an H200, docs/memory-spaces.md.
#include "microbench.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::uint64_t kBuffer = 1U << 30;

Step membar(Scope scope) {
  Step made = step(OpClass::membar);
  made.instruction.detail = static_cast<std::uint16_t>(scope);
  return made;
}
Step invalidate() { return step(OpClass::cache_control); }
// A line of its own for each lane, and for each `n`.
Step store_lines(std::uint64_t n) { return store_global(strided(kBuffer + (1U << 20) + n * 4096, 128)); }
Step load_line(std::uint64_t at = kBuffer) { return load_global(strided(at, 4)).sets(0); }
Step done() { return step(OpClass::nop).waits_for(0); }

Step local(OpClass op, std::uint64_t line) {
  Step made = step(op, {strided(kBuffer + (2U << 20) + line * 128, 4)});
  made.instruction.detail = 1;
  return made;
}

// When the last of `warps` of one CTA exits that run the program on one SM; what one alone has stored may still be
// there.
Cycle end_of(const Program& program, const std::vector<std::string>& changes = {}, int warps = 1) {
  std::vector<std::string> all = changes;
  all.emplace_back("sm.gpcs=[1]");
  const Ran ran = run_timed(HandMadeKernel(1, warps * kLanes, program), gpu("h200", all));
  const auto drain = static_cast<Cycle>(ran.sm.stall_cycles[static_cast<std::size_t>(Stall::drain)]);
  return ran.timeline.at(0).end - (warps == 1 ? drain : 0);
}
// When everything that the program has sent is answered. A launch does not count the trip of its last store.
Cycle answered_at(const Program& program, bool waited_for_at_the_end = false) {
  const GpuSpec& spec = one_sm();
  const Cycle trip = spec.crossbar.request_cycles + spec.l2.latency_cycles + spec.crossbar.response_cycles;
  return run_timed(HandMadeKernel(1, kLanes, program), spec).cycles + (waited_for_at_the_end ? 0 : trip);
}
// Cycles that `last` adds behind `program`.
Cycle adds(const Program& program, const Program& last, const std::vector<std::string>& changes = {}) {
  return end_of(program + last, changes) - end_of(program, changes);
}
std::string times_two(const std::string& key, std::int64_t value) { return key + "=" + std::to_string(2 * value); }

}  // namespace

TEST_CASE("a fence behind nothing takes what was measured of the second of two") {
  struct {
    std::string what;
    Scope scope;
    double measured;
  } const rows[] = {{"cta", Scope::cta, 9},
                    {"gpu", Scope::gpu, 265},
                    {"sys", Scope::system, 1025},
                    {"errors of a cluster", Scope::cluster_errors, 385}};
  for (const auto& row : rows) {
    check_figure(row.what, row.measured, static_cast<double>(adds({}, {membar(row.scope)}) - 1), 1);
    check_figure(row.what + ", second of two", row.measured,
                 static_cast<double>(adds({membar(row.scope)}, {membar(row.scope)}) - 1), 1);
  }
}

TEST_CASE("each scope follows its own parameter and no other") {
  const FencesSpec& spec = h200().fences;
  struct {
    std::string change;
    std::int64_t more;
    Scope scope;
  } const rows[] = {
      {times_two("fences.cta_cycles", spec.cta_cycles), spec.cta_cycles, Scope::cta},
      {times_two("fences.gpu_cycles", spec.gpu_cycles), spec.gpu_cycles, Scope::gpu},
      {times_two("fences.system_cycles", spec.system_cycles), spec.system_cycles, Scope::system},
      {times_two("fences.cluster_errors_cycles", spec.cluster_errors_cycles), spec.cluster_errors_cycles,
       Scope::cluster_errors},
  };
  for (const auto& row : rows)
    for (const Scope scope : {Scope::cta, Scope::gpu, Scope::system, Scope::cluster_errors}) {
      CAPTURE(row.change);
      CAPTURE(static_cast<int>(scope));
      CHECK(adds({}, {membar(scope)}, {row.change}) - adds({}, {membar(scope)}) == (scope == row.scope ? row.more : 0));
    }
}

TEST_CASE("a fence of gpu or system scope goes on when all of its warp is answered, one of cta scope at once") {
  const Access line = strided(kBuffer, 4);
  struct {
    std::string what;
    Program out;
    bool waited_for_at_the_end;  // it names a scoreboard
  } const rows[] = {
      {"store", {store_global(line)}, false},
      {"stores of 32 lines", repeated(8, store_lines(0)), false},
      {"reduction", {step(OpClass::global_reduction, {line})}, false},
      {"atomic", {Step(step(OpClass::global_atomic, {line})).sets(1)}, true},
      {"load", {load_global(line).sets(1)}, true},
      {"copy", {Step(step(OpClass::async_copy, {strided(kBuffer, 16, 16), strided(0, 16, 16)})).sets(1)}, true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const Cycle answered = answered_at(row.out, row.waited_for_at_the_end);
    CHECK(answered > 280);
    for (const Scope scope : {Scope::gpu, Scope::system}) CHECK(end_of(row.out + Program{membar(scope)}) >= answered);
    if (!row.waited_for_at_the_end) CHECK(adds(row.out, {membar(Scope::cta)}) <= 11);
  }
}

TEST_CASE("a fence ends with its own trip or with the last answer before it, whichever is later") {
  for (const int stores : {1, 2, 8}) {
    CAPTURE(stores);
    const Program out = repeated(stores, store_lines(0));
    const Cycle answered = answered_at(out), stored = end_of(out);
    CHECK(std::abs(end_of(out + Program{membar(Scope::gpu)}) - std::max(answered, stored + h200().fences.gpu_cycles)) <=
          4);
    CHECK(std::abs(end_of(out + Program{membar(Scope::system)}) -
                   std::max(answered, stored + h200().fences.system_cycles)) <= 4);
  }
}

TEST_CASE("a fence waits for its own warp's stores, not for those of others") {
  const std::vector<Program> programs = {{membar(Scope::gpu)}, repeated(8, store_lines(0))};
  const HandMadeKernel kernel(2, 32, programs, [](std::int64_t cta, int) { return static_cast<std::size_t>(cta); });
  for (const FinishedCta& cta : run_timed(kernel, one_sm()).timeline)
    if (cta.cta == 0) CHECK(cta.end - cta.start < 275);
}

TEST_CASE("a fence behind a fence waits for no store again") {
  const Cycle one = end_of({store_lines(0), membar(Scope::gpu)});
  CHECK(end_of({store_lines(0), membar(Scope::gpu), membar(Scope::gpu)}) - one == h200().fences.gpu_cycles + 1);
}

TEST_CASE("more stores hold a fence longer, by a cycle a sector and one a line at least") {
  Cycle last = 0;
  for (const int stores : {0, 1, 2, 4, 8, 16}) {
    CAPTURE(stores);
    Program program;
    for (int n = 0; n < stores; ++n) program.push_back(store_lines(static_cast<std::uint64_t>(n)));
    const Cycle end = end_of(program + Program{membar(Scope::gpu)});
    CHECK(end > last);
    if (stores >= 8) CHECK(end > stores * 64);
    last = end;
  }
}

TEST_CASE("an SM's fences of gpu and system scope pass one after the other, those of cta scope do not") {
  struct {
    Scope scope;
    std::int64_t apart;
  } const rows[] = {{Scope::cta, 0}, {Scope::gpu, 18}, {Scope::system, 18}};
  for (const auto& row : rows)
    for (const std::int64_t factor : {1, 2}) {
      CAPTURE(static_cast<int>(row.scope));
      const std::vector<std::string> change = {"fences.interval_cycles=" + std::to_string(18 * factor),
                                               "launch.warp_interval_cycles=0"};
      const Cycle one = end_of({membar(row.scope)}, change), all = end_of({membar(row.scope)}, change, 32);
      CHECK(all - one >= 31 * row.apart * factor);
      CHECK(all - one <= 31 * row.apart * factor + 16);
    }
}

TEST_CASE("32 warps that fence together pass as an H200 lets them") {
  check_figure("gpu scope, the last of 32 warps", 820, static_cast<double>(end_of({membar(Scope::gpu)}, {}, 32)), 3);
}

TEST_CASE("CCTL.IVALL makes a line that L1 held miss again, and takes the time that was measured") {
  const Program held = {load_line(), done(), load_line(), done()};
  const Cycle hit = adds(held, {load_line(), done()});
  CHECK(hit < 40);
  const Program dropped = held + Program{invalidate(), step(OpClass::nop)};
  check_figure("load of a line held in L1 before a fence", 287,
               static_cast<double>(adds(dropped, {load_line(), done()})), 5);
  check_figure("CCTL.IVALL that finds a line", 388 - 265, static_cast<double>(adds(held, {invalidate()})), 3);
  CHECK(adds(held, {invalidate()}, {"fences.invalidation_cycles=240"}) == adds(held, {invalidate()}) + 120);
  CHECK(adds(dropped, {invalidate()}) <= 2);  // there is nothing left to drop
  CHECK(adds({}, {invalidate()}) <= 2);
}

TEST_CASE("CCTL.IVALL is counted: sectors that hit before it are read again, in both modes") {
  struct {
    std::string what;
    Program between;
    std::uint64_t hits;
  } const rows[] = {{"nothing", {}, 4},
                    {"CCTL.IVALL", {invalidate()}, 0},
                    {"fence of cta scope", {membar(Scope::cta)}, 4},
                    {"fence of gpu scope alone", {membar(Scope::gpu)}, 4}};
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const HandMadeKernel kernel(1, 32, Program{load_line(), done()} + row.between + Program{load_line(), done()});
    const RunOutcome timed = run(h200(), kernel, Mode::timing);
    CHECK(timed.sm.of(AccessKind::global_load).hit_sectors == row.hits);
    CHECK(timed.sm.fill_sectors == 8 - row.hits);
  }
}

TEST_CASE("CCTL.IVALL leaves what stores to local memory left in L1") {
  const Program stores = {local(OpClass::local_store, 0), local(OpClass::local_store, 1)};
  const Program loads = {local(OpClass::local_load, 0).sets(0), local(OpClass::local_load, 1).sets(0), done()};
  const Ran ran =
      run_timed(HandMadeKernel(1, 32, stores + Program{load_line(), done(), invalidate()} + loads), one_sm());
  CHECK(ran.sm.of(AccessKind::local_load).sectors == 8);
  CHECK(ran.sm.of(AccessKind::local_load).hit_sectors == 8);
}

TEST_CASE("what a warp waits for a memory barrier is charged to membar, and to nothing else") {
  const auto stalls = [](const Program& program, Stall stall) {
    return run_timed(HandMadeKernel(1, 32, program), one_sm()).sm.stall_cycles[static_cast<std::size_t>(stall)];
  };
  struct {
    std::string what;
    Program program;
    std::uint64_t membar;
  } const rows[] = {
      {"nothing", {store_lines(0)}, 0},
      {"cta", {membar(Scope::cta)}, 9},
      {"gpu", {membar(Scope::gpu)}, 265},
      {"sys", {membar(Scope::system)}, 1025},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CHECK(stalls(row.program, Stall::membar) == row.membar);
  }
  const Program stores = repeated(8, store_lines(0)) + Program{membar(Scope::gpu)};
  CHECK(stalls(stores, Stall::membar) > 500);
  CHECK(stalls(stores, Stall::long_scoreboard) == 0);
  CHECK(stalls(Program{load_line(), done(), invalidate()}, Stall::membar) == 119);
}

TEST_CASE("behind a fence a store is not waited for") {
  const Program stores = repeated(8, store_lines(0)), fence = {membar(Scope::gpu)};
  CHECK(end_of(fence + stores) < end_of(stores + fence) - 200);
}

TEST_CASE("a fence waits for stores to local memory and through generic addresses, no longer than for others") {
  const Access nowhere = strided(0, 4, 4, 0), here = strided(kBuffer + (3U << 20), 4, 4, 0xffff);
  Step wide = local(OpClass::local_store, 0);
  wide.instruction.detail = 4;
  Step generic = step(OpClass::generic_store, {here, nowhere, strided(kBuffer + (4U << 20), 4, 4, 0xffff0000)});
  generic.instruction.detail = 1;
  struct {
    std::string what;
    Step store;
  } const rows[] = {{"STL", local(OpClass::local_store, 0)}, {"STL.128", wide}, {"ST", generic}};
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const Program stores = repeated(64, row.store), fence = {membar(Scope::gpu)};
    CHECK(end_of(stores + fence) >= answered_at(stores));
    const Program round = Program{row.store, store_lines(0)} + fence;
    CHECK(end_of(round + round + round) > 3 * 300);
  }
}

TEST_CASE("stores that a CTA leaves behind hold no fence of the next one for ever") {
  Program program = {store_global(strided(kBuffer, 4)), membar(Scope::gpu)};
  for (std::uint64_t n = 0; n < 30; ++n) program.push_back(store_lines(n));
  const auto spec = gpu("h200", {"sm.gpcs=[1]", "sm.max_ctas=1"});
  CHECK(run_timed(HandMadeKernel(6, 32, program), spec).sm.ctas == 6);
}
