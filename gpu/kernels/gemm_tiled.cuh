// Step 2: a T x T tile of A and of B in shared memory, one output per thread: the textbook kernel, and the layouts that
// people try.
//
// Where A[row0 + i][k0 + j] lies in shared memory (B's tile is always row by row, kPadB words between rows):
//
//   plain        sA[i][j]
//   transposed   sA[j][i]                    the store walks down a column: a T-way conflict if kPadA is 0
//   xor          sA[j][i ^ (j & (T - 1))]    columns permuted by row: no conflict and no padding
#pragma once

namespace tilescope::gpu {

// kBounds = false requires m, n and k to be multiples of T; kBounds = true fills what lies outside with zeros.
template <int T, int kPadA, int kPadB, bool kTransposeA, bool kXor, bool kBounds>
__global__ void gemm_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
                           int n, int k) {
  static_assert((T & (T - 1)) == 0, "the xor swizzle needs a power of two");
  static_assert(!kXor || kTransposeA, "the xor swizzle is for the transposed tile");
  __shared__ float sA[T][T + kPadA];
  __shared__ float sB[T][T + kPadB];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * T + ty;
  const int col = blockIdx.x * T + tx;
  // The column of sA[tx] that holds row ty of A's tile, and the same for sA[i].
  const auto swizzled = [](int column, int line) { return kXor ? column ^ (line & (T - 1)) : column; };

  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += T) {
    const float a_value = !kBounds || (row < m && k0 + tx < k) ? a[row * k + k0 + tx] : 0.0f;
    if (kTransposeA) {
      sA[tx][swizzled(ty, tx)] = a_value;
    } else {
      sA[ty][tx] = a_value;
    }
    sB[ty][tx] = !kBounds || (k0 + ty < k && col < n) ? b[(k0 + ty) * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; ++i) {
      sum += (kTransposeA ? sA[i][swizzled(ty, i)] : sA[ty][i]) * sB[i][tx];
    }
    __syncthreads();
  }
  if (!kBounds || (row < m && col < n)) {
    c[row * n + col] = sum;
  }
}

}  // namespace tilescope::gpu
