// The text of a launch file with formulas over a measured row in it: `grid: [${n/32}, ${m/32}]`.
#pragma once

#include <string>
#include <vector>

#include "sim/studies/measured/row_expression.h"

namespace tilescope {

class LaunchTemplate {
 public:
  LaunchTemplate() = default;
  // Throws ExpressionError; its column counts from 1 within `text`, line feeds included.
  explicit LaunchTemplate(const std::string& text);

  bool empty() const { return texts_.empty(); }
  // Throws ExpressionError when a formula has no value for the row.
  std::string filled(const RowValues& row) const;
  const std::vector<RowExpression>& formulas() const { return formulas_; }

 private:
  std::vector<std::string> texts_;  // one more than formulas: text, formula, text, ...
  std::vector<RowExpression> formulas_;
};

}  // namespace tilescope
