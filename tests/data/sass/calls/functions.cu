#include "functions.cuh"

__device__ __noinline__ int triple_plus(int x, int y) { return 3 * x + y; }

__device__ __noinline__ int count_down(int n, int* steps) {
  int mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = n * i;
  ++*steps;
  if (n <= 0) return 1;
  const int below = count_down(n - 1, steps);
  return below + mine[below & 7];
}

__device__ __noinline__ int even_steps(int n) { return n == 0 ? 5 : 2 * odd_steps(n - 1) + 1; }
__device__ __noinline__ int odd_steps(int n) { return n == 0 ? 3 : 3 * even_steps(n - 1) - 1; }

__device__ __noinline__ int Square::area() const { return edge * edge; }
__device__ __noinline__ int Round::area() const { return 3 * edge * edge + 1; }

__device__ __noinline__ int add_seven(int x) { return x + 7; }
__device__ __noinline__ int times_nine(int x) { return x * 9; }
__device__ __noinline__ int half_of(int x) { return x >> 1; }
__device__ __noinline__ int negative(int x) { return -x; }
