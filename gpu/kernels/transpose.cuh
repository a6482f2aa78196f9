// out[x][y] = in[y][x] for FP32. A CTA of T x R threads takes a T x T tile, T / R rows of it per thread.
//   naive        straight: reads coalesce, a warp's write touches one line per lane
//   naive_write  straight: writes coalesce, a warp's read touches one line per lane
//   tiled        through shared memory: both coalesce; the columns of the tile are read with conflicts unless it is
//                padded by kPad words or swizzled (column x of row y at x ^ y)
#pragma once

namespace tilescope::gpu {

enum class TransposeForm { kNaive, kNaiveWrite, kTiled };

// kBounds = false requires rows and columns to be multiples of T.
template <TransposeForm kForm, int T, int R, int kPad, bool kXor, bool kBounds>
__global__ void __launch_bounds__(T* R)
    transpose(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  static_assert(T % R == 0, "every thread takes as many rows of the tile");
  constexpr int kSteps = T / R;
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int x0 = blockIdx.x * T;
  const int y0 = blockIdx.y * T;
  float value[kSteps];
  if constexpr (kForm == TransposeForm::kNaiveWrite) {
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
      const int x = x0 + ty + i * R;
      if (!kBounds || (x < columns && y0 + tx < rows)) {
        value[i] = in[(y0 + tx) * columns + x];
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
      const int y = y0 + ty + i * R;
      if (!kBounds || (x0 + tx < columns && y < rows)) {
        value[i] = in[y * columns + x0 + tx];
      }
    }
  }
  if constexpr (kForm == TransposeForm::kTiled) {
    __shared__ float tile[T][T + kPad];
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
      const int row = ty + i * R;
      tile[row][kXor ? tx ^ row : tx] = value[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
      const int column = ty + i * R;
      value[i] = tile[tx][kXor ? column ^ tx : column];
    }
  }
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    if constexpr (kForm == TransposeForm::kNaive) {
      const int y = y0 + ty + i * R;
      if (!kBounds || (x0 + tx < columns && y < rows)) {
        out[(x0 + tx) * rows + y] = value[i];
      }
    } else {
      const int x = x0 + ty + i * R;
      if (!kBounds || (x < columns && y0 + tx < rows)) {
        out[x * rows + y0 + tx] = value[i];
      }
    }
  }
}

}  // namespace tilescope::gpu
