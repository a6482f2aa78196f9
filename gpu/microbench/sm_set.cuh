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

}  // namespace tilescope::gpu
