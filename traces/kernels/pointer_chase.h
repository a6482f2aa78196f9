// One lane follows a chain of pointers: every load waits for the one before. The classic measurement of latency against
// working set: element i of the chain lies at i * stride, and the chain begins again after bytes / stride elements.
//
// Code: instruction by instruction as nvcc 13.0 -O3 makes it for sm_90 from gpu/kernels/pointer_chase.cuh, eight loads
// to a pass of the loop, then single ones.
#pragma once

#include "traces/kernels/generated_kernel.h"

namespace tilescope {

struct PointerChaseSpec {
  std::int64_t bytes = 1 << 20;  // working set
  std::int64_t stride = 128;     // between elements; a multiple of 8
  std::int64_t steps = 4096;     // loads
  bool cached = true;            // false: the loads bypass L1
};

class PointerChase final : public GeneratedKernel {
 public:
  static constexpr int kUnroll = 8;
  // REQUIRES: bytes >= stride.
  explicit PointerChase(const PointerChaseSpec& spec);

 private:
  void write(CodeBuilder& code);
  CtaPlace place(std::int64_t) const override { return {}; }
  bool step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  PointerChaseSpec spec_;
  std::int64_t elements_;
  std::uint64_t buffer_, result_;
  int first_wrapped_ = 0;  // section of the eight loads of which the first is the chain's last
};

}  // namespace tilescope
