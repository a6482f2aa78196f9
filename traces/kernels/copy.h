// dst[i] = src[i] with four independent loads per thread, and its strided sibling: lane l of warp w reads the first
// word of element (32 w + l) * stride. A CTA's elements end where the array ends; threads beyond it are switched off,
// and of copy's warps those without a fourth element leave before it.
#pragma once

#include "traces/kernels/generated_kernel.h"

namespace tilescope {

struct CopySpec {
  const char* name = "copy";
  std::int64_t elements = 1 << 20;  // of `width` bytes
  std::int64_t width = 16;          // byte per element: 4, 8, 16; of a strided one only the first word is read
  std::int64_t stride = 1;          // elements between neighbouring lanes
  std::int64_t threads = 256;       // per CTA
  bool store = true;                // false: read only
};

class Copy final : public GeneratedKernel {
 public:
  static constexpr int kUnroll = 4;
  explicit Copy(const CopySpec& spec);

 private:
  std::int64_t per_cta() const { return spec_.threads * kUnroll; }
  CtaPlace place(std::int64_t cta) const override;
  bool step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;
  // Elements of the CTA, which is shorter in the ragged shape.
  std::int64_t elements_of(int shape) const;

  CopySpec spec_;
  std::uint64_t from_, to_;
};

}  // namespace tilescope
