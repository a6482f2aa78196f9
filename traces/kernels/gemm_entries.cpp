// The GEMM generators as the registry knows them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/support/suggest.h"
#include "traces/kernels/gemm_async.h"
#include "traces/kernels/gemm_naive.h"
#include "traces/kernels/gemm_pipelined.h"
#include "traces/kernels/gemm_register.h"
#include "traces/kernels/gemm_tensor.h"
#include "traces/kernels/gemm_tiled.h"
#include "traces/kernels/kernel_entry.h"

namespace tilescope {
namespace {

constexpr std::int64_t kLargestSize = 65536;

std::vector<ParameterInfo> with_problem(std::vector<ParameterInfo> own) {
  std::vector<ParameterInfo> all{
      {"M", "1024", "rows of A and C", 1, kLargestSize},
      {"N", "1024", "columns of B and C", 1, kLargestSize},
      {"K", "1024", "columns of A, rows of B", 1, kLargestSize},
  };
  all.insert(all.end(), own.begin(), own.end());
  all.push_back(
      {"raster", "row", "order in which CTAs take the tiles of C", 0, 0, {kRasterNames.begin(), kRasterNames.end()}});
  all.push_back({"group", "8", "rows of tiles in a band of raster=grouped", 1, kLargestSize});
  return all;
}

GemmProblem problem(const Parameters& p) {
  return {.m = p.number("M"),
          .n = p.number("N"),
          .k = p.number("K"),
          .raster = *raster_from(p.word("raster")),
          .group = p.number("group")};
}

std::unique_ptr<GeneratedKernel> naive(const Parameters& p, std::vector<std::string>& problems) {
  if (!problems.empty()) return nullptr;
  return std::make_unique<GemmNaive>(GemmNaiveSpec{.problem = problem(p),
                                                   .block_x = p.small("block_x"),
                                                   .block_y = p.small("block_y"),
                                                   .lanes_along_rows = p.word("lanes") == "row"});
}

std::unique_ptr<GeneratedKernel> tiled(const Parameters& p, std::vector<std::string>& problems) {
  GemmTiledSpec spec{.problem = problem(p),
                     .tile = p.small("tile"),
                     .pad_a = p.small("pad_a"),
                     .pad_b = p.small("pad_b"),
                     .transpose_a = p.flag("transpose_a"),
                     .swizzle = p.word("swizzle") == "xor",
                     .bounds = p.word("bounds") == "1"};
  if (spec.swizzle && (spec.tile & (spec.tile - 1)) != 0)
    problems.push_back(fmt::format("parameter tile: got {}; must be 2, 4, 8, 16 or 32 with swizzle=xor", spec.tile));
  for (const char* size : {"M", "N", "K"}) {
    if (p.number(size) % spec.tile == 0) continue;
    if (p.word("bounds") == "0")
      problems.push_back(
          fmt::format("parameter {}: got {}; must be a multiple of tile={} with bounds=0 (bounds=auto checks)", size,
                      p.number(size), spec.tile));
    spec.bounds = true;
  }
  if (!problems.empty()) return nullptr;
  return std::make_unique<GemmTiled>(spec);
}

void check_divides(const Parameters& p, std::vector<std::string>& problems, const char* what, const char* by) {
  if (p.number(what) % p.number(by) != 0)
    problems.push_back(
        fmt::format("parameter {}: got {}; must be a multiple of {}={}", what, p.number(what), by, p.number(by)));
}

// What both kernels that keep a tile of C in registers have in common.
GemmRegisterSpec register_tile(const Parameters& p, std::vector<std::string>& problems) {
  for (const auto& [what, by] : {std::pair{"bk", "vector"}, {"M", "bm"}, {"N", "bn"}, {"K", "bk"}})
    check_divides(p, problems, what, by);
  return {.problem = problem(p),
          .bm = p.small("bm"),
          .bn = p.small("bn"),
          .bk = p.small("bk"),
          .vector = p.small("vector")};
}

std::unique_ptr<GeneratedKernel> made_of(const GemmRegisterSpec& spec, std::vector<std::string>& problems) {
  // More loads per thread and tile than any compiler would unroll.
  constexpr int kMostLoads = 256;
  if (problems.empty() && spec.steps_a() + spec.steps_b() > kMostLoads)
    problems.push_back(fmt::format("parameters bm, bn, bk: a thread would load {} times per tile; must be at most {}",
                                   spec.steps_a() + spec.steps_b(), kMostLoads));
  if (!problems.empty()) return nullptr;
  return std::make_unique<GemmRegister>(spec);
}

std::unique_ptr<GeneratedKernel> register_tiled(const Parameters& p, std::vector<std::string>& problems) {
  for (const auto& [what, by] : {std::pair{"bm", "tm"}, {"bn", "tn"}}) check_divides(p, problems, what, by);
  GemmRegisterSpec spec = register_tile(p, problems);
  check_divides(p, problems, "tn", "vector");
  spec.tm = p.small("tm");
  spec.tn = p.small("tn");
  if (spec.tm * spec.tn > 256)
    problems.push_back(
        fmt::format("parameters tm and tn: got {} and {}; their product, the sums of one thread, must be at most 256",
                    spec.tm, spec.tn));
  return made_of(spec, problems);
}

std::unique_ptr<GeneratedKernel> warp_tiled(const Parameters& p, std::vector<std::string>& problems) {
  for (const auto& [what, by] : {std::pair{"bm", "wm"}, {"bn", "wn"}}) check_divides(p, problems, what, by);
  GemmRegisterSpec spec = register_tile(p, problems);
  spec.wm = p.small("wm");
  spec.wn = p.small("wn");
  for (const auto& [what, piece] : {std::pair{"wm", 16}, {"wn", 32}})
    if (p.number(what) % piece != 0)
      problems.push_back(
          fmt::format("parameter {}: got {}; must be a multiple of {}, so that lanes own pieces of 4 x 4", what,
                      p.number(what), piece));
  spec.tm = spec.wm / 4;
  spec.tn = spec.wn / 8;
  if (!problems.empty()) return nullptr;
  if (spec.accesses_a() % spec.threads() != 0 || spec.accesses_b() % spec.threads() != 0)
    problems.push_back(fmt::format(
        "parameters bm, bn, bk and vector: {} and {} accesses to a tile's A and B; must be multiples of the {} threads",
        spec.accesses_a(), spec.accesses_b(), spec.threads()));
  return made_of(spec, problems);
}

int architecture(const Parameters& p) { return p.word("code") == "sm_80" ? 80 : 90; }

ParameterInfo code_parameter() {
  return {"code", "sm_90", "architecture that the code was compiled for", 0, 0, {"sm_80", "sm_90"}};
}

void check_multiple(const Parameters& p, std::vector<std::string>& problems, const char* what, int of,
                    const char* why) {
  if (p.number(what) % of != 0)
    problems.push_back(
        fmt::format("parameter {}: got {}; must be a multiple of {}, {}", what, p.number(what), of, why));
}

std::unique_ptr<GeneratedKernel> async(const Parameters& p, std::vector<std::string>& problems) {
  for (const char* size : {"M", "N", "K"}) check_divides(p, problems, size, "tile");
  check_multiple(p, problems, "tile", 4, "so that a copy and a read of A's tile bring four floats of a row");
  if (!problems.empty()) return nullptr;
  return std::make_unique<GemmAsync>(GemmAsyncSpec{
      .problem = problem(p), .tile = p.small("tile"), .vector = p.small("vector"), .architecture = architecture(p)});
}

// The copies that bring a tile of A and one of B, 16 byte each.
void check_copies(std::int64_t of_a, std::int64_t of_b, int threads, std::vector<std::string>& problems) {
  if (of_a % threads != 0 || of_b % threads != 0)
    problems.push_back(
        fmt::format("parameters bm, bn and bk: {} and {} copies of 16 byte to a tile's A and B; must be multiples of "
                    "the {} threads",
                    of_a, of_b, threads));
}

// Tiles that pass through registers.
std::unique_ptr<GeneratedKernel> tensor_of_one_stage(const Parameters& p, std::vector<std::string>& problems) {
  if (p.word("dtype") != "f16")
    problems.push_back(
        fmt::format("parameter dtype: got '{}'; must be f16 with stages=1, the other types are copied asynchronously "
                    "(stages=2 to 5)",
                    p.word("dtype")));
  if (p.word("swizzle") == "xor")
    problems.push_back(
        "parameter swizzle: got 'xor'; must be auto or pad with stages=1, chunks are permuted with stages=2 to 5");
  check_multiple(p, problems, "bk", GemmTensorSpec::kFragment, "a side of a fragment");
  if (!problems.empty()) return nullptr;
  const GemmTensorSpec spec{.problem = problem(p),
                            .bm = p.small("bm"),
                            .bn = p.small("bn"),
                            .bk = p.small("bk"),
                            .wm = p.small("wm"),
                            .wn = p.small("wn"),
                            .architecture = architecture(p)};
  check_copies(spec.copies_a(), spec.copies_b(), spec.threads(), problems);
  if (!problems.empty()) return nullptr;
  return std::make_unique<GemmTensor>(spec);
}

// Every type of A and B that was compiled with rows like these.
std::vector<std::string> types_like(GemmPipelinedSpec spec) {
  std::vector<std::string> all;
  for (std::size_t type = 0; type < kTensorInputNames.size(); ++type) {
    spec.dtype = static_cast<TensorInput>(type);
    if (!GemmPipelined::nearest_sample(spec).empty()) all.emplace_back(kTensorInputNames[type]);
  }
  return all;
}

// A ring of tiles that cp.async brings.
std::unique_ptr<GeneratedKernel> tensor_of_stages(const Parameters& p, std::vector<std::string>& problems) {
  const auto type = std::find(kTensorInputNames.begin(), kTensorInputNames.end(), p.word("dtype"));
  const GemmPipelinedSpec spec{.problem = problem(p),
                               .dtype = static_cast<TensorInput>(type - kTensorInputNames.begin()),
                               .bm = p.small("bm"),
                               .bn = p.small("bn"),
                               .bk = p.small("bk"),
                               .wm = p.small("wm"),
                               .wn = p.small("wn"),
                               .stages = p.small("stages"),
                               .padded = p.word("swizzle") == "pad",
                               .architecture = architecture(p)};
  if (spec.step_bytes() != 64 && spec.step_bytes() != 128)
    problems.push_back(fmt::format("parameter bk: got {}; must be {} or {} with dtype={}, 64 or 128 byte of a row",
                                   spec.bk, 64 / spec.element(), 128 / spec.element(), p.word("dtype")));
  if (GemmPipelined::nearest_sample(spec).empty())
    problems.push_back(
        fmt::format("parameter dtype: got '{}'; must be {} with swizzle={}, no other type was compiled so",
                    p.word("dtype"), list_of(types_like(spec)), p.word("swizzle")));
  if (!problems.empty()) return nullptr;
  check_copies(spec.bm * spec.chunks(), spec.bn * spec.chunks(), spec.threads(), problems);
  if (!problems.empty()) return nullptr;
  return std::make_unique<GemmPipelined>(spec);
}

std::unique_ptr<GeneratedKernel> tensor(const Parameters& p, std::vector<std::string>& problems) {
  for (const auto& [what, by] : {std::pair{"bm", "wm"}, {"bn", "wn"}, {"M", "bm"}, {"N", "bn"}, {"K", "bk"}})
    check_divides(p, problems, what, by);
  for (const char* what : {"wm", "wn"})
    check_multiple(p, problems, what, GemmTensorSpec::kFragment, "a side of a fragment");
  return p.number("stages") == 1 ? tensor_of_one_stage(p, problems) : tensor_of_stages(p, problems);
}

}  // namespace

std::vector<KernelEntry> gemm_entries() {
  return {
      {{"gemm_naive", "GEMM, one output per thread, every operand from global memory",
        with_problem({{"block_x", "16", "threads of a CTA along lanes' dimension", 1, 1024},
                      {"block_y", "16", "threads of a CTA along the other dimension", 1, 1024},
                      {"lanes", "col", "what neighbouring lanes own: columns or rows of C", 0, 0, {"col", "row"}}})},
       naive},
      {{"gemm_tiled", "GEMM, a square tile of A and B in shared memory, one output per thread",
        with_problem({{"tile", "32", "rows and columns of a tile, and of a CTA's threads", 2, 32},
                      {"pad_a", "0", "words between rows of A's tile", 0, 64},
                      {"pad_b", "0", "words between rows of B's tile", 0, 64},
                      {"transpose_a", "0", "1: A's tile is stored transposed", 0, 1},
                      {"swizzle", "none", "xor: A's tile transposed, columns permuted by row", 0, 0, {"none", "xor"}},
                      {"bounds",
                       "auto",
                       "bounds checks; auto: only when a size is no multiple of tile",
                       0,
                       0,
                       {"auto", "0", "1"}}})},
       tiled},
      {{"gemm_register", "GEMM, a tile of C per CTA in registers, tm x tn outputs per thread",
        with_problem({{"bm", "128", "rows of a CTA's tile of C", 1, 1024},
                      {"bn", "128", "columns of a CTA's tile of C", 1, 1024},
                      {"bk", "8", "depth of a tile along K", 1, 128},
                      {"tm", "8", "rows of C per thread", 1, 32},
                      {"tn", "8", "columns of C per thread", 1, 32},
                      {"vector", "4", "floats per global access: 1 or 4", 0, 0, {"1", "4"}}})},
       register_tiled},
      {{"gemm_warp", "GEMM, a tile of C per CTA in registers, a part of it per warp, in pieces of 4 x 4 per lane",
        with_problem({{"bm", "128", "rows of a CTA's tile of C", 16, 1024},
                      {"bn", "128", "columns of a CTA's tile of C", 32, 1024},
                      {"bk", "8", "depth of a tile along K", 1, 128},
                      {"wm", "32", "rows of C per warp, a multiple of 16", 16, 64},
                      {"wn", "64", "columns of C per warp, a multiple of 32", 32, 128},
                      {"vector", "4", "floats per global access: 1 or 4", 0, 0, {"1", "4"}}})},
       warp_tiled},
      {{"gemm_async", "GEMM, double-buffered square tiles that cp.async brings, one output per thread",
        with_problem({{"tile", "32", "rows and columns of a tile, and of a CTA's threads, a multiple of 4", 4, 32},
                      {"vector", "4", "floats per copy: 1 (through L1) or 4 (past it)", 0, 0, {"1", "4"}},
                      code_parameter()})},
       async},
      {{"gemm_tensor",
        "GEMM on tensor cores, fragments by ldmatrix; with stages a ring of tiles that cp.async fills, B transposed",
        with_problem(
            {{"dtype",
              "f16",
              "of A and B; f16 with stages=1",
              0,
              0,
              {kTensorInputNames.begin(), kTensorInputNames.end()}},
             {"stages", "1", "tiles of A and of B in shared memory; from 2 on, copied asynchronously", 1, 5},
             {"swizzle",
              "auto",
              "rows of a tile: pad: 16 byte apart, xor: permuted; auto: pad with stages=1, else xor",
              0,
              0,
              {"auto", "xor", "pad"}},
             {"bm", "128", "rows of a CTA's tile of C", 16, 1024},
             {"bn", "128", "columns of a CTA's tile of C", 16, 1024},
             {"bk", "32", "depth of a tile along K, a multiple of 16; with stages=2 to 5 64 or 128 byte", 16, 128},
             {"wm", "64", "rows of C per warp, a multiple of 16", 16, 128},
             {"wn", "32", "columns of C per warp, a multiple of 16", 16, 128},
             code_parameter()})},
       tensor},
  };
}

}  // namespace tilescope
