#include "sim/engine/sm_counters.h"

namespace tilescope {
namespace {

// apply(mine, other) for each counter and the other's.
template <class Apply>
void with_each(WorkCounters& mine, const WorkCounters& other, Apply apply) {
  for (std::size_t i = 0; i < mine.access.size(); ++i) {
    AccessCounters& m = mine.access[i];
    const AccessCounters& o = other.access[i];
    apply(m.requests, o.requests);
    apply(m.sectors, o.sectors);
    apply(m.hit_sectors, o.hit_sectors);
    apply(m.wavefronts, o.wavefronts);
    apply(m.ideal, o.ideal);
  }
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

InstructionCounters& InstructionCounters::operator+=(const InstructionCounters& other) {
  WorkCounters::operator+=(other);
  executed += other.executed;
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
