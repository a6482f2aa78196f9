// What to run: one kernel instance on one problem. From the command line or from a file with one case per line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::gpu {

struct Case {
  std::string kernel;
  int m = 0;
  int n = 0;
  int k = 0;
  int group = 1;
};

struct Options {
  bool list = false;
  bool check = true;
  int warmups = 2;
  int repeats = 9;
  std::uint32_t seed = 1;
  std::vector<Case> cases;
};

// Throws std::invalid_argument with one sentence for what it cannot read.
Options parse_command_line(const std::vector<std::string>& arguments);

extern const char* const kUsage;

}  // namespace tilescope::gpu
