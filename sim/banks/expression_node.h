// The tree behind a LaneExpression.
#pragma once

#include <cstdint>
#include <memory>

namespace tilescope {

enum class ExpressionOp : std::uint8_t {
  constant,
  lane,
  conditional,
  logical_or,
  logical_and,
  bit_or,
  bit_xor,
  bit_and,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  shift_left,
  shift_right,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  negate,
  complement,
  logical_not,
};

struct ExpressionNode {
  ExpressionOp op = ExpressionOp::constant;
  std::size_t column = 0;  // of the operator or the constant, from 1
  std::int64_t constant = 0;
  std::unique_ptr<ExpressionNode> first, second, third;
};

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
