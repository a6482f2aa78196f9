#include "clock.h"
#include "device.h"

namespace tilescope::gpu {
namespace {

__device__ long long now_ns() {
  long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

// globaltimer moves in steps: both readings of the clock are taken right behind a step.
__global__ void clock_against_timer(long long* cycles_and_ns) {
  constexpr long long kSpan = 500'000;
  const long long before = now_ns();
  long long begin = before;
  while (begin == before) {
    begin = now_ns();
  }
  const long long first = clock64();
  long long end = begin;
  while (end - begin < kSpan) {
    end = now_ns();
  }
  const long long last = clock64();
  cycles_and_ns[0] = last - first;
  cycles_and_ns[1] = end - begin;
}

}  // namespace

double sm_clock_mhz() {
  const DeviceBuffer<long long> seen(2);
  clock_against_timer<<<1, 1>>>(seen.data());
  check(cudaGetLastError(), "clock_against_timer");
  long long host[2] = {};
  check(cudaMemcpy(host, seen.data(), sizeof host, cudaMemcpyDeviceToHost), "clock_against_timer");
  return 1e3 * static_cast<double>(host[0]) / static_cast<double>(host[1]);
}

}  // namespace tilescope::gpu
