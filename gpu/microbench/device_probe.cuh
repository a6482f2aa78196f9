// What a kernel needs to ask the hardware about itself, and how a launch is confined to chosen SMs.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../common/device.h"
#include "../common/flush.h"
#include "../common/hopper.cuh"

namespace tilescope::gpu {

// A CTA with this much dynamic shared memory has an SM to itself (228 KB an SM), and takes the L1 cache's room with it.
constexpr int kOneCtaPerSm = 120 * 1024;

__device__ inline unsigned clock_now() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
// The same, surely read into a register of the lane. The assembler may read clock_now() into a uniform register, which
// takes longer. `lane` is of any value but all ones, which the compiler does not know.
__device__ inline unsigned clock_now(unsigned lane) {
  unsigned t;
  asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0xffffffff; @p mov.u32 %0, %%clock;}"
               : "=r"(t)
               : "r"(lane)
               : "memory");
  return t;
}
__device__ inline long long clock64_now() {
  long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}
__device__ inline long long globaltimer_now() {
  long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}
// The sum of what one load of 16 bytes through the read-only path brings.
__device__ inline float sum_of_four(const float* from) {
  float4 v;
  asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(from)
               : "memory");
  return v.x + v.y + (v.z + v.w);
}
// Cycles of an atomic that changes nothing; lines near the SM take less than far ones.
__device__ inline unsigned timed_atomic(unsigned* word) {
  unsigned value;
  const unsigned start = clock_now();
  asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(value) : "l"(word) : "memory");
  return clock_now(value) - start;
}
__device__ inline int sm_id() {
  int id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

// Waits for all CTAs of the launch, which have room on the GPU together; returns the rank of this one among those of
// its SM. `ctas_of_sm`, of all SMs, and `here` count from zero. Called by all threads of the CTA.
__device__ inline int begin_together(int* ctas_of_sm, int* here) {
  __shared__ int rank;
  if (threadIdx.x == 0) {
    rank = atomicAdd(&ctas_of_sm[sm_id()], 1);
    atomicAdd(here, 1);
    while (atomicAdd(here, 0) < static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
  return rank;
}

// The rank of this CTA among the first `wanted` that came to SM `sm`, or -1: then the CTA has nothing to do. `claims`
// counts from zero. Called by all threads of the CTA. Launch a few CTAs per SM so that the chosen one surely gets its
// share.
__device__ inline int claim_sm(int sm, int wanted, int* claims) {
  __shared__ int rank;
  if (threadIdx.x == 0) {
    rank = sm_id() == sm ? atomicAdd(claims, 1) : -1;
  }
  __syncthreads();
  return rank < wanted ? rank : -1;
}

// From the first start to the last stop of a CTA's warps. Lies in shared memory; called by all threads of the CTA.
struct Span {
  unsigned first;
  unsigned last;
};
__device__ inline void begin_span(Span& span) {
  span.first = 0xffffffffU;
  span.last = 0;
  __syncthreads();
}
__device__ inline void end_span(Span& span, unsigned start, unsigned stop, int* cycles) {
  atomicMin(&span.first, start);
  atomicMax(&span.last, stop);
  __syncthreads();
  if (threadIdx.x == 0) {
    *cycles = static_cast<int>(span.last - span.first);
  }
}

// Device memory that a launch fills and the host reads afterwards.
template <class T>
class Recorder {
 public:
  explicit Recorder(std::size_t count) : buffer_(count) { clear(); }
  explicit Recorder(const std::vector<T>& values) : buffer_(values.size()) {
    check(cudaMemcpy(buffer_.data(), values.data(), buffer_.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  void clear() { check(cudaMemset(buffer_.data(), 0, buffer_.bytes()), "cudaMemset"); }
  T* device() const { return buffer_.data(); }
  std::vector<T> host() const {
    std::vector<T> result(buffer_.count());
    check(cudaMemcpy(result.data(), buffer_.data(), buffer_.bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return result;
  }

 private:
  DeviceBuffer<T> buffer_;
};

inline int sm_count() { return multiprocessors(); }

inline void finish(const char* what) {
  check(cudaGetLastError(), what);
  check(cudaDeviceSynchronize(), what);
}

}  // namespace tilescope::gpu
