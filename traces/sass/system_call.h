// Functions that a kernel's file names and does not hold: system calls of the driver. To hold one is no error; to reach
// it is, unless it can return at once.
#pragma once

#include <string>
#include <string_view>

namespace tilescope::sass {

// Why the call cannot be executed; empty: it returns at once (vprintf, which prints nothing).
inline std::string refuse_system_call(std::string_view name) {
  const std::string quoted_name = "'" + std::string(name) + "'";
  if (name == "vprintf") return {};
  if (name == "__assertfail") return "an assertion of the kernel fails (a call of '__assertfail')";
  if (name == "malloc" || name == "free")
    return "a call of " + quoted_name + ", which is not executed: memory is what the launch file gives";
  return "a call of " + quoted_name + ", which is not in the file";
}

}  // namespace tilescope::sass
