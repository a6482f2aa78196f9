// Interned lane patterns and what each costs. Costs are worked out once, when they are first asked for: kernels whose
// addresses depend on data make patterns by the million, and most of these are looked at once.
//
// Thread-safe: `intern` takes a lock; look-ups by id never do (entries never move). Ids depend on the order of
// interning and must not reach any output.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "models/coalescer.h"
#include "models/isa/lane_pattern.h"
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
  BankCost shared_cost(PatternId id, SharedOp op) const {
    const std::uint32_t known = cost_slot(id, op).load(std::memory_order_relaxed);
    if (known == 0) return first_cost(id, op);
    return {static_cast<int>(known & 0xffffU), static_cast<int>((known & ~kKnownCost) >> 16U)};
  }
  // The footprint at a base address (byte). Built on first use for each base modulo a line.
  const Footprint& footprint(PatternId id, std::uint64_t base) const {
    const Entry& owner = entry(id);
    const FootprintsByBase* all = owner.footprints.load(std::memory_order_acquire);
    if (all != nullptr) {
      const Footprint* known = (*all)[base % kBases].load(std::memory_order_acquire);
      if (known != nullptr) return *known;
    }
    return first_footprint(owner, base % kBases);
  }
  std::size_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  // By base modulo a line.
  static constexpr auto kBases = static_cast<std::size_t>(kLineBytes);
  using FootprintsByBase = std::array<std::atomic<const Footprint*>, kBases>;
  struct BasedFootprint {
    std::size_t base = 0;
    Footprint footprint;
  };
  struct Entry {
    LanePattern pattern;
    mutable std::atomic<const BasedFootprint*> first{nullptr};   // the first that was asked for
    mutable std::atomic<FootprintsByBase*> footprints{nullptr};  // made when another base is asked for
    ~Entry();
  };
  static constexpr std::size_t kChunk = 256;
  static constexpr std::size_t kChunks = 1U << 16;
  // A cost in one word: wavefronts, from bit 16 the ideal ones, and that it is known.
  static constexpr std::uint32_t kKnownCost = 1U << 31;
  // Apart from the entries, close together: the hot part of a look-up.
  using Costs = std::array<std::array<std::atomic<std::uint32_t>, 2>, kChunk>;  // by SharedOp
  struct Known {  // a place of the hash table; `id` 0: free
    std::uint32_t hash = 0;
    PatternId id = 0;
  };

  const Entry& entry(PatternId id) const { return chunks_[id / kChunk][id % kChunk]; }
  std::atomic<std::uint32_t>& cost_slot(PatternId id, SharedOp op) const {
    return (*costs_[id / kChunk])[id % kChunk][static_cast<std::size_t>(op)];
  }
  BankCost first_cost(PatternId id, SharedOp op) const;
  static const Footprint& first_footprint(const Entry& owner, std::size_t base);
  PatternId add(const LanePattern& pattern);
  void grow();

  std::mutex mutex_;
  std::vector<Known> known_;  // open addressing, a power of two
  std::unique_ptr<std::unique_ptr<Entry[]>[]> chunks_;
  std::unique_ptr<std::unique_ptr<Costs>[]> costs_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace tilescope
