#include "models/l1_cache.h"

#include <algorithm>

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
  return {sets, ways, SetIndex(sets), LeastRecentlyUsed(sets, ways)};
}

L1Cache::Lookup L1Cache::load(std::uint64_t line, std::uint8_t sectors) {
  Lookup result;
  const Sectors* const here = tags_.find(line);
  if (here == nullptr) {
    result.missing = sectors;
    return result;
  }
  result.present = sectors & here->present;
  result.pending = sectors & here->pending;
  result.missing = static_cast<std::uint8_t>(sectors & ~(here->present | here->pending));
  result.ready = result.present != 0 ? here->ready : 0;
  result.waits_for = here->fill;
  return result;
}

void L1Cache::allocate(std::uint64_t line, std::uint8_t missing, std::uint32_t fill) {
  if (holds_nothing_) return;
  Sectors* here = tags_.find(line);
  if (here == nullptr) {
    here = tags_.victim(line, [](const Sectors& way) { return way.pending == 0; });
    if (here == nullptr) return;
    tags_.claim(*here, line);
  }
  here->pending |= missing;
  for (std::size_t s = 0; s < kSectorsPerLine; ++s)
    if ((missing >> s & 1U) != 0) here->fill[s] = fill;
}

void L1Cache::filled(std::uint64_t line, std::uint32_t fill, Cycle ready) {
  Sectors* const found = tags_.find(line);
  if (found == nullptr) return;
  Sectors& here = *found;
  for (std::size_t s = 0; s < kSectorsPerLine; ++s) {
    const auto bit = static_cast<std::uint8_t>(1U << s);
    if ((here.pending & bit) == 0 || here.fill[s] != fill) continue;
    here.pending = static_cast<std::uint8_t>(here.pending & ~bit);
    here.present |= bit;
    here.fill[s] = kNoFill;
    here.ready = std::max(here.ready, ready);
  }
}

}  // namespace tilescope
