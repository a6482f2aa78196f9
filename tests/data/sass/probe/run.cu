// Runs every kernel of probe.cu once and writes its output: NAME.bin.
#include <cstdio>
#include <vector>

#include "probe.cu"
int main() {
  const int n = 256, words = 16384;
  std::vector<int> in(words), out(words);
  unsigned x = 12345;
  for (int& v : in) {
    x = x * 1664525u + 1013904223u;
    v = (int)(x >> 1);
  }
  FILE* f = fopen("in.bin", "wb");
  fwrite(in.data(), 4, words, f);
  fclose(f);
  int *a, *b;
  cudaMalloc(&a, words * 4);
  cudaMalloc(&b, words * 4);
  cudaMemcpy(b, in.data(), words * 4, cudaMemcpyHostToDevice);
#define RUN(k)                                                    \
  {                                                               \
    cudaMemset(a, 0, words * 4);                                  \
    k<<<2, 128, 1024>>>(a, b, n);                                 \
    cudaError_t e = cudaDeviceSynchronize();                      \
    cudaMemcpy(out.data(), a, words * 4, cudaMemcpyDeviceToHost); \
    printf("%s %s\n", #k, cudaGetErrorString(e));                 \
    f = fopen(#k ".bin", "wb");                                   \
    fwrite(out.data(), 4, words, f);                              \
    fclose(f);                                                    \
  }
  RUN(integer);
  RUN(wide);
  RUN(single);
  RUN(approx);
  RUN(fp64);
  RUN(halves);
  RUN(lanes);
  RUN(divergent);
  RUN(jumps);
  RUN(calls);
  RUN(local);
  RUN(through_shared);
  RUN(scan);
  RUN(atomics);
  RUN(gather);
  RUN(widths);
  RUN(constants);
  RUN(async);
  RUN(matrix);
  RUN(stride_loop);
  RUN(named);
  RUN(bulk);
}
