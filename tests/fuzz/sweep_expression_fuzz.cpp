// The first line chooses: "point" a formula over a study's point, "row" one over a measured row, "values" a list or
// range of values. The rest is the text.
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/studies/measured/launch_template.h"
#include "sim/studies/sweep/point_expression.h"
#include "sim/studies/sweep/value_list.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilescope;
  const std::string whole(reinterpret_cast<const char*>(data), size);
  const std::size_t line = whole.find('\n');
  if (line == std::string::npos) return 0;
  const std::string kind = whole.substr(0, line);
  const std::string text = whole.substr(line + 1);
  const auto value = [](const std::string& name) -> std::optional<std::string> {
    if (name == "missing") return std::nullopt;
    return name == "raster" ? "row" : name == "huge" ? "9223372036854775807" : "128";
  };
  try {
    if (kind == "point") {
      (void)sweep::PointExpression(text).holds(value);
    } else if (kind == "values") {
      (void)sweep::listed_values(text);
    } else if (kind == "row") {
      (void)LaunchTemplate(text).filled({{"whole", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, value});
    }
  } catch (const ExpressionError&) {
  }
  return 0;
}
