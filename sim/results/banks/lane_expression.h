// A formula for the 32 lanes of a warp, such as `lane*33` or `lane < 16 ? lane%4*32 + lane/4 : -1`.
//
// Whole numbers (decimal, 0x...), `lane`, parentheses and C's operators with C's precedence:
//   ?:   ||   &&   |   ^   &   == !=   < <= > >=   << >>   + -   * / %   unary - ~ ! +
// 64-bit signed. Where C leaves the result open (overflow, division by zero, a shift by 64), evaluation is refused
// instead. As in C, only the chosen side of ?: is evaluated.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/support/expression.h"

namespace tilescope {

class LaneExpression {
 public:
  // Throws ExpressionError. Refuses texts nested deeper than 64 levels, or with more than 1000 operators.
  explicit LaneExpression(const std::string& text);
  ~LaneExpression();
  LaneExpression(LaneExpression&&) noexcept;
  LaneExpression& operator=(LaneExpression&&) noexcept;

  // Throws ExpressionError.
  std::int64_t value(int lane) const;

  // The constants by which something is multiplied (`row*32`, `row<<5`), ascending, each once: candidates for the pitch
  // of an array's rows.
  std::vector<std::int64_t> pitches() const;
  // The value with every such constant `pitch` replaced. Throws ExpressionError.
  std::int64_t value_with_pitch(int lane, std::int64_t pitch, std::int64_t replacement) const;

 private:
  std::unique_ptr<ExpressionNode> root_;
};

}  // namespace tilescope
