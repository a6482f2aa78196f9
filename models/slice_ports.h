// Ports between the slices of an L2 partition and one other place. A few slices share a port, which takes its part of
// what all ports carry together.
#pragma once

#include <array>
#include <vector>

#include "models/address_hash.h"
#include "models/calendar.h"
#include "models/gpu_spec.h"
#include "models/port.h"

namespace tilescope {

class SlicePorts {
 public:
  // `slices_of_port` share a port. `bytes_per_cycle` of all ports together. `hash` outlives this. `floor`: of its
  // calendars.
  SlicePorts(const GpuSpec& gpu, const AddressHash& hash, std::size_t slices_of_port, double bytes_per_cycle,
             const CalendarFloor* floor = nullptr)
      : hash_(hash), slices_of_port_(slices_of_port) {
    const auto slices = static_cast<std::size_t>(gpu.l2.slices / gpu.l2.partitions);
    ports_.assign((slices + slices_of_port - 1) / slices_of_port, Calendar(floor));
    const double cycles_per_byte = static_cast<double>(slices) / static_cast<double>(slices_of_port) / bytes_per_cycle;
    for (std::size_t s = 0; s < transfer_.size(); ++s)
      transfer_[s] = to_ticks_down(static_cast<double>(s * kSectorBytes) * cycles_per_byte);
  }

  // What sectors take of a port.
  Tick least(SectorMask sectors) const { return transfer_[sectors.count()]; }
  // Sectors that come to their port at `now`: when the last has passed.
  Tick accept(LineAddress line, SectorMask sectors, Tick now) {
    return ports_[port(line)].take(now, transfer_[sectors.count()]);
  }
  // How long what comes to the line's port at `now` waits for others, as far as that is known.
  Tick backlog(LineAddress line, Tick now) const { return ports_[port(line)].backlog(now); }

 private:
  std::size_t port(LineAddress line) const { return hash_.slice(line) / slices_of_port_; }

  const AddressHash& hash_;
  std::size_t slices_of_port_;
  std::array<Tick, kSectorsPerLine + 1> transfer_{};  // by number of sectors
  std::vector<Calendar> ports_;
};
static_assert(WritePort<SlicePorts>);

}  // namespace tilescope
