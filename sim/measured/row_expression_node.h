// The tree behind a RowExpression.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/measured/row_expression.h"

namespace tilescope {

enum class RowOp : std::uint8_t {
  text,     // a number or word as written
  capture,  // $n
  name,
  conditional,
  logical_or,
  logical_and,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  negate,
};

struct RowExpression::Node {
  RowOp op = RowOp::text;
  std::size_t column = 0;  // of the operator or operand, from 1
  std::string text;        // of a text or name
  std::size_t capture = 0;
  std::unique_ptr<Node> first, second, third;
};

// Throws RowExpressionError.
std::unique_ptr<RowExpression::Node> parse_row_expression(const std::string& text);

}  // namespace tilescope
