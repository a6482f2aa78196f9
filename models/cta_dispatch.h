// Which CTA goes where, and when. The first CTAs go one to an SM, in the order of the GPCs, then a second to each,
// until the SMs are full; after that whichever SM frees a slot first takes the next CTA. Source: order and delays
// measured on an H200, tests/data/cta_timeline_tiled32_2048.csv.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/units.h"

namespace tilescope {

class CtaDispatch {
 public:
  struct Placement {
    std::int64_t cta = 0;
    int sm = 0;
    Cycle start = 0;
  };

  CtaDispatch(const LaunchSpec& spec, std::int64_t ctas) : spec_(spec), ctas_(ctas) {}

  std::int64_t remaining() const { return ctas_ - next_; }

  // The first wave, for `sms` empty SMs with `slots` places each.
  std::vector<Placement> first_wave(int sms, int slots) {
    std::vector<Placement> placements;
    for (int slot = 0; slot < slots; ++slot)
      for (int sm = 0; sm < sms && next_ < ctas_; ++sm)
        placements.push_back({next_, sm, std::llround(static_cast<double>(next_) * spec_.cta_interval_cycles)}),
            ++next_;
    dispatched_ = static_cast<double>(next_) * spec_.cta_interval_cycles;
    return placements;
  }

  // The successor of a CTA that left a slot of `sm` at `end`. REQUIRES: remaining() > 0; `end` does not decrease.
  Placement replace(int sm, Cycle end) {
    dispatched_ = std::max(static_cast<double>(end), dispatched_ + spec_.cta_interval_cycles);
    return {next_++, sm, std::llround(dispatched_) + spec_.cta_launch_cycles};
  }

 private:
  LaunchSpec spec_;
  std::int64_t ctas_;
  std::int64_t next_ = 0;
  double dispatched_ = 0;  // when the last CTA was sent off
};

}  // namespace tilescope
