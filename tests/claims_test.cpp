// The closed forms of docs/claims.md (tools/claims), held against generators, models and arithmetic.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "models/gpu_totals.h"
#include "models/occupancy.h"
#include "models/shared_banks.h"
#include "models/support/spec_reader.h"
#include "sim/results/launch_bytes.h"
#include "traces/kernels/registry.h"
#include "traces/raster.h"

using namespace tilescope;

namespace {

GpuSpec claimed_gpu(const std::string& name) {
  return *read_spec<GpuSpec>(std::string(TILESCOPE_SOURCE_DIR) + "/configs/gpus/" + name + ".yaml");
}

LaunchBytes bytes_of(const std::string& name, int n, ParameterTexts parameters = {}) {
  for (const char* size : {"M", "N", "K"}) parameters[size] = std::to_string(n);
  return launch_bytes(**make_kernel(name, parameters));
}

}  // namespace

TEST_CASE("claims 1, 2, 3: 2N^3 elements, divided by T; 2 T^2 floats of shared memory; 0.25 and T/4 FLOP/B") {
  for (const int n : {32, 64}) {
    CHECK(bytes_of("gemm_naive", n).global_read == 4 * 2.0 * std::pow(n, 3));
    for (const int tile : {4, 8, 16, 32}) {
      const auto text = std::to_string(tile);
      CHECK(bytes_of("gemm_tiled", n, {{"tile", text}}).global_read == 4 * 2.0 * std::pow(n, 3) / tile);
      CHECK((*make_kernel("gemm_tiled", {{"tile", text}}))->launch().static_smem_bytes == 2 * tile * tile * 4);
    }
  }
  CHECK(2 * std::pow(64, 3) / bytes_of("gemm_naive", 64).global_read == 0.25);
  CHECK(2 * std::pow(64, 3) / bytes_of("gemm_tiled", 64, {{"tile", "32"}}).global_read == 8);
  CHECK(bytes_of("gemm_naive", 4).global_read == 4 * 128);
  CHECK(bytes_of("gemm_tiled", 4, {{"tile", "2"}}).global_read == 4 * 64);
}

TEST_CASE("claim 5: an A100's FP32 peak is 19.5 TFLOP/s, its ridge 9.56 FLOP/B with 2039 GB/s and 9.75 with 2.0 TB/s") {
  const GpuTotals totals = gpu_totals(claimed_gpu("a100"));
  CHECK(totals.fp32_flops / 1e12 == doctest::Approx(19.5).epsilon(0.001));
  CHECK(totals.ridge_flop_per_byte == doctest::Approx(9.56).epsilon(0.001));
  CHECK(totals.fp32_flops / 2.0e12 == doctest::Approx(9.75).epsilon(0.001));
}

TEST_CASE("claim 6: sA[ty][k] is a broadcast; a column of a 32-word pitch takes 32 wavefronts, of 33 words one") {
  const GpuSpec gpu = claimed_gpu("h200");
  const SharedBanks banks(gpu.shared);
  const auto wavefronts = [&](int lane_words, int at) {
    std::array<std::uint64_t, kLanes> address{};
    for (int lane = 0; lane < kLanes; ++lane)
      address[static_cast<std::size_t>(lane)] = static_cast<std::uint64_t>(4 * (lane * lane_words + at));
    return banks.cost(make_pattern(address, 0xffffffffU, 4).pattern, SharedOp::load).wavefronts;
  };
  CHECK(wavefronts(0, 5) == 1);
  CHECK(wavefronts(32, 5) == 32);
  CHECK(wavefronts(33, 5) == 1);
}

TEST_CASE("claim 7: shared memory allows 33, 11, 3 and no CTAs in 100 KiB with the reserve; threads allow 8 and 2") {
  GpuSpec gpu = claimed_gpu("a100");
  gpu.shared.max_per_sm_kib = 100;
  gpu.shared.max_per_cta_kib = 99;
  const struct {
    int tile, threads;
    std::int64_t by_shared, held;
  } rows[] = {{16, 256, 33, 8}, {32, 1024, 11, 2}, {64, 256, 3, 3}};
  for (const auto& row : rows) {
    CAPTURE(row.tile);
    const Occupancy one = occupancy(
        gpu, {.threads = row.threads, .registers_per_thread = 32, .shared_bytes = 2 * row.tile * row.tile * 4});
    CHECK(one.by_shared == row.by_shared);
    CHECK(one.ctas_per_sm == row.held);
  }
  CHECK_FALSE(
      launch_problems(gpu, {.threads = 256, .registers_per_thread = 32, .shared_bytes = 2 * 128 * 128 * 4}).empty());
  CHECK(occupancy(gpu, {.threads = 64, .registers_per_thread = 32, .shared_bytes = 2 * 64 * 64 * 4}).percent ==
        doctest::Approx(9.375));
}

TEST_CASE("claim 8: rows and columns of 128x128 tiles that a wave touches at 4096^2, by rows and in groups of 8 rows") {
  const auto strips = [](Raster order, std::int64_t ctas) {
    const RasterSpec raster{.order = order, .tiles_x = 32, .tiles_y = 32, .group = 8};
    std::set<std::int64_t> rows, columns;
    for (std::int64_t cta = 0; cta < ctas; ++cta) {
      rows.insert(tile_of(raster, cta).y);
      columns.insert(tile_of(raster, cta).x);
    }
    return rows.size() + columns.size();
  };
  CHECK(strips(Raster::row, 216) == 39);
  CHECK(strips(Raster::grouped, 216) == 35);
  CHECK(strips(Raster::row, 264) == 41);
  CHECK(strips(Raster::grouped, 264) == 48);
}

TEST_CASE("claim 13: 32 values take 5 steps and 31 additions; only sequential addressing lets warps rest") {
  const auto warps = [](int threads, bool sequential) {
    std::vector<std::size_t> working;
    for (int stride = 1; stride < threads; stride *= 2) {
      std::set<int> all;
      for (int i = 0; i < threads / (2 * stride); ++i) all.insert((sequential ? i : i * 2 * stride) / 32);
      working.push_back(all.size());
    }
    return working;
  };
  CHECK(warps(32, true).size() == 5);
  CHECK(16 + 8 + 4 + 2 + 1 == 31);
  CHECK(warps(256, false) == std::vector<std::size_t>{8, 8, 8, 8, 8, 4, 2, 1});
  CHECK(warps(256, true) == std::vector<std::size_t>{4, 2, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("claims 14, 15: a halo of one pixel adds 12.9 %; scores are N / d times what attention must move") {
  CHECK(34.0 * 34 / (32 * 32) - 1 == doctest::Approx(0.129).epsilon(0.001));
  const double n = 4096, d = 64;
  CHECK((4 * n * n + 4 * n * d) / (4 * n * d) == 1 + n / d);
}

TEST_CASE("docs/claims.md is what tools/claims --page writes, and its quick predictions are today's") {
  const std::string program = TILESCOPE_PROGRAM;
  const std::string build = program.substr(0, program.rfind("/bin/"));
  if (std::system("command -v python3 >/dev/null") != 0) return;
  CHECK(std::system(
            (std::string("'") + TILESCOPE_SOURCE_DIR + "/tools/claims' --check --build '" + build + "'").c_str()) == 0);
}
