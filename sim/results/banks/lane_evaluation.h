// What the tree behind a LaneExpression comes to.
#pragma once

#include <cstdint>

#include "models/support/expression.h"

namespace tilescope {

// A multiplication by a constant, or a left shift by one: the constant factor, else 0.
std::int64_t constant_factor(const ExpressionNode& node);

// What stands for `lane`, and for a constant factor that is to be replaced.
struct ExpressionInput {
  int lane = 0;
  std::int64_t pitch = 0;  // 0: nothing is replaced
  std::int64_t replacement = 0;
};

// Throws ExpressionError.
std::int64_t evaluate(const ExpressionNode& node, const ExpressionInput& input);

}  // namespace tilescope
