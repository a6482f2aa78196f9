#include "traces/file/warp_encoder.h"

namespace tilescope::trace {

void WarpEncoder::begin(const Leader& leader) {
  predictor_.begin(leader);
  out_.clear();
  run_ = segments_ = 0;
}

void WarpEncoder::add(const Tables& tables, std::uint32_t shape, const MemoryOperand* operands) {
  bool as_expected = predictor_.expected_shape() == shape;
  const std::span<Slot> slots = predictor_.visit(tables, shape);
  masks_.clear();
  values_.clear();
  patterns_.clear();
  for (std::size_t first = 0; first < slots.size(); first += 4) {
    unsigned mask = 0;  // per operand two bits: its base, its pattern is not as expected
    for (std::size_t i = first; i < slots.size() && i < first + 4; ++i) {
      Slot& slot = slots[i];
      const MemoryOperand& operand = operands[i];
      const std::uint64_t difference = operand.base - predictor_.expected_base(slot);
      if (difference != 0) {
        mask |= 1U << (2 * (i - first));
        values_.varint(zigzag(difference));
      }
      if (operand.pattern != slot.pattern) {
        mask |= 2U << (2 * (i - first));
        patterns_.varint(operand.pattern);
        slot.pattern = operand.pattern;
      }
      predictor_.settle(slot, operand.base);
    }
    masks_.fixed(mask, 1);
    as_expected = as_expected && mask == 0;
  }
  ++segments_;
  if (as_expected) {
    ++run_;
    return;
  }
  out_.varint(run_);
  run_ = 0;
  out_.varint(shape);
  out_.append(masks_.bytes());
  out_.append(values_.bytes());
  out_.append(patterns_.bytes());
}

std::string_view WarpEncoder::finish() {
  out_.varint(run_);
  out_.varint(0);
  return out_.bytes();
}

}  // namespace tilescope::trace
