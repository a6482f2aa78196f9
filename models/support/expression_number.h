// The numbers of a formula.
#pragma once

#include "models/support/expression_parser.h"

namespace tilescope {

// Reads node.text into node.number or node.real. Throws ExpressionError at the node's column.
void read_expression_number(ExpressionNode& node, NumberSyntax syntax);

}  // namespace tilescope
