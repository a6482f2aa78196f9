// A row of FFMAs behind a barrier, turn after turn, whose machine code rows.py replaces. The FFMAs name the register of
// `address` and the 24 that are written at the end, [number][thread].
extern "C" __global__ void __launch_bounds__(512, 1) row(int turns, const unsigned* place, unsigned* out) {
  extern __shared__ unsigned words[];
  constexpr int kResults = 24, kRow = 96, kThreads = 512;
  unsigned base;
  asm volatile("{.reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a;}" : "=r"(base) : "l"(words));
  const unsigned mine = place[threadIdx.x];
  const float address = __uint_as_float(base + mine);
  float results[kResults];
  for (int i = 0; i < kResults; ++i) {
    results[i] = place[kThreads + i];
  }
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    __syncthreads();
    if (mine != ~0U) {  // always: the row is a block of its own, without what counts the turns
#pragma unroll
      for (int i = 0; i < kRow; ++i) {
        asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(results[i % kResults]) : "f"(address));
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kResults; ++i) {
    out[i * kThreads + threadIdx.x] = __float_as_uint(results[i]);
  }
}
