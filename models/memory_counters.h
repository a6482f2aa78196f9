// What the chip behind the SMs counts: L2, the fabric between its partitions, and HBM. Names and units of the published
// metrics are in sim/results/metrics.h.
#pragma once

#include <cstdint>

namespace tilescope {

struct L2Counters {
  std::uint64_t read_sectors = 0, read_hit_sectors = 0;      // asked for by SMs
  std::uint64_t write_sectors = 0;                           // written by SMs
  std::uint64_t fabric_write_sectors = 0;                    // of these, passed on to the other partition
  std::uint64_t fabric_sectors = 0, fabric_hit_sectors = 0;  // asked for or written by the other partition
  std::uint64_t atomic_sectors = 0, reduction_sectors = 0;   // of atomics that SMs sent
  std::uint64_t evicted_dirty_sectors = 0;
  std::uint64_t completed_sectors = 0;  // written in part, fetched before they were written back
};

struct HbmCounters {
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t row_hits = 0;
  std::uint64_t row_misses = 0;
};

struct MemoryCounters {
  L2Counters l2;
  HbmCounters hbm;

  MemoryCounters& operator+=(const MemoryCounters& other);
  MemoryCounters& operator-=(const MemoryCounters& other);
};

}  // namespace tilescope
