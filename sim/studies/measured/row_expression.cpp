#include "sim/studies/measured/row_expression.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "models/support/diagnostic.h"
#include "models/support/expression_parser.h"

namespace tilescope {
namespace {

using Node = ExpressionNode;
using Op = ExpressionOp;
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();  // it has no opposite

[[noreturn]] void fail(const Node& node, const std::string& sentence) { throw ExpressionError(node.column, sentence); }

std::int64_t number(const Node& node, const std::string& text) {
  std::int64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || stopped != text.data() + text.size() || value == kLowest)
    fail(node, "got " + in_quotes(text) + " in arithmetic; must be a whole number");
  return value;
}

std::int64_t divided(const Node& node, std::int64_t a, std::int64_t b) {
  if (b == 0) fail(node, "division by zero");
  if (b < 0) fail(node, "division by " + std::to_string(b) + "; must be a positive number");
  if (node.op == Op::remainder) return a % b;
  if (a % b != 0) fail(node, std::to_string(a) + "/" + std::to_string(b) + " leaves a remainder");
  return a / b;
}

std::int64_t arithmetic(const Node& node, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  if (const auto answer = ordered(node.op, a, b)) return *answer;
  switch (node.op) {
    case Op::add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Op::subtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Op::multiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    default:
      return divided(node, a, b);
  }
  if (overflow) fail(node, "the result does not fit into 64 bits");
  return result;
}

std::string evaluate(const Node& node, const RowValues& row);

bool holds(const Node& node, const RowValues& row) {
  const std::string value = evaluate(node, row);
  return !value.empty() && value != "0";
}

std::string evaluate(const Node& node, const RowValues& row) {
  switch (node.op) {
    case Op::number:
    case Op::word:
      return node.text;
    case Op::capture:
      return row.captures.at(static_cast<std::size_t>(node.number));
    case Op::name: {
      auto value = row.name(node.text);
      if (!value) fail(node, "the row has no " + node.text);
      return *std::move(value);
    }
    case Op::conditional:
      return evaluate(holds(*node.first, row) ? *node.second : *node.third, row);
    case Op::logical_or:
      return holds(*node.first, row) || holds(*node.second, row) ? "1" : "0";
    case Op::logical_and:
      return holds(*node.first, row) && holds(*node.second, row) ? "1" : "0";
    case Op::equal:
      return evaluate(*node.first, row) == evaluate(*node.second, row) ? "1" : "0";
    case Op::not_equal:
      return evaluate(*node.first, row) != evaluate(*node.second, row) ? "1" : "0";
    case Op::negate:
      return std::to_string(-number(*node.first, evaluate(*node.first, row)));
    default:
      break;
  }
  const std::int64_t a = number(*node.first, evaluate(*node.first, row));
  return std::to_string(arithmetic(node, a, number(*node.second, evaluate(*node.second, row))));
}

std::size_t highest(const Node& node) {
  std::size_t most = node.op == Op::capture ? static_cast<std::size_t>(node.number) : 0;
  for (const Node* child : {node.first.get(), node.second.get(), node.third.get()})
    if (child != nullptr) most = std::max(most, highest(*child));
  return most;
}

void collect_names(const Node& node, std::vector<std::string>& names) {
  if (node.op == Op::name) names.push_back(node.text);
  for (const Node* child : {node.first.get(), node.second.get(), node.third.get()})
    if (child != nullptr) collect_names(*child, names);
}

const ExpressionSyntax& row_syntax() {
  static const ExpressionSyntax syntax = {
      .noun = "formula",
      .operands = "a number, a name",
      .binary = {"||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"},
      .numbers = NumberSyntax::digits,
      .dotted_names = true,
      .words = true,
      .captures = true,
  };
  return syntax;
}

}  // namespace

RowExpression::RowExpression(const std::string& text) : root_(parse_expression(text, row_syntax())) {}
RowExpression::~RowExpression() = default;
RowExpression::RowExpression(RowExpression&&) noexcept = default;
RowExpression& RowExpression::operator=(RowExpression&&) noexcept = default;

std::string RowExpression::value(const RowValues& row) const { return evaluate(*root_, row); }

std::size_t RowExpression::highest_capture() const { return highest(*root_); }

std::vector<std::string> RowExpression::names() const {
  std::vector<std::string> names;
  collect_names(*root_, names);
  return names;
}

}  // namespace tilescope
