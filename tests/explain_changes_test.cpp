// A launch with something changed is the launch itself but for what is changed.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "engine_runs.h"
#include "sim/studies/explain/changed_kernel.h"
#include "sim/studies/explain/shared_layout.h"
#include "traces/open_kernel.h"

using namespace tilescope;
using namespace tilescope::explain;
using tilescope::test::h200;
using tilescope::test::numbers;
using tilescope::test::run;

namespace {

const std::string kSamples = std::string(TILESCOPE_SOURCE_DIR) + "/traces/samples/sass/";

std::unique_ptr<Kernel> opened(const std::string& name, const ParameterTexts& parameters = {}) {
  auto kernel = open_kernel(name, parameters);
  REQUIRE(kernel.has_value());
  return std::move(*kernel);
}

std::vector<std::unique_ptr<Kernel>> kernels() {
  std::vector<std::unique_ptr<Kernel>> all;
  all.push_back(opened("gemm_tiled", {{"M", "64"}, {"N", "64"}, {"K", "128"}}));
  all.push_back(opened("transpose", {{"M", "96"}, {"N", "64"}}));
  all.push_back(opened(kSamples + "gemm_async.yaml"));
  all.push_back(opened(kSamples + "gemm_register.yaml"));
  return all;
}

}  // namespace

TEST_CASE("a change that changes nothing gives the same numbers, timed and counted, however it is applied") {
  for (const auto& kernel : kernels()) {
    CAPTURE(kernel->launch().kernel);
    Change same;
    same.shared_map = [](std::uint64_t address) { return address; };
    Change same_code;
    for (std::size_t i = 0; i < kernel->code().size(); ++i)
      if (kernel->code()[i].op == OpClass::shared_load) same_code.in_words[i] = 1;
    for (const Change& change : {same, same_code})
      for (const Mode mode : {Mode::timing, Mode::counts}) {
        const ChangedKernel changed(*kernel, change, SharedBanks());
        CHECK(numbers(run(h200(), changed, mode)) == numbers(run(h200(), *kernel, mode)));
      }
  }
}

TEST_CASE("CTAs in another order: every place once, and that of the rasters") {
  const auto kernel = opened("gemm_tiled", {{"M", "160"}, {"N", "96"}, {"K", "32"}});
  for (const std::int64_t group : {1, 2, 3, 5}) {
    CAPTURE(group);
    Change change;
    change.raster_group = group;
    const ChangedKernel changed(*kernel, change, SharedBanks());
    std::vector<std::int64_t> places(15), all(15);
    for (std::size_t cta = 0; cta < places.size(); ++cta)
      places[cta] = changed.place_of(static_cast<std::int64_t>(cta));
    if (group == 2) CHECK(std::vector(places.begin(), places.begin() + 4) == std::vector<std::int64_t>{0, 3, 1, 4});
    std::sort(places.begin(), places.end());
    std::iota(all.begin(), all.end(), std::int64_t{0});
    CHECK(places == all);
    CHECK(run(h200(), changed, Mode::counts).sm.of(AccessKind::global_load).sectors ==
          run(h200(), *kernel, Mode::counts).sm.of(AccessKind::global_load).sectors);
  }
}

TEST_CASE("accesses without conflicts take their ideal wavefronts, and nothing else changes") {
  const auto kernel = opened("transpose", {{"M", "128"}, {"N", "128"}});
  Change change;
  for (std::size_t i = 0; i < kernel->code().size(); ++i) change.without_conflicts.insert(i);
  const SmCounters before = run(h200(), *kernel, Mode::counts).sm;
  const SmCounters after = run(h200(), ChangedKernel(*kernel, change, SharedBanks()), Mode::counts).sm;
  CHECK(before.of(AccessKind::shared_load).wavefronts == 32 * before.of(AccessKind::shared_load).ideal);
  CHECK(after.of(AccessKind::shared_load).wavefronts == before.of(AccessKind::shared_load).ideal);
  CHECK(after.of(AccessKind::shared_store).wavefronts == before.of(AccessKind::shared_store).wavefronts);
  CHECK(after.of(AccessKind::global_load).sectors == before.of(AccessKind::global_load).sectors);
  CHECK(after.total_instructions() == before.total_instructions());
}

TEST_CASE("lanes' words side by side: half-used sectors are halved, broadcasts stay") {
  const auto kernel = opened("strided", {{"elements", "8192"}, {"stride", "2"}});
  Change change;
  for (std::size_t i = 0; i < kernel->code().size(); ++i) change.side_by_side.insert(i);
  const auto sectors = [](const Kernel& of) {
    return run(h200(), of, Mode::counts).sm.of(AccessKind::global_load).sectors;
  };
  CHECK(sectors(*kernel) == 2 * 8192 / 8);
  CHECK(sectors(ChangedKernel(*kernel, change, SharedBanks())) == 8192 / 8);
  LanePattern broadcast;
  broadcast.active = ~0U;
  for (int lane = 0; lane < kLanes; ++lane) broadcast.offset[static_cast<std::size_t>(lane)] = lane / 16 * 512;
  const LanePattern packed = side_by_side(broadcast);
  CHECK(packed.offset[15] == 0);
  CHECK(packed.offset[16] == 4);
}

TEST_CASE("wide accesses in words: as many more instructions, the same bytes") {
  const auto kernel = opened("gemm_tiled", {{"M", "32"}, {"N", "32"}, {"K", "32"}});
  Change change;
  for (std::size_t i = 0; i < kernel->code().size(); ++i)
    if (kernel->code()[i].op == OpClass::shared_load) change.in_words[i] = 2;
  const ChangedKernel changed(*kernel, change, SharedBanks());
  const auto loads = [](const RunOutcome& outcome) {
    return outcome.sm.instructions[static_cast<std::size_t>(OpClass::shared_load)];
  };
  const RunOutcome before = run(h200(), *kernel, Mode::timing), after = run(h200(), changed, Mode::timing);
  CHECK(loads(after) == 2 * loads(before));
  CHECK(after.sm.total_instructions() == before.sm.total_instructions() + loads(before));
  CHECK(changed.source_of(changed.code().size() - 1).index == changed.code().size() - 1);
}

// What has come still passes the data stage, and an exit waits for it: reread.yaml, which streams, gains least.
TEST_CASE("without waits for global memory a launch takes less time and moves the same") {
  for (const std::string name : {"gemm_naive.yaml", "gemm_tensor.yaml", "reread.yaml"}) {
    CAPTURE(name);
    const auto kernel = opened(kSamples + name);
    Change change;
    change.without_waits = true;
    const RunOutcome before = run(h200(), *kernel, Mode::timing);
    const RunOutcome after = run(h200(), ChangedKernel(*kernel, change, SharedBanks()), Mode::timing);
    CHECK(after.cycles < 0.93 * static_cast<double>(before.cycles));
    CHECK(after.sm.total_instructions() == before.sm.total_instructions());
    CHECK(after.sm.of(AccessKind::global_load).sectors == before.sm.of(AccessKind::global_load).sectors);
    const auto waited = [](const RunOutcome& outcome) {
      return outcome.sm.stall_cycles[static_cast<std::size_t>(Stall::long_scoreboard)];
    };
    CHECK(waited(after) < 0.82 * static_cast<double>(waited(before)));
  }
}

TEST_CASE("a layout found by trying is as good as the kernel's own padding and swizzle") {
  const auto kernel = opened("transpose", {{"M", "128"}, {"N", "128"}});
  const Survey all = survey(h200(), *kernel);
  REQUIRE(all.arrays.size() == 1);
  CHECK(all.arrays[0].to - all.arrays[0].from == 32 * 32 * 4);
  const auto found = layouts(SharedBanks(), all, all.arrays[0]);
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == SharedLayout::Kind::padding);
  CHECK(found[0].pitch == 128);
  CHECK(found[0].padding == 4);
  CHECK(found[0].more_bytes() == 128);
  CHECK(found[1].kind == SharedLayout::Kind::xor_swizzle);
  CHECK(found[1].more_bytes() == 0);
  for (const SharedLayout& layout : found) {
    CAPTURE(layout.sentence());
    CHECK(layout.before == 33 * layout.ideal / 2);
    CHECK(layout.wavefronts == layout.ideal);
    std::vector<std::uint64_t> words;  // no two at one place, none below the array
    for (std::uint64_t word = 0; word < 1024; ++word) words.push_back(layout.moved(4 * word));
    std::sort(words.begin(), words.end());
    CHECK(std::unique(words.begin(), words.end()) == words.end());
    CHECK(words.back() < 32 * 32 * 4 + static_cast<std::uint64_t>(layout.more_bytes()));
    Change change;
    change.shared_map = layout.map();
    const SmCounters after = run(h200(), ChangedKernel(*kernel, change, SharedBanks()), Mode::counts).sm;
    CHECK(after.shared_wavefronts() == after.shared_ideal());
  }
}

TEST_CASE("lanes are not moved where asynchronous units use shared memory by themselves") {
  std::string why_not;
  CHECK(can_move_lanes(*opened(kSamples + "gemm_async.yaml"), why_not));
  CHECK_FALSE(
      can_move_lanes(*opened(std::string(TILESCOPE_SOURCE_DIR) + "/gpu/measured/h200/pipelined/train#12"), why_not));
  CHECK(why_not.find("shared memory") != std::string::npos);
}
