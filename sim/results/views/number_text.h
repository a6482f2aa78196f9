// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace tilescope {

// 33,554,432
std::string grouped(double whole);

// A power of 1000 and its prefix, so that `value` prints with three or four significant digits: 8.4e9 -> {1e9, "G"}.
struct Scale {
  double factor = 1;
  std::string prefix;
};
Scale scale_for(double value);

// "8.4 GB", "66.9 TFLOP/s": three to four digits.
std::string scaled(double value, const std::string& unit);

// In powers of 1024: "228 KiB", "60 MiB".
std::string binary_bytes(double bytes);

}  // namespace tilescope
