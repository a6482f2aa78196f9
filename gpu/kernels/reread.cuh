// Reads a region again and again. A row is what one load of all threads of a CTA covers (of the whole grid, where CTAs
// take turns); a thread reads `blocks` times kUnroll rows with independent loads, then what is left row by row.
#pragma once

#include "load.cuh"

namespace tilescope::gpu {

// CTA i begins at byte i % begins * begin_pitch of `data`. `reach` and `row_stride` are bytes: a thread's rows lie
// row_stride apart and end before byte `reach` of its CTA's (or the grid's) region.
struct RereadShape {
  int begins;
  long long begin_pitch;
  bool reach_from_begin;  // the region begins where the CTA does; otherwise all CTAs share one
  long long reach;
  long long row_stride;
  int blocks;
  int passes;
};

// One CTA per SM is all the bounds ask for: otherwise the compiler holds fewer loads in flight to save registers.
template <class T, bool kCached, int kUnroll>
__global__ void __launch_bounds__(1024)
    reread(const char* __restrict__ data, double* __restrict__ out, RereadShape shape, float keep_from) {
  const char* const begin = data + blockIdx.x % shape.begins * shape.begin_pitch;
  const char* const first = begin + threadIdx.x * sizeof(T);
  const char* const end = (shape.reach_from_begin ? begin : data) + shape.reach;
  float sum = 0.0f;
  for (int pass = 0; pass < shape.passes; ++pass) {
    const char* at = first;
#pragma unroll 1
    for (int block = 0; block < shape.blocks; ++block) {
      T value[kUnroll];
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        value[i] = load<kCached>(reinterpret_cast<const T*>(at + i * shape.row_stride));
      }
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        add_words(sum, value[i]);
      }
      at += kUnroll * shape.row_stride;
    }
#pragma unroll 1
    for (; at < end; at += shape.row_stride) {
      add_words(sum, load<kCached>(reinterpret_cast<const T*>(at)));
    }
  }
  if (sum >= keep_from) {
    atomicAdd(out, static_cast<double>(sum));
  }
}

}  // namespace tilescope::gpu
