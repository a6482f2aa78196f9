#include "traces/sass/segment_keys.h"

namespace tilescope::sass {
namespace {

bool uses_shared(OpClass op) {
  return op == OpClass::shared_load || op == OpClass::shared_store || op == OpClass::shared_atomic ||
         op == OpClass::matrix_load;
}

}  // namespace

std::size_t SegmentKeys::Hash::operator()(const std::vector<std::uint32_t>& words) const {
  std::uint64_t hash = words.size();
  for (const std::uint32_t word : words) hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  return hash ^ hash >> 32U;
}

std::uint32_t SegmentKeys::key_of(const std::vector<std::uint32_t>& signature) {
  const std::scoped_lock lock(mutex_);
  return keys_.try_emplace(signature, static_cast<std::uint32_t>(keys_.size()) + 1).first->second;
}

std::uint32_t SegmentKeyCache::key_of(std::uint32_t first, std::span<const Instruction> code,
                                      std::span<const MemoryOperand> operands) {
  signature_.clear();
  signature_.push_back(first);
  signature_.push_back(static_cast<std::uint32_t>(code.size()));
  std::size_t next = 0;
  for (const Instruction& instruction : code) {
    const int taken = memory_operands(instruction.op);
    if (uses_shared(instruction.op)) signature_.push_back(operands[next].pattern);
    if (instruction.op == OpClass::async_copy) signature_.push_back(operands[next + 1].pattern);
    next += static_cast<std::size_t>(taken);
  }
  Known& known = known_[first];
  if (known.signature != signature_) {
    known.signature = signature_;
    known.key = keys_.key_of(signature_);
  }
  return known.key;
}

}  // namespace tilescope::sass
