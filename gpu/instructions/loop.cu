// A loop of 64 FFMAs between two clocks, whose machine code measure.py replaces. Two barriers before the first clock
// let all warps start together.
extern "C" __global__ void __launch_bounds__(512, 1) turn(int turns, int* cycles, float* sink) {
  float v[8];
  for (int i = 0; i < 8; ++i) {
    v[i] = sink[i];
  }
  __syncthreads();
  __syncthreads();
  const int start = clock();
#pragma unroll 1
  for (int at = 0; at < turns; ++at) {
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      asm volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(v[i % 4]) : "f"(v[4 + i % 4]));
    }
  }
  const int stop = clock();
  atomicMax(&cycles[0], stop - start);
  float sum = 0;
  for (int i = 0; i < 8; ++i) {
    sum += v[i];
  }
  sink[threadIdx.x] = sum;
}
