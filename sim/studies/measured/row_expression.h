// A formula over one measured row, such as `grid.y*$1` or `$4 == '_xor' ? 'xor' : 'none'`.
//
//   whole numbers   'words'   $1 ... $9 (what the rule's pattern captured; empty where it took no part)
//   names           columns of the row (m, n, k, group, keys of `parameters`), grid.x .y .z, block.x .y .z, and
//                   counters (smsp__inst_executed.sum)
//   ?:   ||   &&   == !=   < <= > >=   + -   * / %   unary -   ( )
//
// Values are texts; arithmetic and < work on those that are whole numbers (64 bits) and refuse others, == compares
// texts. A divisor must be positive and leave no remainder: a size that comes out broken says that the formula does not
// fit the kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/support/expression.h"

namespace tilescope {

// What the names of a formula stand for.
struct RowValues {
  std::vector<std::string> captures;                                        // [0] is the whole match
  std::function<std::optional<std::string>(const std::string& name)> name;  // nullopt: the row does not have it
};

class RowExpression {
 public:
  // Throws ExpressionError. Refuses formulas nested deeper than 32 levels.
  explicit RowExpression(const std::string& text);
  ~RowExpression();
  RowExpression(RowExpression&&) noexcept;
  RowExpression& operator=(RowExpression&&) noexcept;

  // Throws ExpressionError, also for a name that the row does not have.
  std::string value(const RowValues& row) const;

  std::size_t highest_capture() const;     // 4 for $4; 0: none
  std::vector<std::string> names() const;  // as they stand in the formula

 private:
  std::unique_ptr<ExpressionNode> root_;
};

}  // namespace tilescope
