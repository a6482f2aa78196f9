#include "sim/engine/traffic_memo.h"

#include <doctest/doctest.h>

#include "models/support/spec_reader.h"
#include "sim/results/result.h"
#include "sim/results/views/result_json.h"
#include "sim/simulate.h"
#include "traces/kernels/registry.h"

using namespace tilescope;

namespace {

GpuSpec h200() {
  auto spec = read_spec<GpuSpec>(TILESCOPE_SOURCE_DIR "/configs/gpus/h200.yaml");
  if (!spec) FAIL(to_string(spec.error()));
  return *spec;
}

std::string counted(const GpuSpec& gpu, const Kernel& kernel, TrafficMemo* memo) {
  RunOptions options;
  options.mode = Mode::counts;
  options.memo = memo;
  return result_json(make_result(gpu, kernel.launch(), options, simulate(gpu, kernel, options))).dump();
}

std::optional<LaunchSurvey> surveyed(const GpuSpec& gpu, const Kernel& kernel) {
  const CtaResources cta{kernel.launch().block.count(), kernel.launch().registers_per_thread,
                         kernel.launch().static_smem_bytes + kernel.launch().dynamic_smem_bytes};
  return survey_launch(gpu, kernel, occupancy(gpu, cta), 0, [] {});
}

}  // namespace

TEST_CASE("traffic taken from a launch that looks the same to the caches is what counting gives") {
  const GpuSpec gpu = h200();
  GpuSpec smaller = gpu;
  smaller.l2.size_mib = 30;
  const struct {
    const char* kernel;
    ParameterTexts parameters;
  } rows[] = {{"gemm_tiled", {}},
              {"gemm_tiled", {{"pad_a", "1"}}},
              {"gemm_tiled", {{"pad_a", "2"}}},
              {"gemm_tiled", {{"pad_a", "3"}}},
              {"gemm_tiled", {{"pad_b", "1"}}},
              {"gemm_tiled", {{"swizzle", "xor"}}},
              {"gemm_tiled", {{"transpose_a", "1"}}},
              {"gemm_tiled", {{"transpose_a", "1"}, {"pad_a", "1"}}},
              {"gemm_tiled", {{"raster", "column"}}},
              {"gemm_tiled", {{"tile", "16"}}},
              {"gemm_naive", {}},
              {"transpose", {{"pad", "1"}}},
              {"transpose", {{"pad", "2"}}}};
  TrafficMemo memo;
  for (const auto& row : rows) {
    ParameterTexts parameters = row.parameters;
    parameters["M"] = parameters["N"] = "128";
    if (std::string(row.kernel) != "transpose") parameters["K"] = "64";
    const auto kernel = make_kernel(row.kernel, parameters);
    REQUIRE(kernel.has_value());
    CAPTURE(row.kernel);
    CHECK(counted(gpu, **kernel, &memo) == counted(gpu, **kernel, nullptr));
    CHECK(counted(smaller, **kernel, &memo) == counted(smaller, **kernel, nullptr));
  }
}

TEST_CASE("launches look the same to the caches when only their conflict-free padding differs") {
  const GpuSpec gpu = h200();
  const auto key = [&](const ParameterTexts& parameters) {
    ParameterTexts all = parameters;
    all["M"] = all["N"] = all["K"] = "64";
    return surveyed(gpu, **make_kernel("gemm_tiled", all))->key;
  };
  CHECK(key({}) == key({{"pad_b", "4"}}));
  CHECK(key({{"pad_a", "4"}}) == key({{"pad_a", "8"}}));
  CHECK(key({}) == key({}));
  CHECK(key({}) != key({{"pad_a", "2"}}));        // narrower loads from A: a warp takes longer
  CHECK(key({}) != key({{"transpose_a", "1"}}));  // conflicts
  CHECK(key({}) != key({{"tile", "16"}}));        // addresses
  CHECK(key({}) != key({{"raster", "column"}, {"K", "64"}}));
  GpuSpec smaller = gpu;
  smaller.l2.size_mib = 30;
  const auto kernel = make_kernel("gemm_tiled", {});
  CHECK(surveyed(gpu, **kernel)->key != surveyed(smaller, **kernel)->key);
}
