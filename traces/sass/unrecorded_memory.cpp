#include "traces/sass/unrecorded_memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope::sass {

std::string UnrecordedReads::sentence() const {
  const auto loads = std::count_if(read_.begin(), read_.end(), [](const auto& one) { return one.load(); });
  if (loads == 0) return "";
  return fmt::format(
      "memory whose contents are not recorded reads as floating-point numbers from 0.25 to 2 where branches depend on "
      "them ({} load{} of the code)",
      loads, loads == 1 ? "" : "s");
}

}  // namespace tilescope::sass
