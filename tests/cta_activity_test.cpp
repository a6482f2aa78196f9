// What one CTA's warps, copies and tensor cores do (sim/engine/cta_activity.h), and its picture.
#include "sim/engine/cta_activity.h"

#include "engine_runs.h"
#include "sass_runs.h"
#include "sim/results/views/activity_svg.h"

using namespace tilescope;

namespace {

// A warp-specialised GEMM of two stages: warps 0 to 3 multiply, warp 4 fetches.
CtaActivity watched(const GpuSpec& gpu, std::int64_t cta, int threads = 1) {
  const auto kernel = test::sass_kernel(TILESCOPE_SOURCE_DIR "/gpu/measured/h200/pipelined/train/launches/0012.yaml");
  CtaActivity activity(cta);
  RunOptions options;
  options.sample = Sample::off;
  options.threads = threads;
  options.activity = &activity;
  simulate(gpu, *kernel, options);
  return activity;
}

Cycle spent(const std::vector<CtaActivity::Wait>& waits, bool (*which)(const CtaActivity::Wait&)) {
  Cycle sum = 0;
  for (const auto& wait : waits)
    if (which(wait)) sum += wait.until - wait.from;
  return sum;
}
bool at_mbarrier(const CtaActivity::Wait& wait) { return wait.at_mbarrier; }

Cycle copying(const CtaActivity& activity) {
  Cycle sum = 0;
  for (const auto& [barrier, copies] : activity.copies())
    for (const auto& copy : copies) sum += copy.until - copy.from;
  return sum;
}

}  // namespace

TEST_CASE("what a CTA's warps do fills their time without gaps, and its copies and products are seen") {
  const CtaActivity activity = watched(test::h200(), 3);
  REQUIRE(activity.warps().size() == 5);
  for (const auto& waits : activity.warps()) {
    REQUIRE(!waits.empty());
    for (std::size_t i = 1; i < waits.size(); ++i) CHECK(waits[i].from == waits[i - 1].until);
    const Cycle all = waits.back().until - waits.front().from;
    CHECK(2 * spent(waits, at_mbarrier) > all);  // two stages do not cover the way to memory
  }
  CHECK(activity.tensor_cores().size() == 4);
  REQUIRE(activity.copies().size() == 2);  // an mbarrier for each stage
  for (const auto& [barrier, copies] : activity.copies()) {
    CHECK(copies.size() == 8);  // 16 steps
    for (const auto& copy : copies) {
      CHECK(copy.bytes == 2 * 64 * 64 * 2);
      CHECK(copy.until > copy.from);
    }
  }
}

TEST_CASE("slower memory makes copies of a CTA, and waits at its mbarriers, longer") {
  const CtaActivity before = watched(test::h200(), 0);
  const CtaActivity slower = watched(test::gpu("h200", {"hbm.latency_ns=600"}), 0);
  CHECK(copying(slower) > 1.3 * static_cast<double>(copying(before)));
  CHECK(spent(slower.warps()[0], at_mbarrier) > 1.2 * static_cast<double>(spent(before.warps()[0], at_mbarrier)));
}

TEST_CASE("the picture has a row for each warp, stage and tensor core, and is the same with any number of threads") {
  const std::string picture = activity_svg(watched(test::h200(), 0), "a < b");
  CHECK(picture.starts_with("<svg "));
  CHECK(picture.ends_with("</svg>\n"));
  for (const char* text :
       {"a &lt; b", ">warp 0<", ">warp 4<", ">copies to 0x4", ">tensor core 3<", "waits at an mbarrier"})
    CHECK_MESSAGE(picture.find(text) != std::string::npos, text);
  CHECK(picture.find(">warp 5<") == std::string::npos);
  CHECK(picture == activity_svg(watched(test::h200(), 0, 3), "a < b"));
  CHECK(activity_svg(CtaActivity(0), "nothing").find(">warp") == std::string::npos);
}
