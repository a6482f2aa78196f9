// Runs the kernels of calls.cu once each and writes what they leave: NAME.bin.
#include <cstdio>
#include <vector>

#include "calls.cu"
int main() {
  const int words = 16384;
  std::vector<int> in(words), out(words);
  unsigned x = 12345;
  for (int& v : in) {
    x = x * 1664525u + 1013904223u;
    v = (int)(x >> 1);
  }
  int *a, *b;
  cudaMalloc(&a, words * 4);
  cudaMalloc(&b, words * 4);
  cudaMemcpy(b, in.data(), words * 4, cudaMemcpyHostToDevice);
#define RUN(k)                                                                       \
  {                                                                                  \
    cudaMemset(a, 0, words * 4);                                                     \
    k<<<2, 128>>>(a, b, 256);                                                        \
    cudaError_t e = cudaDeviceSynchronize();                                         \
    cudaMemcpy(out.data(), a, words * 4, cudaMemcpyDeviceToHost);                    \
    unsigned long long hash = 0xcbf29ce484222325ull;                                 \
    const unsigned char* bytes = (const unsigned char*)out.data();                   \
    for (int i = 0; i < 4 * words; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3ull; \
    printf("%s %016llx %s\n", #k, hash, cudaGetErrorString(e));                      \
  }
  RUN(straight);
  RUN(divergent);
  RUN(recursive);
  RUN(mutual);
  RUN(virtual_calls);
  RUN(from_constant);
  RUN(from_global);
  RUN(variables);
  RUN(asserts);
  RUN(never_prints);
  RUN(prints);
}
