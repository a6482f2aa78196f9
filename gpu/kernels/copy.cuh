// out[i] = in[i] with four independent loads per thread, and its strided sibling that only reads: lane l of warp w
// reads element (32 w + l) * stride. T is float, float2 or float4.
#pragma once

#include "load.cuh"

namespace tilescope::gpu {

constexpr int kCopyUnroll = 4;

template <class T>
__global__ void copy(const T* __restrict__ in, T* __restrict__ out, int elements) {
  const int first = blockIdx.x * blockDim.x * kCopyUnroll + threadIdx.x;
  T value[kCopyUnroll];
#pragma unroll
  for (int i = 0; i < kCopyUnroll; ++i) {
    const int at = first + i * blockDim.x;
    if (at < elements) {
      value[i] = in[at];
    }
  }
#pragma unroll
  for (int i = 0; i < kCopyUnroll; ++i) {
    const int at = first + i * blockDim.x;
    if (at < elements) {
      out[at] = value[i];
    }
  }
}

// Adds up the first word of each element.
template <class T>
__global__ void strided(const T* __restrict__ in, double* __restrict__ out, int elements, int stride, float keep_from) {
  const int first = blockIdx.x * blockDim.x * kCopyUnroll + threadIdx.x;
  T value[kCopyUnroll] = {};
#pragma unroll
  for (int i = 0; i < kCopyUnroll; ++i) {
    const int at = first + i * blockDim.x;
    if (at < elements) {
      value[i] = load<true>(&in[at * stride]);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kCopyUnroll; ++i) {
    sum += first_word(value[i]);
  }
  if (sum >= keep_from) {
    atomicAdd(out, static_cast<double>(sum));
  }
}

}  // namespace tilescope::gpu
