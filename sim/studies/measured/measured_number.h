// A number in a measurement's cell: "1234", "1,234.5", "6.7e+08".
#pragma once

#include <optional>
#include <string_view>

namespace tilescope {

// nullopt: no finite number. Commas are accepted where thousands end, only.
std::optional<double> measured_number(std::string_view text);

}  // namespace tilescope
