#include "models/isa/instruction.h"

#include <array>

namespace tilescope {

std::string_view name(OpClass op) {
  static constexpr std::array<std::string_view, kOpClasses> names = {
      "fma",          "imad",          "alu",         "half",          "fp64",          "xu",
      "tensor",       "uniform",       "branch",      "exit",          "nop",           "barrier",
      "dependency",   "membar",        "special",     "constant_load", "shuffle",       "global_load",
      "global_store", "global_atomic", "shared_load", "shared_store",  "shared_atomic", "matrix_load",
      "async_copy",   "local_load",    "local_store", "imad_wide"};
  return names[static_cast<std::size_t>(op)];
}

}  // namespace tilescope
