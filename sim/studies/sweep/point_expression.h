// A formula over one point of a study, such as `bm*bk + bk*bn <= 48KiB / 4` or `raster == 'grouped' || M > 1024`.
//
//   numbers (64, 0.5, 48KiB, 40MiB, 1GiB)   'words'   names   ?:   || &&   == !=   < <= > >=   + - * / %   unary - ! (
//   )
//
// A value that reads as a number is one, others are words. / divides exactly (7/2 is 3.5), % takes whole numbers; words
// know only == and !=.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/support/expression.h"

namespace tilescope::sweep {

// nullopt: the point has no value of that name.
using PointValues = std::function<std::optional<std::string>(const std::string& name)>;

class PointExpression {
 public:
  // Throws ExpressionError.
  explicit PointExpression(const std::string& text);

  struct Name {
    std::string text;
    std::size_t column;
  };
  const std::string& text() const { return text_; }
  const std::vector<Name>& names() const { return names_; }  // in the order of the formula, repeated as they are there

  // False for "", 0 and false. Throws ExpressionError, also for a name without a value.
  bool holds(const PointValues& point) const;

 private:
  std::string text_;
  std::vector<Name> names_;
  std::shared_ptr<const ExpressionNode> root_;
};

}  // namespace tilescope::sweep
