#include "models/l1_cache.h"

#include <algorithm>
#include <utility>

namespace tilescope {

L1Cache::L1Cache(const L1Spec& spec, std::int64_t capacity_kib, unsigned thin_shift)
    : L1Cache(spec, capacity_kib, thin_shift, L1SetIndex(spec, capacity_kib, thin_shift)) {}

L1Cache::L1Cache(const L1Spec& spec, std::int64_t capacity_kib, unsigned thin_shift, const L1SetIndex& index)
    : sets_(index.sets()),
      room_(room(spec, capacity_kib, thin_shift)),
      holds_nothing_(capacity_kib * 1024 < kLineBytes * spec.ways),
      tags_(make_tags(spec, index)) {}

std::size_t L1Cache::room(const L1Spec& spec, std::int64_t capacity_kib, unsigned thin_shift) {
  const std::int64_t lines = capacity_kib * 1024 / kLineBytes - spec.reserved_lines;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::max<std::int64_t>(0, lines)) >> thin_shift);
}

L1Cache::Tags L1Cache::make_tags(const L1Spec& spec, const L1SetIndex& index) {
  const auto ways = static_cast<std::size_t>(spec.ways);
  return {index.sets(), ways, index, LastHitsKept(index.sets(), ways, static_cast<std::size_t>(spec.kept_hits))};
}

L1Cache::Sectors* L1Cache::find(LineAddress line) {
  return tags_.find_if(line, [this](const Sectors& way) { return lives(way); });
}

void L1Cache::drop(Sectors& way) {
  --living_;
  if (way.local) --kept_;
  tags_.drop(way);
}

// The line that makes room for `line`.
L1Cache::Sectors& L1Cache::gives_room(LineAddress line) {
  const auto may_go = [this](const Sectors& way) { return lives(way); };
  if (Sectors* const own = tags_.victim(line, may_go)) return *own;
  for (;;) {  // a cache that is full has a line
    Sectors* const other = tags_.victim_of(next_set_, may_go);
    next_set_ = next_set_ + 1 == sets_ ? 0 : next_set_ + 1;
    if (other != nullptr) return *other;
  }
}

// The line's way, made for it if need be.
L1Cache::Sectors& L1Cache::claim(LineAddress line) {
  Sectors* here = tags_.peek(line);
  if (here != nullptr && lives(*here)) return *here;
  if (here == nullptr) here = tags_.victim(line, [this](const Sectors& way) { return !lives(way); });
  if (here == nullptr) here = tags_.victim(line, [](const Sectors&) { return true; });
  if (lives(*here)) {
    drop(*here);
  } else if (living_ >= room_) {
    drop(gives_room(line));
  }
  tags_.claim(*here, line);
  here->epoch = epoch_;
  ++living_;
  return *here;
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
  result.under_way = here->pending;
  return result;
}

void L1Cache::allocate(LineAddress line, SectorMask missing, std::uint32_t fill) {
  if (holds_nothing_) return;
  Sectors& here = claim(line);
  filled_since_ = true;
  here.pending |= missing;
  for (const std::size_t s : missing) here.fill[s] = fill;
}

SectorMask L1Cache::keep(LineAddress line, SectorMask sectors, Cycle ready) {
  if (holds_nothing_) return {};
  Sectors& here = claim(line);
  const SectorMask before = sectors & here.present;
  if (!here.local) ++kept_;
  here.local = true;
  here.present |= sectors;
  here.ready = std::max(here.ready, ready);
  return before;
}

bool L1Cache::invalidate() {
  ++epoch_;
  living_ = kept_;
  return std::exchange(filled_since_, false);
}

void L1Cache::filled(LineAddress line, std::uint32_t fill, Cycle ready) {
  // Also when an invalidation has dropped the line: its way may then go to another.
  Sectors* const found = tags_.peek(line);
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
