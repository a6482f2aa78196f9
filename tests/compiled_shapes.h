// Shapes of GEMMs by the template arguments of their compiled instances: as generators and as launches of the listing.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sass_runs.h"
#include "traces/kernels/compiled_listings.h"
#include "traces/kernels/gemm_async.h"
#include "traces/kernels/gemm_pipelined.h"
#include "traces/kernels/gemm_register.h"
#include "traces/kernels/gemm_tensor.h"
#include "traces/kernels/gemm_tiled.h"
#include "traces/kernels/template_numbers.h"

namespace tilescope::test {

struct GemmSize {
  std::int64_t m, n, k;
};

inline GemmProblem gemm_problem(const GemmSize& size) { return {.m = size.m, .n = size.n, .k = size.k}; }

inline GemmTiledSpec tiled_spec(const std::string& function, const GemmSize& size) {
  const std::vector<int> n = template_numbers(function);
  return {.problem = gemm_problem(size),
          .tile = n[0],
          .pad_a = n[1],
          .pad_b = n[2],
          .transpose_a = n[3] != 0,
          .swizzle = n[4] != 0,
          .bounds = n[5] != 0};
}

inline GemmRegisterSpec register_spec(const std::string& function, const GemmSize& size) {
  const std::vector<int> n = template_numbers(function);
  GemmRegisterSpec spec{.problem = gemm_problem(size), .bm = n[0], .bn = n[1], .bk = n[2], .vector = n[5]};
  const bool warps = function.find("gemm_warp") != std::string::npos;
  spec.wm = warps ? n[3] : 0, spec.wn = warps ? n[4] : 0;
  spec.tm = warps ? n[3] / 4 : n[3], spec.tn = warps ? n[4] / 8 : n[4];
  return spec;
}

inline GemmAsyncSpec async_spec(const std::string& function, const GemmSize& size, int architecture = 90) {
  const std::vector<int> n = template_numbers(function);
  return {.problem = gemm_problem(size), .tile = n[0], .vector = n[1], .architecture = architecture};
}

inline GemmTensorSpec tensor_spec(const std::string& function, const GemmSize& size, int architecture = 90) {
  const std::vector<int> n = template_numbers(function);
  return {.problem = gemm_problem(size),
          .bm = n[0],
          .bn = n[1],
          .bk = n[2],
          .wm = n[3],
          .wn = n[4],
          .architecture = architecture};
}

inline GemmPipelinedSpec pipelined_spec(const std::string& function, const GemmSize& size, int architecture = 90) {
  GemmPipelinedSpec spec = GemmPipelined::shape_of(function, architecture);
  spec.problem = gemm_problem(size);
  return spec;
}

// The function's launch that the generator stands for: its grid, its block, its arrays' addresses. `input`: byte
// of an element of A or B.
inline std::unique_ptr<Kernel> compiled_gemm(const CompiledListing& listing, const std::string& function,
                                             const Kernel& generated, const GemmProblem& p, std::optional<int> group,
                                             std::int64_t input = kFloat) {
  const SassScratch scratch;
  const GemmArrays arrays(p, input);
  const Launch& launch = generated.launch();
  scratch.write("code.sass", compiled_function_text(listing, function));
  scratch.write("code.elf", std::string(listing.elf));
  return sass_kernel(scratch.write(
      "gemm.yaml",
      fmt::format("kernel: {{sass: code.sass, elf: code.elf, name: {0}}}\n"
                  "grid: [{1}, {2}]\nblock: [{3}, {4}]\n{15}buffers:\n  a: {{size: {5}, address: {6:#x}}}\n"
                  "  b: {{size: {7}, address: {8:#x}}}\n  c: {{size: {9}, address: {10:#x}}}\n"
                  "args: [{{pointer: a}}, {{pointer: b}}, {{pointer: c}}, {11}, {12}, {13}{14}]\n",
                  function, launch.grid.x, launch.grid.y, launch.block.x, launch.block.y, input * p.m * p.k, arrays.a,
                  input * p.k * p.n, arrays.b, 4 * p.m * p.n, arrays.c, p.m, p.n, p.k,
                  group ? fmt::format(", {}", *group) : "",
                  launch.dynamic_smem_bytes > 0 ? fmt::format("dynamic_smem: {}\n", launch.dynamic_smem_bytes) : "")));
}

// Instances that were compiled when the generators were there, and are no part of the program: tests/data/sass/later.
inline const CompiledListing& later_listing(const std::string& family) {
  struct Texts {
    std::string sass, elf;
    CompiledListing listing;
  };
  static std::map<std::string, Texts> known;
  const auto [at, is_new] = known.try_emplace(family);
  Texts& texts = at->second;
  if (is_new) {
    const auto read = [&](const char* end) {
      std::ifstream file(sass_data + "later/" + family + ".sm_90" + end, std::ios::binary);
      REQUIRE(file.good());
      std::stringstream text;
      text << file.rdbuf();
      return text.str();
    };
    texts.sass = read(".sass");
    texts.elf = read(".elf");
    texts.listing = {at->first, texts.sass, texts.elf};
  }
  return texts.listing;
}

}  // namespace tilescope::test
