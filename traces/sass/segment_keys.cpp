#include "traces/sass/segment_keys.h"

namespace tilescope::sass {

void SegmentKeys::describe(std::span<const Instruction> code) {
  std::uint32_t operands = 0;
  for (const Instruction& instruction : code) {
    operands_before_.push_back(operands);
    shared_before_.push_back(static_cast<std::uint32_t>(shared_.size()));
    for (int i = 0; i < memory_operands(instruction.op); ++i, ++operands)
      if (is_shared(access_of(instruction.op, i))) shared_.push_back(operands);
  }
  operands_before_.push_back(operands);
  shared_before_.push_back(static_cast<std::uint32_t>(shared_.size()));
}

void SegmentKeys::sign(std::uint32_t first, std::uint32_t length, const MemoryOperand* operands,
                       std::vector<std::uint32_t>& signature) const {
  const std::uint32_t end = shared_before_[first + length];
  signature.clear();
  signature.push_back(first);
  signature.push_back(length);
  // Narrow accesses may share words in another way where their base lies elsewhere in its word.
  for (std::uint32_t i = shared_before_[first]; i < end; ++i) {
    const MemoryOperand& operand = operands[shared_[i] - operands_before_[first]];
    signature.push_back(operand.pattern | static_cast<std::uint32_t>(operand.base & 3U) << 24U);
  }
}

std::size_t SegmentKeys::Hash::operator()(const std::vector<std::uint32_t>& words) const {
  std::uint64_t hash = words.size();
  for (const std::uint32_t word : words) hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  return hash ^ hash >> 32U;
}

std::uint32_t SegmentKeys::key_of(const std::vector<std::uint32_t>& signature) {
  const std::scoped_lock lock(mutex_);
  const auto known = keys_.find(signature);
  if (known != keys_.end()) return known->second;
  if (keys_.size() >= kMost) return 0;
  return keys_.emplace(signature, static_cast<std::uint32_t>(keys_.size()) + 1).first->second;
}

std::uint32_t SegmentKeyCache::key_of(std::uint32_t first, std::uint32_t length, const MemoryOperand* operands) {
  keys_.sign(first, length, operands, signature_);
  if (place_[first] == 0) {
    known_.emplace_back();
    place_[first] = static_cast<std::uint32_t>(known_.size());
  }
  Known& known = known_[place_[first] - 1];
  if (known.signature != signature_) {
    known.signature = signature_;
    known.key = keys_.key_of(signature_);
  }
  return known.key;
}

}  // namespace tilescope::sass
