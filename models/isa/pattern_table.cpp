#include "models/isa/pattern_table.h"

#include <stdexcept>

namespace tilescope {
namespace {

// Each lane has an odd factor of its own, so that the products can be made side by side.
std::uint32_t hash_of(const LanePattern& pattern) {
  std::uint64_t hash = pattern.active * 0x9E3779B97F4A7C15ULL + pattern.bytes;
  std::uint64_t factor = 0xD6E8FEB86659FD93ULL;
  for (const std::int64_t offset : pattern.offset) {
    hash += (static_cast<std::uint64_t>(offset) ^ factor >> 32U) * factor;
    factor += 0x9E3779B97F4A7C16ULL;
  }
  hash = (hash ^ hash >> 32U) * 0xFF51AFD7ED558CCDULL;
  return static_cast<std::uint32_t>(hash >> 32U);
}

}  // namespace

PatternTable::PatternTable()
    : known_(1024), chunks_(new std::unique_ptr<Entry[]>[kChunks]), costs_(new std::unique_ptr<Costs>[kChunks]) {
  add(LanePattern{});
}

PatternTable::~PatternTable() = default;

PatternTable::Entry::~Entry() {
  delete first.load(std::memory_order_relaxed);
  FootprintsByBase* all = footprints.load(std::memory_order_relaxed);
  if (all == nullptr) return;
  for (auto& footprint : *all) delete footprint.load(std::memory_order_relaxed);
  delete all;
}

PatternId PatternTable::intern(const LanePattern& pattern) {
  if (pattern.active == 0 && pattern == this->pattern(0)) return 0;
  const std::uint32_t hash = hash_of(pattern);
  const std::scoped_lock lock(mutex_);
  std::size_t place = hash & (known_.size() - 1);
  for (; known_[place].id != 0; place = (place + 1) & (known_.size() - 1))
    if (known_[place].hash == hash && entry(known_[place].id).pattern == pattern) return known_[place].id;
  const PatternId id = add(pattern);
  known_[place] = {hash, id};
  if (2 * static_cast<std::size_t>(id) > known_.size()) grow();
  return id;
}

PatternId PatternTable::add(const LanePattern& pattern) {
  const std::size_t id = size_.load(std::memory_order_relaxed);
  if (id >= kChunk * kChunks) throw std::length_error("more than 16,777,216 distinct lane patterns");
  if (id % kChunk == 0) {
    chunks_[id / kChunk] = std::make_unique<Entry[]>(kChunk);
    costs_[id / kChunk] = std::make_unique<Costs>();
  }
  chunks_[id / kChunk][id % kChunk].pattern = pattern;
  size_.store(id + 1, std::memory_order_release);
  return static_cast<PatternId>(id);
}

void PatternTable::grow() {
  std::vector<Known> larger(2 * known_.size());
  for (const Known& one : known_) {
    if (one.id == 0) continue;
    std::size_t place = one.hash & (larger.size() - 1);
    while (larger[place].id != 0) place = (place + 1) & (larger.size() - 1);
    larger[place] = one;
  }
  known_ = std::move(larger);
}

MemoryOperand PatternTable::operand(const std::array<std::uint64_t, kLanes>& address, std::uint32_t active, int bytes) {
  const BasedPattern based = make_pattern(address, active, bytes);
  return {based.base, intern(based.pattern)};
}

BankCost PatternTable::first_cost(PatternId id, SharedOp op) const {
  const BankCost cost = tilescope::shared_cost(pattern(id), op);
  cost_slot(id, op).store(
      static_cast<std::uint32_t>(cost.wavefronts) | static_cast<std::uint32_t>(cost.ideal) << 16U | kKnownCost,
      std::memory_order_relaxed);
  return cost;
}

const Footprint& PatternTable::first_footprint(const Entry& owner, std::size_t base) {
  const BasedFootprint* first = owner.first.load(std::memory_order_acquire);
  if (first == nullptr) {
    auto made = std::make_unique<const BasedFootprint>(
        BasedFootprint{base, global_footprint(owner.pattern, static_cast<int>(base))});
    if (owner.first.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) first = made.release();
  }
  if (first->base == base) return first->footprint;
  FootprintsByBase* all = owner.footprints.load(std::memory_order_acquire);
  if (all == nullptr) {
    auto made = std::make_unique<FootprintsByBase>();
    if (owner.footprints.compare_exchange_strong(all, made.get(), std::memory_order_acq_rel)) all = made.release();
  }
  auto& slot = (*all)[base];
  const Footprint* known = slot.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto made = std::make_unique<const Footprint>(global_footprint(owner.pattern, static_cast<int>(base)));
  if (slot.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *known;
}

}  // namespace tilescope
