#include "models/l1_cache.h"

#include <algorithm>
#include <utility>

namespace tilescope {
namespace {

std::size_t sets_of(const L1Spec& spec, std::int64_t capacity_kib, unsigned thin_shift) {
  return static_cast<std::size_t>(
      std::max<std::int64_t>(1, (capacity_kib * 1024 / kLineBytes / spec.ways) >> thin_shift));
}

}  // namespace

L1Cache::L1Cache(const L1Spec& spec, std::int64_t capacity_kib, unsigned thin_shift)
    : holds_nothing_(capacity_kib * 1024 < kLineBytes * spec.ways), tags_(make_tags(spec, capacity_kib, thin_shift)) {}

L1Cache::Tags L1Cache::make_tags(const L1Spec& spec, std::int64_t capacity_kib, unsigned thin_shift) {
  const std::size_t sets = sets_of(spec, capacity_kib, thin_shift);
  const auto ways = static_cast<std::size_t>(spec.ways);
  return {sets, ways, SetIndex(sets, -1, thin_shift), LeastRecentlyUsed(sets, ways)};
}

L1Cache::Sectors* L1Cache::find(LineAddress line) {
  Sectors* const here = tags_.find(line);
  return here == nullptr || (here->epoch != epoch_ && !here->local) ? nullptr : here;
}

// The line's way, made for it if need be; null when every way of its set waits for data.
L1Cache::Sectors* L1Cache::claim(LineAddress line) {
  Sectors* here = tags_.find(line);
  if (here != nullptr && (here->epoch == epoch_ || here->local)) return here;
  if (here == nullptr) here = tags_.victim(line, [](const Sectors& way) { return way.pending.none(); });
  if (here == nullptr) return nullptr;
  tags_.claim(*here, line);
  here->epoch = epoch_;
  return here;
}

L1Cache::Lookup L1Cache::load(LineAddress line, SectorMask sectors) {
  Lookup result;
  const Sectors* const here = find(line);
  if (here == nullptr) {
    result.missing = sectors;
    return result;
  }
  result.present = sectors & here->present;
  result.pending = sectors & here->pending;
  result.missing = sectors - here->present - here->pending;
  result.ready = result.present.any() ? here->ready : 0;
  result.waits_for = here->fill;
  return result;
}

void L1Cache::allocate(LineAddress line, SectorMask missing, std::uint32_t fill) {
  if (holds_nothing_) return;
  Sectors* const here = claim(line);
  if (here == nullptr) return;
  filled_since_ = true;
  here->pending |= missing;
  for (const std::size_t s : missing) here->fill[s] = fill;
}

SectorMask L1Cache::keep(LineAddress line, SectorMask sectors, Cycle ready) {
  if (holds_nothing_) return {};
  Sectors* const here = claim(line);
  if (here == nullptr) return {};
  const SectorMask before = sectors & here->present;
  here->local = true;
  here->present |= sectors;
  here->ready = std::max(here->ready, ready);
  return before;
}

bool L1Cache::invalidate() {
  ++epoch_;
  return std::exchange(filled_since_, false);
}

void L1Cache::filled(LineAddress line, std::uint32_t fill, Cycle ready) {
  // Also when an invalidation has dropped the line: its way may then go to another.
  Sectors* const found = tags_.find(line);
  if (found == nullptr) return;
  Sectors& here = *found;
  for (const std::size_t s : here.pending) {
    if (here.fill[s] != fill) continue;
    here.pending -= SectorMask::of(s);
    here.present |= SectorMask::of(s);
    here.fill[s] = kNoFill;
    here.ready = std::max(here.ready, ready);
  }
}

}  // namespace tilescope
