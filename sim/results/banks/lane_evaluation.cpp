#include "sim/results/banks/lane_evaluation.h"

#include <limits>
#include <string>

namespace tilescope {
namespace {

using Op = ExpressionOp;
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

[[noreturn]] void overflow(const ExpressionNode& node) {
  throw ExpressionError(node.column, "the result does not fit into 64 bits");
}

std::int64_t multiply(const ExpressionNode& node, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) overflow(node);
  return result;
}

std::int64_t shift(const ExpressionNode& node, std::int64_t a, std::int64_t by) {
  if (by < 0 || by > 63) throw ExpressionError(node.column, "shift by " + std::to_string(by) + "; must be 0 to 63");
  if (node.op == Op::shift_right) return a >> by;
  if (a == 0) return 0;
  if (by == 63) {
    if (a != -1) overflow(node);
    return kLowest;
  }
  return multiply(node, a, std::int64_t{1} << by);
}

std::int64_t divide(const ExpressionNode& node, std::int64_t a, std::int64_t b) {
  if (b == 0) throw ExpressionError(node.column, "division by zero");
  if (a == kLowest && b == -1) overflow(node);
  return node.op == Op::divide ? a / b : a % b;
}

std::int64_t binary(const ExpressionNode& node, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (const auto answer = ordered(node.op, a, b)) return *answer;
  switch (node.op) {
    case Op::bit_or:
      return a | b;
    case Op::bit_xor:
      return a ^ b;
    case Op::bit_and:
      return a & b;
    case Op::equal:
      return a == b ? 1 : 0;
    case Op::not_equal:
      return a != b ? 1 : 0;
    case Op::shift_left:
    case Op::shift_right:
      return shift(node, a, b);
    case Op::add:
      if (__builtin_add_overflow(a, b, &result)) overflow(node);
      return result;
    case Op::subtract:
      if (__builtin_sub_overflow(a, b, &result)) overflow(node);
      return result;
    case Op::multiply:
      return multiply(node, a, b);
    default:
      return divide(node, a, b);
  }
}

bool replaced(const ExpressionNode& node, const ExpressionInput& input) {
  return input.pitch != 0 && constant_factor(node) == input.pitch;
}

}  // namespace

std::int64_t constant_factor(const ExpressionNode& node) {
  const auto is_constant = [](const ExpressionNode& side) { return side.op == Op::number; };
  if (node.op == Op::multiply && is_constant(*node.second) && !is_constant(*node.first)) return node.second->number;
  if (node.op == Op::multiply && is_constant(*node.first) && !is_constant(*node.second)) return node.first->number;
  const bool is_shift = node.op == Op::shift_left && is_constant(*node.second) && !is_constant(*node.first);
  if (is_shift && node.second->number >= 0 && node.second->number < 62) return std::int64_t{1} << node.second->number;
  return 0;
}

std::int64_t evaluate(const ExpressionNode& node, const ExpressionInput& input) {
  switch (node.op) {
    case Op::number:
      return node.number;
    case Op::name:
      return input.lane;
    case Op::conditional:
      return evaluate(evaluate(*node.first, input) != 0 ? *node.second : *node.third, input);
    case Op::logical_or:
      return evaluate(*node.first, input) != 0 || evaluate(*node.second, input) != 0 ? 1 : 0;
    case Op::logical_and:
      return evaluate(*node.first, input) != 0 && evaluate(*node.second, input) != 0 ? 1 : 0;
    case Op::logical_not:
      return evaluate(*node.first, input) == 0 ? 1 : 0;
    case Op::complement:
      return ~evaluate(*node.first, input);
    case Op::negate: {
      const std::int64_t value = evaluate(*node.first, input);
      if (value == kLowest) overflow(node);
      return -value;
    }
    default:
      break;
  }
  if (replaced(node, input)) {
    const ExpressionNode& other = node.second->op == Op::number ? *node.first : *node.second;
    return multiply(node, evaluate(other, input), input.replacement);
  }
  return binary(node, evaluate(*node.first, input), evaluate(*node.second, input));
}

}  // namespace tilescope
