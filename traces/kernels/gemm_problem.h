// What all GEMM generators share: C = A * B with sums in FP32, row-major, where the arrays lie, and how the CTAs cover
// C.
#pragma once

#include <cstdint>

#include "models/isa/kernel.h"
#include "traces/kernels/device_buffers.h"
#include "traces/raster.h"

namespace tilescope {

struct GemmProblem {
  std::int64_t m = 1024, n = 1024, k = 1024;
  Raster raster = Raster::row;
  std::int64_t group = 8;  // rows of tiles in a band, for Raster::grouped
};

inline constexpr std::int64_t kFloat = 4;  // byte

// The arrays of a GEMM in device memory; also the indices of GeneratedKernel's buffers.
enum GemmBuffer { kBufferA = 0, kBufferB = 1, kBufferC = 2 };

struct GemmArrays {
  std::uint64_t a, b, c;
  // `input`: byte of an element of A or B.
  explicit GemmArrays(const GemmProblem& p, std::int64_t input = kFloat) {
    DeviceBuffers buffers;
    a = buffers.allocate(p.m * p.k * input);
    b = buffers.allocate(p.k * p.n * input);
    c = buffers.allocate(p.m * p.n * kFloat);
  }
};

inline double gemm_flop(const GemmProblem& p) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

}  // namespace tilescope
