// Interned lane patterns and what each costs. Costs are worked out once, when a pattern is first seen.
//
// Thread-safe: `intern` takes a lock; look-ups by id never do (entries never move). Ids depend on the order of
// interning and must not reach any output.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "models/coalescer.h"
#include "models/lane_pattern.h"
#include "models/shared_banks.h"

namespace tilescope {

class PatternTable {
 public:
  PatternTable();
  ~PatternTable();
  PatternTable(const PatternTable&) = delete;
  PatternTable& operator=(const PatternTable&) = delete;

  // Pattern 0 is always the empty one: no active lane.
  PatternId intern(const LanePattern& pattern);
  MemoryOperand operand(const std::array<std::uint64_t, kLanes>& address, std::uint32_t active, int bytes);

  const LanePattern& pattern(PatternId id) const { return entry(id).pattern; }
  const BankCost& shared_cost(PatternId id, SharedOp op) const {
    return (*costs_[id / kChunk])[id % kChunk][static_cast<std::size_t>(op)];
  }
  // The footprint at a base address (byte). Built on first use for each base modulo a line.
  const Footprint& footprint(PatternId id, std::uint64_t base) const;
  std::size_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  // By base modulo a line.
  static constexpr auto kBases = static_cast<std::size_t>(kLineBytes);
  using FootprintsByBase = std::array<std::atomic<const Footprint*>, kBases>;
  struct Entry {
    LanePattern pattern;
    mutable std::atomic<FootprintsByBase*> footprints{nullptr};  // made on first use
    ~Entry();
  };
  static constexpr std::size_t kChunk = 256;
  static constexpr std::size_t kChunks = 1U << 16;
  struct Hash {
    std::size_t operator()(const LanePattern& pattern) const;
  };

  const Entry& entry(PatternId id) const { return chunks_[id / kChunk][id % kChunk]; }

  std::mutex mutex_;
  std::unordered_map<LanePattern, PatternId, Hash> ids_;
  std::unique_ptr<std::unique_ptr<Entry[]>[]> chunks_;
  // Apart from the entries, close together: the hot part of a look-up.
  using Costs = std::array<std::array<BankCost, 2>, kChunk>;  // by SharedOp
  std::unique_ptr<std::unique_ptr<Costs>[]> costs_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace tilescope
