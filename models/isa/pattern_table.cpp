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

PatternTable::PatternTable() : known_(1024), chunks_(new std::unique_ptr<LanePattern[]>[kMost / kChunk]) {
  add(LanePattern{});
}

PatternTable::~PatternTable() = default;

PatternId PatternTable::intern(const LanePattern& pattern) {
  if (pattern.active == 0) return 0;
  const std::uint32_t hash = hash_of(pattern);
  const std::scoped_lock lock(mutex_);
  std::size_t place = hash & (known_.size() - 1);
  for (; known_[place].id != 0; place = (place + 1) & (known_.size() - 1))
    if (known_[place].hash == hash && this->pattern(known_[place].id) == pattern) return known_[place].id;
  const PatternId id = add(pattern);
  known_[place] = {hash, id};
  if (2 * static_cast<std::size_t>(id) > known_.size()) grow();
  return id;
}

PatternId PatternTable::add(const LanePattern& pattern) {
  const std::size_t id = size_.load(std::memory_order_relaxed);
  if (id >= kMost) throw std::length_error("more than 16,777,216 distinct lane patterns");
  if (id % kChunk == 0) chunks_[id / kChunk] = std::make_unique<LanePattern[]>(kChunk);
  chunks_[id / kChunk][id % kChunk] = pattern;
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

}  // namespace tilescope
