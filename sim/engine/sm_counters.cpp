#include "sim/engine/sm_counters.h"

namespace tilescope {

SmCounters& SmCounters::operator+=(const SmCounters& other) {
  for (std::size_t i = 0; i < instructions.size(); ++i) instructions[i] += other.instructions[i];
  shared_load_wavefronts += other.shared_load_wavefronts;
  shared_load_ideal += other.shared_load_ideal;
  shared_store_wavefronts += other.shared_store_wavefronts;
  shared_store_ideal += other.shared_store_ideal;
  global_load_requests += other.global_load_requests;
  global_load_sectors += other.global_load_sectors;
  global_load_hit_sectors += other.global_load_hit_sectors;
  global_store_requests += other.global_store_requests;
  global_store_sectors += other.global_store_sectors;
  fill_sectors += other.fill_sectors;
  tag_cycles += other.tag_cycles;
  data_wavefronts += other.data_wavefronts;
  warp_cycles += other.warp_cycles;
  active_cycles += other.active_cycles;
  ctas += other.ctas;
  for (std::size_t i = 0; i < stall_cycles.size(); ++i) stall_cycles[i] += other.stall_cycles[i];
  return *this;
}

}  // namespace tilescope
