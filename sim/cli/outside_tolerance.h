// The answer was written, and is outside the tolerance that the user asked for: exit code 3.
#pragma once

#include <stdexcept>
#include <string>

namespace tilescope::cli {

// Printed as "tilescope: outside the asked tolerance" and the lines of `offending`.
struct OutsideTolerance : std::runtime_error {
  explicit OutsideTolerance(const std::string& offending) : std::runtime_error(offending) {}
};

}  // namespace tilescope::cli
