// The operands of one warp's runs, kept while its CTA is resident. What is put in never moves; memory is used again.
#pragma once

#include <algorithm>
#include <vector>

#include "models/isa/lane_pattern.h"

namespace tilescope::sass {

class OperandRecord {
 public:
  // Where the copy lies.
  const MemoryOperand* put(const std::vector<MemoryOperand>& operands) {
    while (chunk_ < chunks_.size() && chunks_[chunk_].capacity() - chunks_[chunk_].size() < operands.size()) ++chunk_;
    if (chunk_ == chunks_.size()) chunks_.emplace_back().reserve(std::max(kChunk, operands.size()));
    std::vector<MemoryOperand>& chunk = chunks_[chunk_];
    const std::size_t first = chunk.size();
    chunk.insert(chunk.end(), operands.begin(), operands.end());
    return chunk.data() + first;
  }
  void clear() {
    for (std::vector<MemoryOperand>& chunk : chunks_) chunk.clear();
    chunk_ = 0;
  }

 private:
  static constexpr std::size_t kChunk = 1024;
  std::vector<std::vector<MemoryOperand>> chunks_;  // none grows beyond its capacity
  std::size_t chunk_ = 0;                           // the one being filled
};

}  // namespace tilescope::sass
