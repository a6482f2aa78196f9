// Asynchronous copies (cp.async) in the timing engine: who waits for them, for how long, and what it counts as.
#include "engine_runs.h"
#include "microbench.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::uint64_t kCopySource = 1U << 30;
constexpr std::uint8_t kCopyBoard = 0;

// 512 bytes of lines that nobody has read.
Step copy_line(std::uint64_t n) {
  return step(OpClass::async_copy, {strided(kCopySource + n * 512, 16, 16), strided(0, 16, 16)}).bypassing_l1();
}
Step close_group() { return step(OpClass::async_commit).sets(kCopyBoard); }
Step wait_groups(int left, int scoreboard = kCopyBoard) {
  Step made = step(OpClass::async_wait);
  made.instruction.detail = static_cast<std::uint16_t>(left << 3 | scoreboard);
  return made;
}
Step scoreboard_free() { return step(OpClass::nop).waits_for(kCopyBoard); }

// A loop of `groups` turns that copies ahead, and waits until at most `ahead` groups are out.
Program copy_pipeline(int groups, int ahead, const Step& last) {
  Program program;
  for (int i = 0; i < ahead + groups; ++i) {
    program.push_back(copy_line(static_cast<std::uint64_t>(i)));
    program.push_back(close_group());
    if (i >= ahead) program.push_back(last);
  }
  return program;
}
Cycle copy_cycles(const Program& program, const std::vector<std::string>& changes = {}) {
  std::vector<std::string> all = changes;
  all.emplace_back("sm.gpcs=[1]");
  return run_timed(HandMadeKernel(1, kLanes, program), gpu("h200", all)).timeline.at(0).end;
}
const std::vector<std::string> kSlowMemory = {"hbm.latency_ns=1139"};  // a microsecond
double added_cycles() {
  const GpuSpec& spec = h200();
  return (1139 - static_cast<double>(spec.hbm.latency_ns)) * spec.clock.sm_mhz / 1000;
}

}  // namespace

TEST_CASE("slower memory slows a warp by what is added to each group that it waits for") {
  const int groups = 24;
  for (const int ahead : {0, 1, 2, 3}) {
    CAPTURE(ahead);
    const Program program = copy_pipeline(groups, ahead, wait_groups(ahead));
    // So many groups are on their way at once: one wait in so many is for a trip of its own.
    const int trips = (groups + ahead + ahead) / (ahead + 1);
    const auto slower = static_cast<double>(copy_cycles(program, kSlowMemory) - copy_cycles(program));
    check_figure("added", trips * added_cycles(), slower, 10);  // a read may come while its bank is refreshed
  }
}

TEST_CASE("groups that nobody waits for slow nobody but the end of their warp") {
  const Program waits = copy_pipeline(16, 1, wait_groups(1)), free = copy_pipeline(16, 1, step(OpClass::nop));
  CHECK(copy_cycles(waits) > 4 * copy_cycles(free));
  const Program open = repeated(16, copy_line(0));  // no group that a scoreboard counts
  CHECK(copy_cycles(open) < 200);
  CHECK(copy_cycles(open, kSlowMemory) == copy_cycles(open));
}

TEST_CASE("a wait for groups where there are none, or fewer than may be left, takes no time") {
  const Cycle alone = copy_cycles({step(OpClass::nop)});
  for (const int left : {0, 1, 63})
    for (const int scoreboard : {0, 5, int{kNoScoreboard}, 6}) {
      CAPTURE(left);
      CAPTURE(scoreboard);
      CHECK(copy_cycles({wait_groups(left, scoreboard)}) == alone);
    }
  const Program two = {copy_line(0), close_group(), copy_line(1), close_group()};
  CHECK(copy_cycles(two + Program{wait_groups(2)}) == copy_cycles(two + Program{step(OpClass::nop)}));
  CHECK(copy_cycles(two + Program{wait_groups(0, 3)}) == copy_cycles(two + Program{step(OpClass::nop)}));
  CHECK(copy_cycles({close_group(), wait_groups(0)}) == copy_cycles({step(OpClass::nop), step(OpClass::nop)}));
}

TEST_CASE("an instruction whose mask names the scoreboard waits as a wait for all groups does") {
  const Program one = copy_pipeline(8, 0, wait_groups(0)), other = copy_pipeline(8, 0, scoreboard_free());
  CHECK(copy_cycles(one) == copy_cycles(other));
  CHECK(copy_cycles(one) > 8 * 500);
}

TEST_CASE("a wait for all that a scoreboard counts is for results of other instructions, too") {
  const Step load = load_global(strided(kCopySource, 4)).sets(2);
  CHECK(copy_cycles({load, wait_groups(0, 2), step(OpClass::nop)}) > copy_cycles({load, wait_groups(0, 1)}) - 4);
  const auto stalled = [](const Program& program) {
    return run_timed(HandMadeKernel(1, kLanes, program), one_sm())
        .sm.stall_cycles[static_cast<std::size_t>(Stall::long_scoreboard)];
  };
  CHECK(stalled({load, wait_groups(0, 2), wait_groups(0, 2)}) > 400);
  CHECK(stalled({load, wait_groups(0, 2), wait_groups(0, 2)}) == stalled({load, wait_groups(0, 2)}));
}

TEST_CASE("waiting for groups counts as long_scoreboard, for the instruction that waits") {
  const Ran ran = run_timed(HandMadeKernel(1, kLanes, copy_pipeline(8, 1, wait_groups(1))), one_sm());
  const auto stalls = [&ran](Stall stall) { return ran.sm.stall_cycles[static_cast<std::size_t>(stall)]; };
  CHECK(stalls(Stall::long_scoreboard) > 4 * 500);
  CHECK(stalls(Stall::long_scoreboard) + 200 > static_cast<std::uint64_t>(ran.timeline.at(0).end));
  CHECK(stalls(Stall::short_scoreboard) == 0);
}

TEST_CASE("more groups than a scoreboard counts wait for room and end") {
  const Cycle sixty = copy_cycles(copy_pipeline(60, 0, step(OpClass::nop))),
              more = copy_cycles(copy_pipeline(200, 0, step(OpClass::nop)));
  CHECK(more > sixty + 400);
  CHECK(more < 4 * sixty);
}

TEST_CASE("a copy through L1 takes the data stage for each pass that reads L1 and writes shared memory") {
  const auto run = [](std::uint8_t cached, std::int64_t from, std::int64_t to) {
    Step copy = step(OpClass::async_copy, {strided(kCopySource, from, 4), strided(0, to, 4)});
    copy.instruction.cached = cached;
    return run_timed(HandMadeKernel(1, 1024, repeated(64, copy)), one_sm());
  };
  const double copies = 64 * 32;
  // Measured on an H100 (gpu/measured/h100/copies_counted.csv): 34.7 and 9.1 cycles a copy from 32 and from 8 lines.
  check_figure("32 lines", 34.7, static_cast<double>(run(1, 128, 4).cycles) / copies, 8);
  check_figure("8 lines", 9.1, static_cast<double>(run(1, 32, 4).cycles) / copies, 8);
}

TEST_CASE("copies that a warp leaves behind hold no warp that comes after it") {
  Program program = {wait_groups(0), copy_line(0), close_group(), wait_groups(0)};
  for (std::uint64_t n = 1; n < 20; ++n) program.push_back(copy_line(n));
  const auto spec = gpu("h200", {"sm.gpcs=[1]", "sm.max_ctas=2"});
  const Ran ran = run_timed(HandMadeKernel(12, 64, program), spec);
  CHECK(ran.sm.ctas == 12);
  for (const FinishedCta& cta : ran.timeline) CHECK(cta.end - cta.start < 2000);
}

TEST_CASE("a compiled pipeline of copies follows the latency of memory, in every mode that gives cycles") {
  const auto kernel = test::sass_kernel(test::sass_samples + "gemm_async.yaml");
  for (const Sample sample : {Sample::off, Sample::automatic}) {
    RunOptions options;
    options.sample = sample;
    const auto of = [&](const GpuSpec& spec) { return static_cast<double>(simulate(spec, *kernel, options).cycles); };
    const double slower = of(gpu("h200", kSlowMemory)) - of(h200());
    CHECK(slower > 0.9 * added_cycles());
  }
}

TEST_CASE("a wait at an mbarrier stands in the queue behind accesses of shared memory") {
  const auto cycles = [](int loads) {
    Program program = repeated(loads, load_shared(strided(0, 128)));  // 32 wavefronts each
    program.push_back(step(OpClass::mbarrier_wait).sets(0));
    program.push_back(step(OpClass::nop).waits_for(0));
    return run_timed(HandMadeKernel(1, kLanes, program), h200()).timeline.at(0).end;
  };
  CHECK(cycles(8) - cycles(0) > 7 * 32);
}
