// Which CTA goes where, and when. The first CTAs go one to an SM, GPC after GPC, then a second to each, until the SMs
// are full; after that whichever SM frees a slot first takes the next CTA. Where fewer CTAs than SMs are left, the GPCs
// share them evenly: a TPC of each in turn, and the second SMs of TPCs only when every TPC has a CTA. Source: order and
// delays measured on an H200, tests/data/cta_timeline_tiled32_2048.csv; which SM ran which of 72, 128, 144, 160 and 256
// CTAs on an H100.
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

  // The first wave, for empty SMs with `slots` places each; gpcs: SMs of each GPC, numbered one GPC after the other.
  std::vector<Placement> first_wave(const std::vector<std::int64_t>& gpcs, int slots) {
    std::vector<Placement> placements;
    for (int slot = 0; slot < slots; ++slot)
      for (const int sm : shared_out(gpcs, remaining())) {
        placements.push_back({next_, sm, std::llround(static_cast<double>(next_) * spec_.cta_interval_cycles)});
        ++next_;
      }
    dispatched_ = static_cast<double>(next_) * spec_.cta_interval_cycles;
    return placements;
  }

  // The successor of a CTA that left a slot of `sm` at `end`. REQUIRES: remaining() > 0; `end` does not decrease.
  Placement replace(int sm, Cycle end) {
    dispatched_ = std::max(static_cast<double>(end), dispatched_ + spec_.cta_interval_cycles);
    return {next_++, sm, std::llround(dispatched_) + spec_.cta_launch_cycles};
  }

 private:
  static constexpr std::int64_t kSmsPerTpc = 2;

  // The SMs that `ctas` CTAs go to, one each, in the order of the CTAs.
  static std::vector<int> shared_out(const std::vector<std::int64_t>& gpcs, std::int64_t ctas) {
    std::vector<std::int64_t> share(gpcs.size(), 0);
    for (std::int64_t sms_of_tpc = 1; sms_of_tpc <= kSmsPerTpc; ++sms_of_tpc)
      for (bool dealt = true; dealt;) {
        dealt = false;
        for (std::size_t g = 0; g < gpcs.size() && ctas > 0; ++g)
          if (share[g] < (gpcs[g] * sms_of_tpc + kSmsPerTpc - 1) / kSmsPerTpc) ++share[g], --ctas, dealt = true;
      }
    std::vector<int> sms;
    std::int64_t first = 0;
    for (std::size_t g = 0; g < gpcs.size(); first += gpcs[g], ++g) {
      // Whole TPCs first: as many as leave one CTA for each of the others.
      const std::int64_t pairs = std::max<std::int64_t>(0, share[g] - (gpcs[g] + 1) / kSmsPerTpc);
      for (std::int64_t i = 0; i < share[g]; ++i)
        sms.push_back(static_cast<int>(first + (i < kSmsPerTpc * pairs ? i : kSmsPerTpc * (i - pairs))));
    }
    return sms;
  }

  LaunchSpec spec_;
  std::int64_t ctas_;
  std::int64_t next_ = 0;
  double dispatched_ = 0;  // when the last CTA was sent off
};

}  // namespace tilescope
