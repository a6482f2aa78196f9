#include "traces/file/warp_decoder.h"

namespace tilescope::trace {

void WarpDecoder::begin(const Tables& tables, const std::vector<BaseLimit>& limits, const Leader& leader,
                        std::string_view record, std::uint64_t segments) {
  tables_ = &tables;
  limits_ = &limits;
  predictor_.begin(leader);
  in_ = ByteReader(record);
  segments_left_ = segments;
  run_ = 0;
  explicit_follows_ = ended_ = false;
}

std::uint32_t WarpDecoder::next() {
  if (ended_) return 0;
  if (run_ == 0 && !explicit_follows_) {
    run_ = in_.varint("a run of segments", 0, segments_left_);
    explicit_follows_ = true;
  }
  if (run_ > 0) {
    --run_;
    --segments_left_;
    as_expected();
    return predictor_.shape();
  }
  explicit_follows_ = false;
  const std::uint64_t shape = in_.varint("a shape", 0, tables_->shapes.size() - 1);
  if (shape == 0) {
    end();
    return 0;
  }
  if (segments_left_ == 0) throw Malformed{"a warp has more segments than stated"};
  --segments_left_;
  as_stated(static_cast<std::uint32_t>(shape));
  return predictor_.shape();
}

void WarpDecoder::as_expected() {
  const std::uint32_t shape = predictor_.expected_shape();
  if (shape == 0) throw Malformed{"a run of segments goes on where nothing is known to follow"};
  const std::span<Slot> slots = predictor_.visit(*tables_, shape);
  if (operands_.size() < slots.size()) operands_.resize(slots.size());
  MemoryOperand* operand = operands_.data();
  for (Slot& slot : slots) {
    if (!predictor_.is_first()) slot.as_expected();
    *operand++ = {slot.base, slot.pattern};
    const BaseLimit& limit = (*limits_)[slot.pattern];
    if (!limit.allows(slot.base)) refuse_base(slot.base, limit);
  }
}

void WarpDecoder::as_stated(std::uint32_t shape) {
  const std::span<Slot> slots = predictor_.visit(*tables_, shape);
  if (operands_.size() < slots.size()) operands_.resize(slots.size());
  const std::string_view masks = in_.take((slots.size() + 3) / 4);
  const auto is_set = [masks](std::size_t i, unsigned bit) {
    return (static_cast<unsigned char>(masks[i / 4]) >> (2 * (i % 4)) & bit) != 0;
  };
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::uint64_t difference = is_set(i, 1) ? unzigzag(in_.varint()) : 0;
    operands_[i].base = predictor_.expected_base(slots[i]) + difference;
    predictor_.settle(slots[i], operands_[i].base);
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (is_set(i, 2)) slots[i].pattern = static_cast<PatternId>(in_.varint("a lane pattern", 0, limits_->size() - 1));
    operands_[i].pattern = slots[i].pattern;
    const BaseLimit& limit = (*limits_)[slots[i].pattern];
    if (!limit.allows(operands_[i].base)) refuse_base(operands_[i].base, limit);
  }
}

void WarpDecoder::end() {
  ended_ = true;
  if (predictor_.shape() == 0) throw Malformed{"a warp has no segment"};
  const Shape& last = tables_->shapes[predictor_.shape()];
  const OpClass op = tables_->code[last.offset + last.length - 1].op;
  if (op != OpClass::exit)
    throw Malformed{"a warp ends with an instruction of class " + std::string(name(op)) + "; must be exit"};
  if (segments_left_ != 0)
    throw Malformed{"a warp has " + std::to_string(segments_left_) + " segments less than stated"};
  if (in_.left() != 0) throw Malformed{std::to_string(in_.left()) + " bytes follow the end of a warp"};
}

}  // namespace tilescope::trace
