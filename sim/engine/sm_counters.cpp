#include "sim/engine/sm_counters.h"

namespace tilescope {
namespace {

// apply(mine, other) for each counter and the other's.
template <class Apply>
void with_each(WorkCounters& mine, const WorkCounters& other, Apply apply) {
  apply(mine.shared_load_wavefronts, other.shared_load_wavefronts);
  apply(mine.shared_load_ideal, other.shared_load_ideal);
  apply(mine.shared_store_wavefronts, other.shared_store_wavefronts);
  apply(mine.shared_store_ideal, other.shared_store_ideal);
  apply(mine.global_load_requests, other.global_load_requests);
  apply(mine.global_load_sectors, other.global_load_sectors);
  apply(mine.global_load_hit_sectors, other.global_load_hit_sectors);
  apply(mine.global_store_requests, other.global_store_requests);
  apply(mine.global_store_sectors, other.global_store_sectors);
  apply(mine.fill_sectors, other.fill_sectors);
  apply(mine.tag_cycles, other.tag_cycles);
  apply(mine.data_wavefronts, other.data_wavefronts);
  for (std::size_t i = 0; i < mine.stall_cycles.size(); ++i) apply(mine.stall_cycles[i], other.stall_cycles[i]);
}

}  // namespace

WorkCounters& WorkCounters::operator+=(const WorkCounters& other) {
  with_each(*this, other, [](std::uint64_t& a, std::uint64_t b) { a += b; });
  return *this;
}

WorkCounters& WorkCounters::operator-=(const WorkCounters& other) {
  with_each(*this, other, [](std::uint64_t& a, std::uint64_t b) { a -= b; });
  return *this;
}

SmCounters& SmCounters::operator+=(const SmCounters& other) {
  WorkCounters::operator+=(other);
  for (std::size_t i = 0; i < instructions.size(); ++i) instructions[i] += other.instructions[i];
  warp_cycles += other.warp_cycles;
  active_cycles += other.active_cycles;
  ctas += other.ctas;
  return *this;
}

}  // namespace tilescope
