#include "models/memory_counters.h"

namespace tilescope {
namespace {

// f(counter, other's) for each.
template <class F>
void pairwise(MemoryCounters& one, const MemoryCounters& other, F&& f) {
  f(one.l2.read_sectors, other.l2.read_sectors);
  f(one.l2.read_hit_sectors, other.l2.read_hit_sectors);
  f(one.l2.write_sectors, other.l2.write_sectors);
  f(one.l2.fabric_write_sectors, other.l2.fabric_write_sectors);
  f(one.l2.fabric_sectors, other.l2.fabric_sectors);
  f(one.l2.fabric_hit_sectors, other.l2.fabric_hit_sectors);
  f(one.l2.atomic_sectors, other.l2.atomic_sectors);
  f(one.l2.reduction_sectors, other.l2.reduction_sectors);
  f(one.l2.evicted_dirty_sectors, other.l2.evicted_dirty_sectors);
  f(one.l2.completed_sectors, other.l2.completed_sectors);
  f(one.hbm.read_bytes, other.hbm.read_bytes);
  f(one.hbm.write_bytes, other.hbm.write_bytes);
  f(one.hbm.row_hits, other.hbm.row_hits);
  f(one.hbm.row_misses, other.hbm.row_misses);
}

}  // namespace

static_assert(sizeof(MemoryCounters) == 14 * sizeof(std::uint64_t), "pairwise() goes over all of them");

MemoryCounters& MemoryCounters::operator+=(const MemoryCounters& other) {
  pairwise(*this, other, [](std::uint64_t& a, std::uint64_t b) { a += b; });
  return *this;
}

MemoryCounters& MemoryCounters::operator-=(const MemoryCounters& other) {
  pairwise(*this, other, [](std::uint64_t& a, std::uint64_t b) { a -= b; });
  return *this;
}

}  // namespace tilescope
