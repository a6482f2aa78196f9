// The ports through which a GPC gets what it reads from the L2 partition beside it. Four slices share one, of 16.5
// bytes a clock of L2 for each of them.
//
// What the ports carry together is fitted. SMs of one GPC that read lines in order get 16 bytes a clock of each slice
// on an H100 (547 B/cycle) and 15.7 on an H200 (637; bandwidth, of=one_gpc), and here 4 % less than all ports carry, as
// they wait for the fullest one. Hardware loads its ports more evenly, or loses as little for another reason.
//
// Source: while eight SMs of an H100's GPC read as fast as they can (548 B/cycle), a lone load of one of their warps
// takes 382 cycles in the median, 82 more than while nothing else is read, but one in twenty 901 and more, and 454 in
// the mean (gpu/microbench/port_waits.cu): some queues are long and others empty, so that the GPC has many ports and
// not one. A port of one slice would be too narrow: a line and its neighbour, which share a slice, take 0.9 cycles more
// than the line, and sixteen lines of four slices 6 more than lines of sixteen pages. How many of two to sixteen slices
// share one is assumed.
#pragma once

#include <array>
#include <vector>

#include "models/address_hash.h"
#include "models/calendar.h"
#include "models/gpu_spec.h"
#include "models/port.h"

namespace tilescope {

class GpcPorts {  // of one GPC
 public:
  static constexpr std::size_t kSlicesOfPort = 4;

  // `hash` outlives it. `floor`: of its calendars.
  GpcPorts(const GpuSpec& gpu, const AddressHash& hash, const CalendarFloor* floor = nullptr) : hash_(hash) {
    const auto slices = static_cast<std::size_t>(gpu.l2.slices / gpu.l2.partitions);
    ports_.assign((slices + kSlicesOfPort - 1) / kSlicesOfPort, Calendar(floor));
    const double cycles_per_byte = static_cast<double>(slices) / static_cast<double>(kSlicesOfPort) /
                                   static_cast<double>(gpu.crossbar.gpc_read_bytes_per_cycle);
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
  std::size_t port(LineAddress line) const { return hash_.slice(line) / kSlicesOfPort; }

  const AddressHash& hash_;
  std::array<Tick, kSectorsPerLine + 1> transfer_{};  // by number of sectors
  std::vector<Calendar> ports_;
};
static_assert(WritePort<GpcPorts>);

}  // namespace tilescope
