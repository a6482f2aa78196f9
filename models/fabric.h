// One direction of the fabric between the two L2 partitions: a latency, and a bandwidth that data share.
#pragma once

#include <array>

#include "models/calendar.h"
#include "models/gpu_spec.h"
#include "models/port.h"

namespace tilescope {

class FabricLink {
 public:
  // `floor`: of its calendar.
  explicit FabricLink(const FabricSpec& spec, const CalendarFloor* floor = nullptr)
      : latency_(to_ticks(spec.latency_cycles)), bus_(floor) {
    const double cycles_per_byte = 1 / spec.bytes_per_cycle;
    for (std::size_t s = 0; s < transfer_.size(); ++s)
      transfer_[s] = to_ticks_down(static_cast<double>(s * kSectorBytes) * cycles_per_byte);
  }

  // A request without data, of which there is always room for one more: when it is on the other side.
  Tick pass(Tick now) const { return now + latency_; }
  // Sectors: when the last is on the other side.
  Tick accept(LineAddress, SectorMask sectors, Tick now) {
    return bus_.take(now, transfer_[sectors.count()]) + latency_;
  }

 private:
  Tick latency_;
  std::array<Tick, kSectorsPerLine + 1> transfer_{};  // by number of sectors
  Calendar bus_;
};
static_assert(WritePort<FabricLink>);

}  // namespace tilescope
