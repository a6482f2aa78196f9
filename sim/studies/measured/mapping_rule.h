// The rules of a KernelMapping, and their reading from YAML.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "models/support/diagnostic.h"
#include "models/support/name_pattern.h"
#include "sim/studies/measured/launch_template.h"
#include "sim/studies/measured/row_expression.h"

namespace tilescope {

struct MappingRule {
  struct Value {
    std::string parameter;
    std::string word;                         // taken as it is, where there are no alternatives
    std::vector<RowExpression> alternatives;  // the first whose names the row has counts
  };

  NamePattern match;
  std::string skip;  // the reason; "": no skip rule
  std::string kernel;
  bool row_parameters = false;  // `parameters: row`
  std::vector<Value> values;
  LaunchTemplate launch;                                     // empty: a built-in kernel
  std::vector<std::pair<std::string, RowExpression>> names;  // that the launch's formulas may use, in order
};

// The rules in their order, or every error of the text, sorted by position.
tl::expected<std::vector<MappingRule>, Diagnostics> read_mapping_rules(const std::string& text,
                                                                       const std::string& name);

}  // namespace tilescope
