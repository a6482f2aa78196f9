// Which CTA goes where, and when. The first CTAs go one to an SM, GPC after GPC, then a second to each, until the SMs
// are full; after that whichever SM frees a slot first takes the next CTA. Where fewer CTAs than SMs are left, the GPCs
// share them evenly: a TPC of each in turn, and the second SMs of TPCs only when every TPC has a CTA. Source: order and
// delays measured on an H200, tests/data/cta_timeline_tiled32_2048.csv; which SM ran which of 72, 128, 144, 160 and 256
// CTAs on an H100, of 8 to 300 on an H200 (gpu/measured/h200/cta_placement.csv). On both, the first eight CTAs go to
// four TPCs of one GPC that come before the GPCs: so do all CTAs of a launch that has no more. That they come first in
// larger launches, where it changes the numbers of CTAs only, is not modelled.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
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
    const bool few = ctas_ <= kFewCtas && gpcs.front() >= kFewCtas;
    for (int slot = 0; slot < slots; ++slot)
      for (const int sm : few ? neighbours(remaining()) : shared_out(gpcs, remaining())) {
        placements.push_back({next_, sm, std::llround(static_cast<double>(next_) * spec_.cta_interval_cycles)});
        ++next_;
      }
    dispatched_ = static_cast<double>(next_) * spec_.cta_interval_cycles;
    return placements;
  }

  // The same of a launch in clusters: the CTAs of one go to SMs of one GPC, in the order of the GPCs, as many as there
  // are places.
  std::vector<Placement> first_clusters(const std::vector<std::int64_t>& gpcs, int slots, const Launch& launch) {
    launch_ = launch;
    for (std::size_t g = 0; g < gpcs.size(); ++g)
      for (std::int64_t i = 0; i < gpcs[g]; ++i) gpc_of_.push_back(static_cast<int>(g)), free_.push_back(slots);
    std::vector<Placement> placements;
    for (bool placed = true; placed && next_ < ctas_;) {
      placed = false;
      for (int g = 0; g < static_cast<int>(gpcs.size()) && next_ < ctas_; ++g)
        while (next_ < ctas_ && place(g, slots, placements)) placed = true;
      --slots;
    }
    for (Placement& p : placements) p.start = std::llround(dispatched_), dispatched_ += spec_.cta_interval_cycles;
    return placements;
  }

  // What takes the place of a CTA of a cluster that left `sm` at `end`: a cluster, once a GPC has room for it.
  std::vector<Placement> replace_cluster(int sm, Cycle end) {
    std::vector<Placement> placements;
    ++free_[static_cast<std::size_t>(sm)];
    while (next_ < ctas_ && place(gpc_of_[static_cast<std::size_t>(sm)], 1, placements)) continue;
    for (Placement& p : placements) {
      dispatched_ = std::max(static_cast<double>(end), dispatched_ + spec_.cta_interval_cycles);
      p.start = std::llround(dispatched_) + spec_.cta_launch_cycles;
    }
    return placements;
  }

  // The successor of a CTA that left a slot of `sm` at `end`. REQUIRES: remaining() > 0; `end` does not decrease.
  Placement replace(int sm, Cycle end) {
    dispatched_ = std::max(static_cast<double>(end), dispatched_ + spec_.cta_interval_cycles);
    return {next_++, sm, std::llround(dispatched_) + spec_.cta_launch_cycles};
  }

 private:
  static constexpr std::int64_t kFewCtas = 8;

  // SMs of the first GPC, TPC after TPC.
  static std::vector<int> neighbours(std::int64_t ctas) {
    std::vector<int> sms(static_cast<std::size_t>(ctas));
    std::iota(sms.begin(), sms.end(), 0);
    return sms;
  }

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

  // A cluster onto SMs of a GPC with at least `least` free places each: those with the most first.
  bool place(int gpc, int least, std::vector<Placement>& placements) {
    std::vector<int> sms;
    for (std::size_t sm = 0; sm < free_.size(); ++sm)
      for (int i = 0; gpc_of_[sm] == gpc && i + std::max(1, least) <= free_[sm]; ++i)
        sms.push_back(static_cast<int>(sm));
    const std::int64_t size = launch_.cluster.count();
    if (static_cast<std::int64_t>(sms.size()) < size) return false;
    const std::int64_t cluster = next_ / size;
    for (std::int64_t rank = 0; rank < size; ++rank) {
      const int sm = sms[static_cast<std::size_t>(rank)];
      --free_[static_cast<std::size_t>(sm)];
      placements.push_back({launch_.cta_at(cluster, rank), sm, 0});
      ++next_;
    }
    return true;
  }

  LaunchSpec spec_;
  Launch launch_;            // in clusters
  std::vector<int> gpc_of_;  // by SM
  std::vector<int> free_;    // places, by SM
  std::int64_t ctas_;
  std::int64_t next_ = 0;
  double dispatched_ = 0;  // when the last CTA was sent off
};

}  // namespace tilescope
