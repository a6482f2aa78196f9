// A step of a 128 x 128 x 8 register tile whose operands are in shared memory already, turn after turn, between two
// barriers. issue_times.py lets an FFMA of it read the clock instead, into what `issued` is kept in.
extern "C" __global__ void __launch_bounds__(256) step(int turns, int4* times, float* sink) {
  constexpr int kTile = 128, kDepth = 8, kSide = 8;
  __shared__ alignas(16) float a[kDepth][kTile];
  __shared__ alignas(16) float b[kDepth][kTile];
  const int tid = threadIdx.x;
  const int x = tid % (kTile / kSide) * kSide;
  const int y = tid / (kTile / kSide) * kSide;
  float sum[kSide][kSide] = {};
  float4 row = make_float4(tid, 1, 2, 3), column = row;
  int before = 0, began = 0, issued = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    asm volatile("" : "+f"(row.x), "+f"(column.x));
    before = began;
    for (int i = 0; i < 4; ++i) {
      a[tid % 2 * 4 + i][tid / 2] = (&row.x)[i];
    }
    *reinterpret_cast<float4*>(&b[tid / 32][tid % 32 * 4]) = column;
    __syncthreads();
    began = static_cast<int>(clock());
    issued = static_cast<int>(clock());
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
#pragma unroll
      for (int i = 0; i < kSide; ++i) {
#pragma unroll
        for (int j = 0; j < kSide; ++j) {
          sum[i][j] += a[k][y + i] * b[k][x + j];
        }
      }
    }
    __syncthreads();
  }
  if (tid % 32 == 0) {
    times[tid / 32] = make_int4(before, began, issued, 0);
  }
#pragma unroll
  for (int i = 0; i < kSide; ++i) {
#pragma unroll
    for (int j = 0; j < kSide; ++j) {
      sink[(i * kSide + j) * 256 + tid] = sum[i][j];
    }
  }
}
