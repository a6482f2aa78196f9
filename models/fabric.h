// One direction of the fabric between the two L2 partitions: narrow lanes, eight for each slice of a partition, of
// some 2 bytes a clock of L2. Each sector, read or written, crosses on a lane of its own, on any of them whether or not
// it is busy.
//
// Source: gpu/microbench/home_rates.cu (gpu/measured/{h200,h100}/home_rates.csv), lines a cycle of the SMs. Where every
// line is far, 9.9 (H200) and 8.8 (H100) are read, 10.1 and 8.7 written, 4.7 and 4.2 copied: 4.9 to 5.0 and 4.2 to 4.4
// in each direction, 93 to 98 % of what the lanes carry together, as those that nobody has chosen stand idle. Where
// none is far, twice to three times as many are read, written and copied. Reductions of all SMs on one line come at
// 0.97 sectors a cycle (gpu/microbench/throughput_atomic.cu). Stores of all SMs to two pages of each partition, 16
// slices at most, come at 4.8 lines a cycle where they are far and at 9.2 to 9.6 where they are near (op=narrow): as
// over all memory half, so that what is far is not tied to its slice. How wide a lane is, and that any one is taken,
// shows in what far lines that L2 has wait (gpu/microbench/far_waits.cu): loads of four take 509 cycles at 213 B/cycle
// and 513, 538, 612 and 744 at 422, 805, 1,081 and 1,237, and at 1,081 nearly all wait long, from +53 at the 10th to
// +280 cycles at the 99th percentile. A few wide ports have most wait little and a few long, and lanes that are chosen
// by how busy they are have hardly any wait. Of lanes twice as wide, lines of device memory, which come one by one,
// would wait half as long as they do: far loads take 67 and 155 cycles longer than near ones, more than when nothing
// else is read, while 1,025 and 1,186 B/cycle of them come (gpu/microbench/read_waits.cu).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/calendar.h"
#include "models/gpu_spec.h"
#include "models/port.h"
#include "models/support/bit_mixer.h"
#include "models/support/units.h"

namespace tilescope {

class FabricLink {
 public:
  static constexpr std::int64_t kLanesOfSlice = 8;

  // `floor`: of its calendars.
  explicit FabricLink(const GpuSpec& gpu, const CalendarFloor* floor = nullptr)
      : lanes_(static_cast<std::size_t>(kLanesOfSlice * gpu.l2.slices / gpu.l2.partitions), Calendar(floor)),
        transfer_(to_ticks_down(kSectorBytes * static_cast<double>(lanes_.size()) / gpu.fabric.bytes_per_cycle)),
        latency_(to_ticks(gpu.fabric.latency_cycles)) {}

  // A request without data, of which there is always room for one more: when it is on the other side.
  Tick pass(Tick now) const { return now + latency_; }
  // When what is somewhere on the other side by `there` would be so if the way took no time.
  Tick without_way(Tick there) const { return there - latency_; }
  // What sectors take when nobody else crosses, the way left out.
  Tick least() const { return transfer_; }
  // Sectors: when the last is on the other side.
  Tick accept(LineAddress line, SectorMask sectors, Tick now) {
    std::uint64_t chance = mix_bits(line.number() ^ static_cast<std::uint64_t>(now.count()) << 32U);
    Tick last = now;
    for (unsigned left = sectors.count(); left > 0; --left) {
      last = std::max(last, lanes_[scale_to(chance, lanes_.size())].take(now, transfer_));
      chance = mix_bits(chance);
    }
    return last + latency_;
  }

 private:
  std::vector<Calendar> lanes_;
  Tick transfer_;  // of a sector
  Tick latency_;
};
static_assert(WritePort<FabricLink>);

}  // namespace tilescope
