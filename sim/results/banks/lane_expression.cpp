#include "sim/results/banks/lane_expression.h"

#include <set>

#include "models/support/diagnostic.h"
#include "models/support/expression_parser.h"
#include "sim/results/banks/lane_evaluation.h"

namespace tilescope {
namespace {

void collect(const ExpressionNode& node, std::set<std::int64_t>& pitches) {
  const std::int64_t factor = constant_factor(node);
  if (factor > 1) pitches.insert(factor);
  for (const auto* child : {node.first.get(), node.second.get(), node.third.get()})
    if (child != nullptr) collect(*child, pitches);
}

const ExpressionSyntax& lane_syntax() {
  static const ExpressionSyntax syntax = {
      .noun = "expression",
      .operands = "a number, lane",
      .binary = {"||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "/", "%"},
      .unary = "+-~!",
      .most_levels = 64,
      .most_operators = 1000,
      .on_name =
          [](const ExpressionNode& name) {
            if (name.text != "lane")
              throw ExpressionError(name.column, "unknown name " + in_quotes(name.text) + "; the only one is lane");
          },
  };
  return syntax;
}

}  // namespace

LaneExpression::LaneExpression(const std::string& text) : root_(parse_expression(text, lane_syntax())) {}
LaneExpression::~LaneExpression() = default;
LaneExpression::LaneExpression(LaneExpression&&) noexcept = default;
LaneExpression& LaneExpression::operator=(LaneExpression&&) noexcept = default;

std::int64_t LaneExpression::value(int lane) const { return evaluate(*root_, {.lane = lane}); }

std::int64_t LaneExpression::value_with_pitch(int lane, std::int64_t pitch, std::int64_t replacement) const {
  return evaluate(*root_, {.lane = lane, .pitch = pitch, .replacement = replacement});
}

std::vector<std::int64_t> LaneExpression::pitches() const {
  std::set<std::int64_t> pitches;
  collect(*root_, pitches);
  return {pitches.begin(), pitches.end()};
}

}  // namespace tilescope
