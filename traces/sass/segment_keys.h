// Names for segments that cost the same: equal code and equal patterns in shared-memory operands (Segment::key).
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "models/lane_pattern.h"
#include "traces/instruction.h"

namespace tilescope::sass {

// Of one kernel. Safe to use from several threads.
class SegmentKeys {
 public:
  // `signature`: first instruction, length, patterns of shared-memory operands.
  std::uint32_t key_of(const std::vector<std::uint32_t>& signature);

 private:
  struct Hash {
    std::size_t operator()(const std::vector<std::uint32_t>& words) const;
  };
  std::mutex mutex_;
  std::unordered_map<std::vector<std::uint32_t>, std::uint32_t, Hash> keys_;
};

// Of one stream: remembers the last signature seen at each place, and asks SegmentKeys only when it changes.
class SegmentKeyCache {
 public:
  SegmentKeyCache(SegmentKeys& keys, std::size_t instructions) : keys_(keys), known_(instructions) {}
  std::uint32_t key_of(std::uint32_t first, std::span<const Instruction> code, std::span<const MemoryOperand> operands);

 private:
  struct Known {
    std::vector<std::uint32_t> signature;
    std::uint32_t key = 0;
  };
  SegmentKeys& keys_;
  std::vector<Known> known_;  // by first instruction
  std::vector<std::uint32_t> signature_;
};

}  // namespace tilescope::sass
