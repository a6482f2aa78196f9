// Closed forms of what the GEMM generators execute.
#include <doctest/doctest.h>

#include "kernel_walk.h"
#include "stream_summary.h"

using namespace tilescope;
using test::kernel;

TEST_CASE("naive GEMM: two requests per warp and k step, sectors as the lane map says") {
  struct {
    const char* lanes;
    int block_x, block_y, sectors_a, sectors_b;
  } const rows[] = {
      // A warp of 16x16 threads covers two rows of its block; a column of A takes a sector per row.
      {"col", 16, 16, 2, 2},  {"col", 32, 8, 1, 4},   {"col", 8, 8, 4, 1},
      {"row", 16, 16, 16, 1}, {"row", 32, 32, 32, 1}, {"row", 8, 8, 8, 1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.lanes);
    CAPTURE(row.block_x);
    const auto gemm = kernel("gemm_naive", {{"M", "64"},
                                            {"N", "64"},
                                            {"K", "40"},
                                            {"lanes", row.lanes},
                                            {"block_x", std::to_string(row.block_x)},
                                            {"block_y", std::to_string(row.block_y)}});
    const StreamSummary sum = summarise(*gemm);
    const std::int64_t warps = 64 * 64 / 32;
    CHECK(sum.global_load_requests == 2 * 40 * warps);
    CHECK(sum.global_load_sectors == (row.sectors_a + row.sectors_b) * 40 * warps);
    CHECK(sum.global_load_lanes == 2 * 64 * 64 * 40);
    CHECK(sum.global_store_requests == warps);
    CHECK(sum.global_store_lanes == 64 * 64);
    CHECK(sum.count(OpClass::fma) == 40 * warps);
  }
}

TEST_CASE("tiled GEMM: element loads fall by the tile size") {
  struct {
    const char* tile;
    std::int64_t elements;
  } const rows[] = {{"4", 536870912}, {"8", 268435456}, {"16", 134217728}, {"32", 67108864}};
  for (const auto& row : rows) {
    CAPTURE(row.tile);
    CHECK(summarise(*kernel("gemm_tiled", {{"tile", row.tile}})).global_load_lanes == row.elements);
  }
  // The naive kernel loads 2 N^3 elements; one CTA is enough to tell.
  const auto naive = kernel("gemm_naive");
  StreamCounter counter(*naive);
  counter.add_ctas(0, 1);
  CHECK(counter.total().global_load_lanes * naive->launch().grid.count() == 2147483648);
}

TEST_CASE("tiled GEMM, tile 32, 1024^3: the counts that hardware shows") {
  const StreamSummary sum = summarise(*kernel("gemm_tiled"));
  CHECK(sum.global_load_requests == 2097152);
  CHECK(sum.global_load_sectors == 8388608);
  CHECK(sum.global_store_requests == 32768);
  CHECK(sum.global_store_sectors == 131072);
  CHECK(sum.shared_store_wavefronts == 2097152);
  CHECK(sum.instructions() == 91521024);
}

namespace {

// Shared-load wavefronts per warp and step over a tile of K.
std::int64_t wavefronts_per_tile(ParameterTexts parameters) {
  parameters.insert({{"M", "64"}, {"N", "64"}, {"K", "64"}});
  const auto gemm = kernel("gemm_tiled", parameters);
  const std::int64_t tile = gemm->launch().block.x;
  const std::int64_t warps = gemm->launch().grid.count() * gemm->launch().warps_per_cta();
  return summarise(*gemm).shared_load_wavefronts / (warps * (64 / tile));
}

}  // namespace

TEST_CASE("tiled GEMM: the row pitch of A's tile decides how it is read") {
  struct {
    const char *pad, *tile;
    std::int64_t wavefronts;
  } const rows[] = {
      // 32 of B, and of A: 8 LDS.128 broadcasts of 2, 16 LDS.64 of 1, 32 LDS of 1.
      {"0", "32", 48}, {"4", "32", 48}, {"2", "32", 48}, {"1", "32", 64},
      {"3", "32", 64}, {"0", "16", 24}, {"1", "16", 32}, {"0", "8", 12},
  };
  for (const auto& row : rows) {
    CAPTURE(row.pad);
    CAPTURE(row.tile);
    CHECK(wavefronts_per_tile({{"tile", row.tile}, {"pad_a", row.pad}}) == row.wavefronts);
  }
  CHECK(wavefronts_per_tile({{"pad_a", "1"}, {"pad_b", "1"}}) == 64);
}

TEST_CASE("a column walk: padding or a swizzle removes conflicts, and removing padding never lowers wavefronts") {
  for (const char* tile : {"4", "8", "16", "32"}) {
    const auto stores = [&](const char* pad, const char* swizzle) {
      return summarise(*kernel("gemm_tiled", {{"M", "64"},
                                              {"N", "64"},
                                              {"K", "64"},
                                              {"tile", tile},
                                              {"transpose_a", "1"},
                                              {"pad_a", pad},
                                              {"swizzle", swizzle}}))
          .shared_store_wavefronts;
    };
    CAPTURE(tile);
    CHECK(stores("0", "none") >= stores("1", "none"));
    CHECK(stores("0", "none") >= stores("0", "xor"));
  }
  const StreamSummary walked =
      summarise(*kernel("gemm_tiled", {{"M", "32"}, {"N", "32"}, {"K", "32"}, {"transpose_a", "1"}}));
  CHECK(walked.shared_store_wavefronts == 32 * (32 + 1));  // A's store: one bank for all lanes
}

TEST_CASE("raster and bounds checks leave the work of a whole problem unchanged") {
  for (const char* name : {"gemm_naive", "gemm_tiled", "gemm_register", "gemm_warp", "gemm_async", "gemm_tensor"}) {
    const ParameterTexts size{{"M", "256"}, {"N", "384"}, {"K", "64"}};
    const StreamSummary row = summarise(*kernel(name, size));
    for (const char* raster : {"column", "grouped", "morton"}) {
      ParameterTexts other = size;
      other["raster"] = raster;
      other["group"] = "3";
      const StreamSummary sum = summarise(*kernel(name, other));
      CHECK(sum.global_load_sectors == row.global_load_sectors);
      CHECK(sum.shared_load_wavefronts == row.shared_load_wavefronts);
      CHECK(sum.count(OpClass::fma) == row.count(OpClass::fma));
      CHECK(sum.count(OpClass::tensor) == row.count(OpClass::tensor));
      CHECK(sum.instructions() >= row.instructions());
    }
  }
}
