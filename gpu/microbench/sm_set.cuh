// Some of the SMs, numbered by rank, for kernels that only these run.
#pragma once

#include <vector>

#include "device_probe.cuh"

namespace tilescope::gpu {

class SmSet {
 public:
  explicit SmSet(const std::vector<int>& sms) : ranks_(sm_count()), size_(static_cast<int>(sms.size())) {
    std::vector<int> ranks(sm_count(), -1);
    for (std::size_t i = 0; i < sms.size(); ++i) {
      ranks[sms[i]] = static_cast<int>(i);
    }
    check(cudaMemcpy(ranks_.device(), ranks.data(), ranks.size() * sizeof(int), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  // On the device, by SM: its place in the list, or -1.
  const int* ranks() const { return ranks_.device(); }
  int size() const { return size_; }

 private:
  Recorder<int> ranks_;
  int size_;
};

// When the `readers` SMs of a set begin together, by their clock, which is one for a GPC's SMs: some time after all of
// them have come. `here` and `agreed` are zero at first. Called by one thread of each SM.
__device__ inline long long agreed_start(int rank, int readers, int* here, unsigned long long* agreed) {
  atomicAdd(here, 1);
  if (rank == 0) {
    while (atomicAdd(here, 0) < readers) {
    }
    atomicExch(agreed, static_cast<unsigned long long>(clock64_now()) + 20000ULL);
  }
  unsigned long long told;
  do {
    told = atomicAdd(agreed, 0ULL);
  } while (told == 0);
  return static_cast<long long>(told);
}

}  // namespace tilescope::gpu
