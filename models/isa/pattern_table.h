// Interned lane patterns: each distinct one once, named by a number. What a pattern costs belongs to the engine
// (models/access_cost.h).
//
// Thread-safe: `intern` takes a lock; look-ups by id never do (entries never move). Ids depend on the order of
// interning and must not reach any output.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "models/isa/box_table.h"
#include "models/isa/lane_pattern.h"

namespace tilescope {

class PatternTable {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 24;  // distinct patterns

  PatternTable();
  ~PatternTable();
  PatternTable(const PatternTable&) = delete;
  PatternTable& operator=(const PatternTable&) = delete;

  // Pattern 0 is always the empty one: no active lane. Throws std::length_error beyond kMost.
  PatternId intern(const LanePattern& pattern);
  MemoryOperand operand(const std::array<std::uint64_t, kLanes>& address, std::uint32_t active, int bytes);

  const LanePattern& pattern(PatternId id) const { return chunks_[id / kChunk][id % kChunk]; }
  std::size_t size() const { return size_.load(std::memory_order_acquire); }

  BoxTable boxes;  // what AsyncOperands refer to

 private:
  static constexpr std::size_t kChunk = 256;
  struct Known {  // a place of the hash table; `id` 0: free
    std::uint32_t hash = 0;
    PatternId id = 0;
  };

  PatternId add(const LanePattern& pattern);
  void grow();

  std::mutex mutex_;
  std::vector<Known> known_;  // open addressing, a power of two
  std::unique_ptr<std::unique_ptr<LanePattern[]>[]> chunks_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace tilescope
