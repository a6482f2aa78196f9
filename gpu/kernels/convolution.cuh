// 2-D convolution of FP32 with a filter of F x F from constant memory; beyond its edges the input is zero.
//   direct  every neighbour from global memory; a CTA of 32 x R threads, an output each
//   shared  a CTA first brings its tile of 32 x 32 outputs and the halo around it to shared memory (34 x 34 where F is
//   3); 32 x R
//           threads, 32 / R outputs each
#pragma once

#include "filter.h"

namespace tilescope::gpu {

constexpr int kConvolutionTile = 32;

__constant__ Filter kFilter = make_filter();

template <int F, int R>
__global__ void __launch_bounds__(kConvolutionTile* R)
    convolution_direct(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  const int x = blockIdx.x * kConvolutionTile + threadIdx.x;
  const int y = blockIdx.y * R + threadIdx.y;
  if (x >= columns || y >= rows) {
    return;
  }
  float sum = 0.0f;
#pragma unroll
  for (int dy = 0; dy < F; ++dy) {
#pragma unroll
    for (int dx = 0; dx < F; ++dx) {
      const int from_y = y + dy - F / 2;
      const int from_x = x + dx - F / 2;
      if (from_y >= 0 && from_y < rows && from_x >= 0 && from_x < columns) {
        sum += kFilter.value[dy * F + dx] * in[from_y * columns + from_x];
      }
    }
  }
  out[y * columns + x] = sum;
}

template <int F, int R>
__global__ void __launch_bounds__(kConvolutionTile* R)
    convolution_shared(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  constexpr int kWidth = kConvolutionTile + F - 1;  // with the halo
  __shared__ float tile[kWidth][kWidth];
  const int x0 = blockIdx.x * kConvolutionTile;
  const int y0 = blockIdx.y * kConvolutionTile;
  for (int i = threadIdx.y * kConvolutionTile + threadIdx.x; i < kWidth * kWidth; i += kConvolutionTile * R) {
    const int y = y0 + i / kWidth - F / 2;
    const int x = x0 + i % kWidth - F / 2;
    const bool inside = y >= 0 && y < rows && x >= 0 && x < columns;
    tile[i / kWidth][i % kWidth] = inside ? in[y * columns + x] : 0.0f;
  }
  __syncthreads();
  const int x = threadIdx.x;
#pragma unroll
  for (int y = threadIdx.y; y < kConvolutionTile; y += R) {
    float sum = 0.0f;
#pragma unroll
    for (int dy = 0; dy < F; ++dy) {
#pragma unroll
      for (int dx = 0; dx < F; ++dx) {
        sum += kFilter.value[dy * F + dx] * tile[y + dy][x + dx];
      }
    }
    if (y0 + y < rows && x0 + x < columns) {
      out[(y0 + y) * columns + x0 + x] = sum;
    }
  }
}

}  // namespace tilescope::gpu
