// The table of compiled kernels: every template instance under one name, with all a caller needs to launch and to judge
// it.
//
// C = A * B in FP32, row-major: A is m x k, B is k x n, C is m x n.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

namespace tilescope::gpu {

struct Problem {
  int m = 0;
  int n = 0;
  int k = 0;
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
};

struct LaunchOptions {
  int group = 1;  // rows of CTA tiles per raster group; 1 is row order. Only gemm_register looks at it.
};

struct Instance {
  std::string name;  // gemm_tiled<32,0,1,...> spelled as one word: gemm_tiled_t32_a0_b1
  const void* symbol = nullptr;
  dim3 block;
  int multiple_m = 1;  // the launch refuses an m, n or k that is no multiple of these
  int multiple_n = 1;
  int multiple_k = 1;
  void (*launch)(const Instance& self, const Problem& problem, const LaunchOptions& options) = nullptr;
};

inline int divide_up(int value, int by) { return (value + by - 1) / by; }

void add_gemm_naive(std::vector<Instance>& table);
void add_gemm_tiled(std::vector<Instance>& table);
void add_gemm_register(std::vector<Instance>& table);

}  // namespace tilescope::gpu
