// A tensor map as cuTensorMapEncodeTiled() takes it: how a TMA instruction walks through a tensor in global memory.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/support/yaml_section.h"

namespace tilescope::sass {

inline constexpr std::size_t kTensorMapBytes = 128;  // of the argument; opaque, 64-byte aligned

struct TensorMap {
  std::string type;                                      // f16, bf16, f32, ...
  std::vector<std::uint64_t> dims;                       // elements, the innermost first
  std::vector<std::uint64_t> strides;                    // byte, from the second dimension on
  std::vector<std::uint64_t> box;                        // elements that one instruction moves
  std::vector<std::uint64_t> element_strides;            // in elements
  std::string swizzle = "none", interleave = "none";     // byte: none, 32, 64, 128; none, 16, 32
  std::string l2_promotion = "none", oob_fill = "none";  // byte: none, 64, 128, 256; none, nan
};

// The keys of `section` but `buffer`, `offset` and `address`; a value newer than its words is a number. What the driver
// would refuse is an error.
TensorMap read_tensor_map(YamlSection& section, Diagnostics& errors);

}  // namespace tilescope::sass
