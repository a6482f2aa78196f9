// Names for segments that cost the same: equal code and equal patterns in shared-memory operands (Segment::key).
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "models/isa/instruction.h"
#include "models/isa/lane_pattern.h"

namespace tilescope::sass {

// Of one kernel. Safe to use from several threads, once the code has been described.
class SegmentKeys {
 public:
  void describe(std::span<const Instruction> code);
  // `signature`: first instruction, length, patterns of shared-memory operands. 0, no name, for what comes after the
  // first 65,536: where patterns depend on data, few segments are ever seen again.
  std::uint32_t key_of(const std::vector<std::uint32_t>& signature);
  // Fills `signature` for a segment and its operands.
  void sign(std::uint32_t first, std::uint32_t length, const MemoryOperand* operands,
            std::vector<std::uint32_t>& signature) const;
  std::size_t instructions() const { return operands_before_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const std::vector<std::uint32_t>& words) const;
  };
  // Counted from the first instruction of the code to each, and to its end.
  std::vector<std::uint32_t> operands_before_, shared_before_;
  std::vector<std::uint32_t> shared_;  // operands that lie in shared memory
  static constexpr std::size_t kMost = 65536;
  std::mutex mutex_;
  std::unordered_map<std::vector<std::uint32_t>, std::uint32_t, Hash> keys_;
};

// Of one stream: remembers the last signature seen at each place, and asks SegmentKeys only when it changes.
class SegmentKeyCache {
 public:
  explicit SegmentKeyCache(SegmentKeys& keys) : keys_(keys), place_(keys.instructions()) {}
  std::uint32_t key_of(std::uint32_t first, std::uint32_t length, const MemoryOperand* operands);

 private:
  struct Known {
    std::vector<std::uint32_t> signature;
    std::uint32_t key = 0;
  };
  SegmentKeys& keys_;
  std::vector<std::uint32_t> place_;  // by first instruction, in known_, from 1; 0: none
  std::vector<Known> known_;          // segments begin at few instructions
  std::vector<std::uint32_t> signature_;
};

}  // namespace tilescope::sass
