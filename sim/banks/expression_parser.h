#pragma once

#include <memory>
#include <string>

#include "sim/banks/expression_node.h"

namespace tilescope {

// Throws ExpressionError with the column.
std::unique_ptr<ExpressionNode> parse_expression(const std::string& text);

}  // namespace tilescope
