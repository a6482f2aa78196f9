// Comparisons of real numbers: ordered (false when a NaN takes part), unordered (true then), NUM and NAN.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

namespace tilescope::sass {

// Bits: 1 less, 2 equal, 4 greater, 8 unordered.
inline std::uint32_t comparison_bits(const std::string& name) {
  struct Known {
    const char* name;
    std::uint32_t bits;
  };
  static constexpr Known known[] = {{"F", 0},    {"LT", 1},   {"EQ", 2},   {"LE", 3},  {"GT", 4},   {"NE", 5},
                                    {"GE", 6},   {"NUM", 7},  {"NAN", 8},  {"LTU", 9}, {"EQU", 10}, {"LEU", 11},
                                    {"GTU", 12}, {"NEU", 13}, {"GEU", 14}, {"T", 15}};
  for (const Known& one : known)
    if (name == one.name) return one.bits;
  return 16;
}

template <class T>
bool compares(T a, T b, std::uint32_t bits) {
  const std::uint32_t found = a < b ? 1U : a == b ? 2U : a > b ? 4U : 8U;
  return (bits & found) != 0;
}

// The smaller or the larger; a NaN gives way to a number; -0 is less than +0.
template <class T>
T extreme(T a, T b, bool smaller) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) == smaller ? a : b;
  return (a < b) == smaller ? a : b;
}

}  // namespace tilescope::sass
