#include "sim/studies/tune/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tilescope::tune {
namespace {

struct Tile {
  std::int64_t m = 0, n = 0, k = 0;
};

std::int64_t number(const Configuration& one, const std::string& name, std::int64_t otherwise) {
  const std::string* text = one.parameter(name);
  return text == nullptr ? otherwise : std::stoll(*text);
}

std::optional<Tile> tile_of(const Configuration& one) {
  const std::int64_t square = number(one, "tile", 0);
  const Tile tile{number(one, "bm", square), number(one, "bn", square), number(one, "bk", square)};
  if (tile.m == 0 || tile.n == 0 || tile.k == 0) return std::nullopt;
  return tile;
}

std::int64_t group_of(const Configuration& one) {
  const std::string* raster = one.parameter("raster");
  return raster != nullptr && *raster != "grouped" ? 1 : number(one, "group", 1);
}

std::string no_tile(const Configuration& one, const char* library) {
  return fmt::format("{} has no tile in shared memory, so {} has nothing like it", one.word, library);
}

// The part of the CTA's tile that a warp computes. Where the kernel does not say: the most square one of as many parts
// as there are warps.
Tile warp_tile(const Configuration& one, const Tile& tile, std::int64_t warps) {
  Tile part{number(one, "wm", 0), number(one, "wn", 0), tile.k};
  if (part.m != 0 && part.n != 0) return part;
  const std::int64_t outputs = std::max(tile.m * tile.n / std::max(warps, std::int64_t{1}), std::int64_t{1});
  std::int64_t best = 0;
  for (std::int64_t m = 1; m <= tile.m; m *= 2) {
    if (tile.m % m != 0 || outputs % m != 0 || tile.n % (outputs / m) != 0) continue;
    const std::int64_t lean = std::max(m, outputs / m) / std::min(m, outputs / m);
    if (best != 0 && lean >= best) continue;
    best = lean;
    part.m = m;
    part.n = outputs / m;
  }
  return best == 0 ? tile : part;
}

const char* cutlass_type(const std::string& dtype) {
  if (dtype == "f16") return "cutlass::half_t";
  if (dtype == "bf16") return "cutlass::bfloat16_t";
  return dtype == "tf32" ? "cutlass::tfloat32_t" : "float";
}

}  // namespace

tl::expected<std::string, std::string> in_cutlass(const Configuration& one, const Problem& problem,
                                                  std::int64_t threads) {
  const auto tile = tile_of(one);
  if (!tile) return tl::unexpected(no_tile(one, "CUTLASS"));
  const char* type = cutlass_type(problem.dtype);
  if (const std::int64_t groups = number(one, "warpgroups", 0); groups != 0)
    return fmt::format(
        "// CUTLASS 3.x: cutlass::gemm::collective::CollectiveBuilder\n"
        "using Element = {};  // A row by row, B column by column; sums and C in float\n"
        "using TileShape = cute::Shape<cute::_{}, cute::_{}, cute::_{}>;\n"
        "using ClusterShape = cute::Shape<cute::_{}, cute::_1, cute::_1>;\n"
        "using StageCount = cutlass::gemm::collective::StageCount<{}>;\n"
        "using KernelSchedule = cutlass::gemm::KernelTmaWarpSpecialized{};\n",
        type, tile->m, tile->n, tile->k, number(one, "cluster", 1), number(one, "stages", 2),
        groups > 1 ? "Cooperative" : "");
  const Tile warp = warp_tile(one, *tile, (threads + 31) / 32);
  const bool simt = problem.dtype == "f32";
  const char* instruction = simt ? "1, 1, 1" : problem.dtype == "tf32" ? "16, 8, 8" : "16, 8, 16";
  const std::int64_t stages = std::max(number(one, "stages", 2), std::int64_t{2});
  const std::int64_t slices = number(one, "split_k", 1);
  std::string text = fmt::format(
      "// CUTLASS 2.x\n"
      "using Gemm = cutlass::gemm::device::Gemm<\n"
      "    {0}, cutlass::layout::RowMajor,  // A\n"
      "    {0}, cutlass::layout::{1},  // B\n"
      "    float, cutlass::layout::RowMajor,  // C\n"
      "    float, cutlass::arch::{2}, cutlass::arch::Sm80,\n"
      "    cutlass::gemm::GemmShape<{3}, {4}, {5}>,  // of a CTA\n"
      "    cutlass::gemm::GemmShape<{6}, {7}, {5}>,  // of a warp\n"
      "    cutlass::gemm::GemmShape<{8}>,  // of an instruction\n"
      "    cutlass::epilogue::thread::LinearCombination<float, {9}, float, float>,\n"
      "    cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<{10}>,\n"
      "    {11}>;  // stages\n",
      type, simt ? "RowMajor" : "ColumnMajor", simt ? "OpClassSimt" : "OpClassTensorOp", tile->m, tile->n, tile->k,
      warp.m, warp.n, instruction, simt ? 1 : 4, group_of(one), stages);
  if (slices > 1) text += fmt::format("// split_k_slices = {}\n", slices);
  return text;
}

tl::expected<std::string, std::string> in_triton(const Configuration& one, const Problem&, std::int64_t threads) {
  const auto tile = tile_of(one);
  if (!tile) return tl::unexpected(no_tile(one, "Triton"));
  const std::int64_t slices = number(one, "split_k", 1);
  return fmt::format(
      "triton.Config({{'BLOCK_SIZE_M': {}, 'BLOCK_SIZE_N': {}, 'BLOCK_SIZE_K': {}, 'GROUP_SIZE_M': {}{}}}, "
      "num_stages={}, num_warps={})\n",
      tile->m, tile->n, std::max(tile->k, std::int64_t{16}), group_of(one),
      slices > 1 ? fmt::format(", 'SPLIT_K': {}", slices) : "", std::max(number(one, "stages", 2), std::int64_t{1}),
      std::max((threads + 31) / 32, std::int64_t{1}));
}

}  // namespace tilescope::tune
