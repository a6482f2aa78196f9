#include "sim/engine/sm_counters.h"

namespace tilescope {
namespace {

// apply(mine, other) for each counter and the other's.
template <class Apply>
void with_accesses(WorkCounters& mine, const WorkCounters& other, Apply apply) {
  for (std::size_t i = 0; i < mine.access.size(); ++i) {
    AccessCounters& m = mine.access[i];
    const AccessCounters& o = other.access[i];
    apply(m.requests, o.requests);
    apply(m.sectors, o.sectors);
    apply(m.hit_sectors, o.hit_sectors);
    apply(m.wavefronts, o.wavefronts);
    apply(m.ideal, o.ideal);
  }
}
template <class Apply>
void with_others(WorkCounters& mine, const WorkCounters& other, Apply apply) {
  apply(mine.fill_sectors, other.fill_sectors);
  apply(mine.joined_sectors, other.joined_sectors);
  apply(mine.partial_sectors, other.partial_sectors);
  apply(mine.tag_cycles, other.tag_cycles);
  apply(mine.data_wavefronts, other.data_wavefronts);
  apply(mine.operand_rows, other.operand_rows);
  for (std::size_t i = 0; i < mine.stall_cycles.size(); ++i) apply(mine.stall_cycles[i], other.stall_cycles[i]);
}

constexpr auto kAdd = [](std::uint64_t& a, std::uint64_t b) { a += b; };
constexpr auto kTakeAway = [](std::uint64_t& a, std::uint64_t b) { a -= b; };

}  // namespace

WorkCounters& WorkCounters::operator+=(const WorkCounters& other) {
  with_accesses(*this, other, kAdd);
  with_others(*this, other, kAdd);
  return *this;
}

WorkCounters& WorkCounters::operator-=(const WorkCounters& other) {
  with_accesses(*this, other, kTakeAway);
  with_others(*this, other, kTakeAway);
  return *this;
}

void WorkCounters::add_growth(const WorkCounters& before, const WorkCounters& after, bool accesses) {
  if (accesses) {
    with_accesses(*this, after, kAdd);
    with_accesses(*this, before, kTakeAway);
  }
  with_others(*this, after, kAdd);
  with_others(*this, before, kTakeAway);
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
