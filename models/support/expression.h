// The tree of a formula, as models/support/expression_parser.h makes it. What names, texts and operators mean, and
// which of them are allowed, is its user's: lane formulas (sim/results/banks), rows of measurements
// (sim/studies/measured), studies (sim/studies/sweep).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace tilescope {

// what(): "column 6: division by zero"; columns count from 1 within the formula.
struct ExpressionError : std::runtime_error {
  ExpressionError(std::size_t where, const std::string& what_is_wrong);
  std::size_t column;
  std::string sentence;  // "division by zero"
};

enum class ExpressionOp : std::uint8_t {
  number,
  name,
  word,     // 'in quotes'
  capture,  // $1
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
  ExpressionOp op = ExpressionOp::number;
  std::size_t column = 0;   // of the operator or the operand, from 1
  std::string text;         // of an operand, as written; a word's without its quotes
  std::int64_t number = 0;  // of a number: its value where the syntax has whole numbers; of a capture: which
  double real = 0;          // of a number, where the syntax has real ones
  std::unique_ptr<ExpressionNode> first, second, third;
};

// 1 or 0 for < <= > >=, nothing for other operators.
template <class Number>
std::optional<Number> ordered(ExpressionOp op, Number a, Number b) {
  switch (op) {
    case ExpressionOp::less:
      return static_cast<Number>(a < b);
    case ExpressionOp::less_equal:
      return static_cast<Number>(a <= b);
    case ExpressionOp::greater:
      return static_cast<Number>(a > b);
    case ExpressionOp::greater_equal:
      return static_cast<Number>(a >= b);
    default:
      return std::nullopt;
  }
}

}  // namespace tilescope
