#include "sim/studies/sweep/point_expression.h"

#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "models/support/accepted.h"
#include "models/support/diagnostic.h"
#include "models/support/expression_parser.h"

namespace tilescope::sweep {
namespace {

using Node = ExpressionNode;
using Op = ExpressionOp;
using Value = std::variant<double, std::string>;

constexpr double kLargestWhole = 0x1p53;

[[noreturn]] void fail(const Node& node, const std::string& sentence) { throw ExpressionError(node.column, sentence); }

Value value_of(const std::string& text) {
  if (const auto number = parse_real(text)) return *number;
  return text;
}

bool is_true(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) return *number != 0;
  const std::string& text = std::get<std::string>(value);
  return !text.empty() && text != "false";
}

double number(const Node& node, const Value& value) {
  if (const double* found = std::get_if<double>(&value)) return *found;
  fail(node, "got " + in_quotes(std::get<std::string>(value)) + "; must be a number here");
}

double remainder(const Node& node, double a, double b) {
  for (const double one : {a, b})
    if (one != std::floor(one) || std::abs(one) > kLargestWhole)
      fail(node, fmt::format("got {} beside %; must be a whole number", one));
  if (b == 0) fail(node, "division by zero");
  return std::fmod(a, b);
}

double arithmetic(const Node& node, double a, double b) {
  if (const auto answer = ordered(node.op, a, b)) return *answer;
  switch (node.op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      if (b == 0) fail(node, "division by zero");
      return a / b;
    default:
      return remainder(node, a, b);
  }
}

Value evaluate(const Node& node, const PointValues& point) {
  const auto truth = [&](const Node& side) { return is_true(evaluate(side, point)); };
  switch (node.op) {
    case Op::number:
      return node.real;
    case Op::word:
      return value_of(node.text);
    case Op::name: {
      const auto text = point(node.text);
      if (!text) fail(node, node.text + " has no value here");
      return value_of(*text);
    }
    case Op::conditional:
      return evaluate(truth(*node.first) ? *node.second : *node.third, point);
    case Op::logical_or:
      return truth(*node.first) || truth(*node.second) ? 1.0 : 0.0;
    case Op::logical_and:
      return truth(*node.first) && truth(*node.second) ? 1.0 : 0.0;
    case Op::logical_not:
      return truth(*node.first) ? 0.0 : 1.0;
    case Op::equal:
      return evaluate(*node.first, point) == evaluate(*node.second, point) ? 1.0 : 0.0;
    case Op::not_equal:
      return evaluate(*node.first, point) != evaluate(*node.second, point) ? 1.0 : 0.0;
    case Op::negate:
      return -number(*node.first, evaluate(*node.first, point));
    default:
      break;
  }
  const double first = number(*node.first, evaluate(*node.first, point));
  return arithmetic(node, first, number(*node.second, evaluate(*node.second, point)));
}

ExpressionSyntax point_syntax(std::function<void(const Node&)> on_name) {
  return {
      .noun = "formula",
      .operands = "a number, a name",
      .binary = {"||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"},
      .unary = "-!",
      .numbers = NumberSyntax::sized,
      .dotted_names = true,
      .words = true,
      .on_name = std::move(on_name),
  };
}

}  // namespace

PointExpression::PointExpression(const std::string& text) : text_(text) {
  root_ = parse_expression(text, point_syntax([this](const Node& name) {
                             names_.push_back({name.text, name.column});
                           }));
}

bool PointExpression::holds(const PointValues& point) const { return is_true(evaluate(*root_, point)); }

}  // namespace tilescope::sweep
