// Reads a formula with C's operators and C's precedence:
//
//   ?:   ||   &&   |   ^   &   == !=   < <= > >=   << >>   + -   * / %   unary - ~ ! +   ( )
//
// A long chain of operators costs no depth while it is read, but its tree is deep all the same; hence both limits.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/support/expression.h"

namespace tilescope {

enum class NumberSyntax : std::uint8_t {
  c_integer,  // 12, 0xff; 64 bits
  digits,     // 12; of any length, kept as text
  sized,      // 12, 0.5, 48KiB, 40MiB, 1GiB; a real number
};

// What one kind of formula allows.
struct ExpressionSyntax {
  std::string noun = "expression";          // as messages call it
  std::string operands = "a number, name";  // what messages say may stand where an operand is missing, before "or '('"
  std::vector<std::string_view> binary;     // allowed tokens, such as "<="
  std::string_view unary = "-";             // allowed signs
  NumberSyntax numbers = NumberSyntax::c_integer;
  bool dotted_names = false;  // grid.x
  bool words = false;         // 'in quotes'
  bool captures = false;      // $1 to $9
  int most_levels = 32;       // of parentheses and ?:
  int most_operators = 200;
  std::function<void(const ExpressionNode&)> on_name = {};  // called with every name as it is read; may throw
};

// Throws ExpressionError with the column.
std::unique_ptr<ExpressionNode> parse_expression(const std::string& text, const ExpressionSyntax& syntax);

}  // namespace tilescope
