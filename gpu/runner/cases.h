// What to run: one kernel on one problem. From the command line or from a file with one case per line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilescope::gpu {

struct Setting {
  std::string name;
  std::string value;
};

// KERNEL M N K [GROUP] for a GEMM, KERNEL [NAME=VALUE]... for a memory kernel.
struct Case {
  std::string where;  // "cases.txt:3: " for messages; empty for a case from the command line
  std::string kernel;
  bool gemm = false;
  int m = 0;
  int n = 0;
  int k = 0;
  int group = 1;
  std::vector<Setting> settings;
};

struct Options {
  enum class List { kNothing, kGemm, kMemory };
  List list = List::kNothing;
  bool once = false;
  bool check = true;
  bool cold = false;
  bool warm = false;
  int warmups = 2;
  int repeats = 9;
  std::uint32_t seed = 1;
  std::vector<Case> cases;
};

// Throws std::invalid_argument with one sentence a line for everything it cannot read.
Options parse_command_line(const std::vector<std::string>& arguments);

extern const char* const kUsage;

}  // namespace tilescope::gpu
