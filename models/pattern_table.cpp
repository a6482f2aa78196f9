#include "models/pattern_table.h"

#include <stdexcept>

namespace tilescope {

PatternTable::PatternTable()
    : chunks_(new std::unique_ptr<Entry[]>[kChunks]), costs_(new std::unique_ptr<Costs>[kChunks]) {
  intern(LanePattern{});
}

PatternTable::~PatternTable() = default;

PatternTable::Entry::~Entry() {
  FootprintsByBase* all = footprints.load(std::memory_order_relaxed);
  if (all == nullptr) return;
  for (auto& footprint : *all) delete footprint.load(std::memory_order_relaxed);
  delete all;
}

std::size_t PatternTable::Hash::operator()(const LanePattern& pattern) const {
  std::uint64_t hash = pattern.active * 0x9E3779B97F4A7C15ULL + pattern.bytes;
  for (const std::int64_t offset : pattern.offset) {
    hash ^= static_cast<std::uint64_t>(offset) + 0x9E3779B97F4A7C15ULL + (hash << 6U) + (hash >> 2U);
    hash *= 0xFF51AFD7ED558CCDULL;
  }
  return hash ^ hash >> 32U;
}

PatternId PatternTable::intern(const LanePattern& pattern) {
  const std::scoped_lock lock(mutex_);
  const auto found = ids_.find(pattern);
  if (found != ids_.end()) return found->second;

  const std::size_t id = size_.load(std::memory_order_relaxed);
  if (id >= kChunk * kChunks) throw std::length_error("more than 16,777,216 distinct lane patterns");
  if (id % kChunk == 0) {
    chunks_[id / kChunk] = std::make_unique<Entry[]>(kChunk);
    costs_[id / kChunk] = std::make_unique<Costs>();
  }
  Entry& entry = chunks_[id / kChunk][id % kChunk];
  entry.pattern = pattern;
  (*costs_[id / kChunk])[id % kChunk] = {tilescope::shared_cost(pattern, SharedOp::load),
                                         tilescope::shared_cost(pattern, SharedOp::store)};
  size_.store(id + 1, std::memory_order_release);
  ids_.emplace(pattern, static_cast<PatternId>(id));
  return static_cast<PatternId>(id);
}

MemoryOperand PatternTable::operand(const std::array<std::uint64_t, kLanes>& address, std::uint32_t active, int bytes) {
  const BasedPattern based = make_pattern(address, active, bytes);
  return {based.base, intern(based.pattern)};
}

const Footprint& PatternTable::footprint(PatternId id, std::uint64_t base) const {
  const Entry& owner = entry(id);
  FootprintsByBase* all = owner.footprints.load(std::memory_order_acquire);
  if (all == nullptr) {
    auto made = std::make_unique<FootprintsByBase>();
    if (owner.footprints.compare_exchange_strong(all, made.get(), std::memory_order_acq_rel)) all = made.release();
  }
  auto& slot = (*all)[base % kBases];
  const Footprint* known = slot.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto made = std::make_unique<const Footprint>(global_footprint(owner.pattern, static_cast<int>(base % kBases)));
  if (slot.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *known;
}

}  // namespace tilescope
