// The operands of one warp's runs, kept while its CTA is resident. What is put in never moves; memory is used again.
#pragma once

#include <algorithm>
#include <vector>

#include "models/isa/async_operand.h"
#include "models/isa/lane_pattern.h"

namespace tilescope::sass {

template <class Operand>
class RecordOf {
 public:
  // Where the copy lies.
  const Operand* put(const std::vector<Operand>& operands) {
    while (chunk_ < chunks_.size() && chunks_[chunk_].capacity() - chunks_[chunk_].size() < operands.size()) ++chunk_;
    if (chunk_ == chunks_.size()) add_chunk(operands.size());
    std::vector<Operand>& chunk = chunks_[chunk_];
    const std::size_t first = chunk.size();
    chunk.insert(chunk.end(), operands.begin(), operands.end());
    return chunk.data() + first;
  }
  void clear() {
    for (std::vector<Operand>& chunk : chunks_) chunk.clear();
    chunk_ = 0;
  }

 private:
  static constexpr std::size_t kFirstChunk = 64, kChunk = 1024;
  void add_chunk(std::size_t fewest) {
    const std::size_t usual = chunks_.size() < 4 ? kFirstChunk << chunks_.size() : kChunk;
    chunks_.emplace_back().reserve(std::max(usual, fewest));
  }
  std::vector<std::vector<Operand>> chunks_;  // none grows beyond its capacity
  std::size_t chunk_ = 0;                     // the one being filled
};
using OperandRecord = RecordOf<MemoryOperand>;
using AsyncRecord = RecordOf<AsyncOperand>;

}  // namespace tilescope::sass
