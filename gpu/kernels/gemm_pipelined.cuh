// Step 6: tensor cores behind a pipeline: cp.async fills a ring of 2 to 5 stages while mma.sync multiplies out of it
// through ldmatrix; one barrier a step. Inputs are FP16, BF16, TF32 or INT8, sums 32 bits. B comes transposed, n x k.
#pragma once

#include "pipeline_tile.cuh"

namespace tilescope::gpu {

// Requires m, n and k to be multiples of the tile. c holds ints with INT8, else floats.
template <TensorType TYPE, int BM, int BN, int BYTES, int WM, int WN, int STAGES>
__global__ void __launch_bounds__(PipelineTile<TYPE, BM, BN, BYTES, WM, WN, STAGES>::kThreads)
    gemm_pipelined(const char* __restrict__ a, const char* __restrict__ b, uint2* __restrict__ c, int m, int n, int k) {
  const int pitch = k * bytes_of(TYPE);
  PipelineTile<TYPE, BM, BN, BYTES, WM, WN, STAGES> tile;
  tile.shared = ring_address();
  tile.clear();
  tile.run(a + static_cast<std::size_t>(blockIdx.y) * BM * pitch, b + static_cast<std::size_t>(blockIdx.x) * BN * pitch,
           pitch, pitch / BYTES);
  c += (static_cast<std::size_t>(blockIdx.y) * BM * n + blockIdx.x * BN) / 2;
  tile.each_pair([&](int row, int column, unsigned first, unsigned second) {
    c[(row * n + column) / 2] = make_uint2(first, second);
  });
}

}  // namespace tilescope::gpu
