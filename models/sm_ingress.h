// The ways into SMs, for what they read from L2. Many slices have lines for an SM, and which of them the crossbar takes
// next does not follow their age: what finds others waiting comes later than in order of arrival, and leaves its turn
// to those behind it.
//
// Source: SMs of a GPC that read the same lines in the same order as fast as they can, and begin together, part within
// a few hundred loads: with 32 warps of four loads each, 2, 8 and 18 SMs of an H100 get 1.03, 1.07 and 1.57 lines for
// each that L2 is asked for (gpu/microbench/counted_followers.cu), and an H200's 8 and 18 read 656 and 1,035 B/cycle in
// their second pass, where a GPC gets 640 of lines that nobody shares (pass_times.cu). In order of arrival they stay in
// step for ever, and one request serves four. Within an SM the warps part, too: the first and the last are 5,000 and
// 24,000 cycles apart after two and 21 passes of 137,000.
#pragma once

#include <cstdint>
#include <vector>

#include "models/calendar.h"
#include "models/gpu_spec.h"
#include "models/support/bit_mixer.h"
#include "models/support/units.h"

namespace tilescope {

class SmIngress {
 public:
  // `floor`: of its calendars.
  SmIngress(const GpuSpec& gpu, const CalendarFloor* floor)
      : ways_(static_cast<std::size_t>(gpu.sm.count()), Calendar(floor)),
        bytes_per_cycle_(gpu.crossbar.sm_read_bytes_per_cycle),
        disorder_(static_cast<std::uint64_t>(gpu.crossbar.sm_read_disorder * kUnit)) {}

  // Sectors of a line that come to the SM's way in at `now`: when the last has passed.
  Tick accept(std::size_t sm, LineAddress line, SectorMask sectors, Tick now) {
    return ways_[sm].take(now + passed_over(sm, line, now), time_of(sectors, bytes_per_cycle_));
  }
  // The same of a bulk copy, whose lines come at `bytes_per_cycle`, in order.
  Tick accept_bulk(std::size_t sm, SectorMask sectors, std::int64_t bytes_per_cycle, Tick now) {
    return ways_[sm].take(now, time_of(sectors, bytes_per_cycle));
  }

 private:
  static constexpr std::uint64_t kUnit = 256;  // of disorder_

  static Tick time_of(SectorMask sectors, std::int64_t bytes_per_cycle) {
    return sectors.bytes() * kCycle / bytes_per_cycle;
  }
  // How long others are taken before what comes at `now`, beside those in front of it.
  Tick passed_over(std::size_t sm, LineAddress line, Tick now) const {
    const Tick waits = ways_[sm].backlog(now);
    if (waits == Tick() || disorder_ == 0) return {};
    const std::uint64_t chance =
        mix_bits(mix_bits(line.number() ^ sm << 40U) + static_cast<std::uint64_t>(now.count()));
    return Tick(
        static_cast<std::int64_t>(scale_to(chance, static_cast<std::uint64_t>(waits.count()) * disorder_ / kUnit + 1)));
  }

  std::vector<Calendar> ways_;  // of the SMs
  std::int64_t bytes_per_cycle_;
  std::uint64_t disorder_;  // kUnit: as much as is known to wait
};

}  // namespace tilescope
