// The table of compiled GEMM kernels: every template instance under one name, with all a caller needs to launch and to
// judge it. The memory kernels have their own table, memory.h.
//
// C = A * B, row-major: A is m x k, B is k x n, C is m x n. FP32, or FP16 inputs and FP32 sums, or packed inputs
// (TensorType) with sums of 32 bits.
#pragma once

#include <cuda_runtime.h>

#include <optional>
#include <string>
#include <vector>

#include "tensor_type.h"

struct __half;  // cuda_fp16.h

namespace tilescope::gpu {

struct Problem {
  int m = 0;
  int n = 0;
  int k = 0;
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  const __half* half_a = nullptr;  // the same numbers, exactly, for kernels with FP16 inputs; null for the others
  const __half* half_b = nullptr;
  const void* packed_a =
      nullptr;  // the same numbers, small and whole, for kernels with packed inputs; null for the others
  const void* packed_b = nullptr;  // transposed: n x k
};

struct LaunchOptions {
  int group = 1;  // rows of CTA tiles per raster group; 1 is row order
};

struct Instance {
  std::string name;              // gemm_tiled<32,0,1,...> spelled as one word: gemm_tiled_t32_a0_b1
  const void* symbol = nullptr;  // null: a library's kernels, whichever it takes
  dim3 block;
  int multiple_m = 1;  // the launch refuses an m, n or k that is no multiple of these
  int multiple_n = 1;
  int multiple_k = 1;
  bool half_inputs = false;
  std::optional<TensorType> packed;  // type of Problem::packed_a and packed_b; c then holds ints where it is INT8
  bool hopper = false;               // needs sm_90a
  bool takes_group = false;          // false: LaunchOptions::group must be 1
  dim3 (*grid)(const Instance& self, int m, int n) = nullptr;
  void (*launch)(const Instance& self, const Problem& problem, const LaunchOptions& options) = nullptr;
};

inline int divide_up(int value, int by) { return (value + by - 1) / by; }

// The grid of kernels that cover C by whole tiles, columns along x.
inline dim3 grid_of_tiles(const Instance& self, int m, int n) {
  return {static_cast<unsigned>(n / self.multiple_n), static_cast<unsigned>(m / self.multiple_m)};
}

// Whether this GPU runs sm_90a and this program was built for it.
bool compiled_for_sm_90a();

void add_gemm_naive(std::vector<Instance>& table);
void add_gemm_tiled(std::vector<Instance>& table);
void add_gemm_register(std::vector<Instance>& table);
void add_gemm_warp(std::vector<Instance>& table);
void add_gemm_async(std::vector<Instance>& table);
void add_gemm_tensor(std::vector<Instance>& table);
void add_gemm_pipelined(std::vector<Instance>& table);
void add_gemm_grouped(std::vector<Instance>& table);
void add_gemm_specialised(std::vector<Instance>& table);
void add_gemm_streamk(std::vector<Instance>& table);

}  // namespace tilescope::gpu
