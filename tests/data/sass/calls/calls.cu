// Kernels whose instructions name functions and variables of the module: calls, recursion, virtual functions, tables of
// functions, assertions, printf. Each thread reads in[t] and writes where what it computed says: addresses depend on
// it.
#include <cassert>
#include <cstdio>

#include "functions.cuh"

__constant__ Step constant_steps[4] = {add_seven, times_nine, half_of, negative};
__device__ Step global_steps[4] = {negative, half_of, times_nine, add_seven};
__constant__ int weights[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ int places[64] = {9, 2, 7, 4, 1, 8, 5, 6, 3, 0, 11, 14, 13, 10, 15, 12};
__device__ int* first_place = &places[1];
__device__ int spare[256];
__device__ int tickets;

__device__ inline int thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
// Word 0 of each 16 byte belongs to the thread, the others to whoever computed them.
__device__ inline void put(int* out, int t, int value) { out[16 * t + (value & 15)] = value; }

extern "C" __global__ void straight(int* out, const int* in, int n) {
  const int t = thread();
  put(out, t, triple_plus(in[t] & 1023, n));
}

extern "C" __global__ void divergent(int* out, const int* in, int n) {
  const int t = thread();
  int value = in[t] & 1023;
  if (value & 1) value = triple_plus(value, t);
  for (int i = 0; i < (t & 3); ++i) value = add_seven(triple_plus(value, i));
  put(out, t, value + n);
}

extern "C" __global__ void recursive(int* out, const int* in, int n) {
  const int t = thread();
  int steps = 0;
  const int value = count_down(3 + ((t >> 4) & 1) + (in[0] & 1), &steps);
  put(out, t, value + steps + n);
}

extern "C" __global__ void mutual(int* out, const int*, int n) {
  const int t = thread();
  put(out, t, even_steps(2 + 2 * (t & 1)) + n);
}

extern "C" __global__ void virtual_calls(int* out, const int* in, int n) {
  const int t = thread();
  Square square(in[t] & 15);
  Round round(t & 31);
  Shape* const shape = (in[t] & 16) ? static_cast<Shape*>(&square) : &round;
  put(out, t, shape->area() + shape->corners() + n);
}

extern "C" __global__ void from_constant(int* out, const int* in, int n) {
  const int t = thread();
  put(out, t, constant_steps[in[t] & 3](in[t] & 4095) + weights[in[t] & 15] + n);
}

extern "C" __global__ void from_global(int* out, const int* in, int n) {
  const int t = thread();
  put(out, t, global_steps[(t >> 3) & 3](in[t] & 4095) + n);
}

extern "C" __global__ void variables(int* out, const int* in, int n) {
  const int t = thread();
  spare[t & 255] = first_place[in[t] & 7];
  __syncthreads();
  put(out, t, spare[t & 255] + places[(in[t] >> 3) & 15] + n);
  if (n < 0) atomicAdd(&tickets, 1);
}

extern "C" __global__ void asserts(int* out, const int* in, int n) {
  const int t = thread();
  const int value = in[t] & 255;
  assert(value < n);
  put(out, t, value);
}

extern "C" __global__ void never_prints(int* out, const int* in, int n) {
  const int t = thread();
  const int value = in[t] & 255;
  if (value > n) printf("%d is too large, by %d\n", value, value - n);
  put(out, t, value + n);
}

extern "C" __global__ void prints(int* out, const int* in, int n) {
  const int t = thread();
  const int value = in[t] & 255;
  if (t == 5) printf("thread %d has %d\n", t, value);
  put(out, t, value + n);
}

extern "C" __global__ void fails(int* out, const int* in, int n) {
  const int t = thread();
  assert(in[t] >= 0 && t + n != 300);
  put(out, t, n);
}

extern "C" __global__ void allocates(int* out, const int* in, int n) {
  const int t = thread();
  int* const mine = static_cast<int*>(malloc(64));
  for (int i = 0; i < 16; ++i) mine[i] = in[t] + i;
  put(out, t, mine[n & 15]);
  free(mine);
}

#ifndef SEPARATE
#include "functions.cu"
#endif
