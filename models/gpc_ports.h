// The ports through which a GPC gets what it reads from the L2 partition beside it. Four slices share one, of 16 bytes
// a clock of L2 for each of them, as they share their port into the fabric.
//
// Source: while eight SMs of an H100's GPC read as fast as they can (548 B/cycle), a lone load of one of their warps
// takes 382 cycles in the median, 82 more than while nothing else is read, but one in twenty 901 and more, and 454 in
// the mean (gpu/microbench/port_waits.cu): some queues are long and others empty, so that the GPC has many ports and
// not one. A port of one slice would be too narrow: a line and its neighbour, which share a slice, take 0.9 cycles more
// than the line, and sixteen lines of four slices 6 more than lines of sixteen pages. How many of two to sixteen slices
// share one is assumed.
#pragma once

#include "models/slice_ports.h"

namespace tilescope {

class GpcPorts : public SlicePorts {  // of one GPC
 public:
  static constexpr std::size_t kSlicesOfPort = 4;

  // `hash` outlives it. `floor`: of its calendars.
  GpcPorts(const GpuSpec& gpu, const AddressHash& hash, const CalendarFloor* floor = nullptr)
      : SlicePorts(gpu, hash, kSlicesOfPort, static_cast<double>(gpu.crossbar.gpc_read_bytes_per_cycle), floor) {}
};

}  // namespace tilescope
