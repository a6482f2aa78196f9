// One direction of the fabric between the two L2 partitions. Two slices share a port into it, which carries what is
// read and what is written, 16 bytes a clock of L2 for each of them.
//
// Source: gpu/microbench/home_rates.cu (gpu/measured/{h200,h100}/home_rates.csv), lines a cycle of the SMs. Where every
// line is far, 9.9 (H200) and 8.8 (H100) are read, 10.1 and 8.7 written, 4.7 and 4.2 copied: 4.9 to 5.0 and 4.2 to 4.4
// in each direction, of 5.06 and 4.27. Where none is far, twice to three times as many are read, written and copied.
// Reductions of all SMs on one line come at 0.97 sectors a cycle (gpu/microbench/throughput_atomic.cu), for which the
// port of one slice would be too narrow. Stores of all SMs to two pages of each partition, 16 slices at most, come
// at 4.8 lines a cycle where they are far and at 9.2 to 9.6 where they are near (op=narrow): as over all memory half,
// so that no port serves many more slices than these. How many of up to 16 share one is set by what far lines of device
// memory wait for (order=other of gpu/microbench/load_curve.cu): 88 and 304 cycles more at 973 and 1,219 B/cycle than
// at 530, which two come nearer to than four.
#pragma once

#include "models/slice_ports.h"

namespace tilescope {

class FabricLink {
 public:
  static constexpr std::size_t kSlicesOfPort = 2;

  // `hash` outlives it. `floor`: of its calendars.
  FabricLink(const GpuSpec& gpu, const AddressHash& hash, const CalendarFloor* floor = nullptr)
      : ports_(gpu, hash, kSlicesOfPort, gpu.fabric.bytes_per_cycle, floor),
        latency_(to_ticks(gpu.fabric.latency_cycles)) {}

  // A request without data, of which there is always room for one more: when it is on the other side.
  Tick pass(Tick now) const { return now + latency_; }
  // When what is somewhere on the other side by `there` would be so if the way took no time.
  Tick without_way(Tick there) const { return there - latency_; }
  // What sectors take of a port.
  Tick least(SectorMask sectors) const { return ports_.least(sectors); }
  // Sectors: when the last is on the other side.
  Tick accept(LineAddress line, SectorMask sectors, Tick now) { return ports_.accept(line, sectors, now) + latency_; }

 private:
  SlicePorts ports_;
  Tick latency_;
};
static_assert(WritePort<FabricLink>);

}  // namespace tilescope
