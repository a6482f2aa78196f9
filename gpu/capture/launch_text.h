// The text of a launch file (docs/sass.md) and of a line of launches.yaml.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "launch.h"

namespace tilescope::capture {

constexpr std::size_t kTensorMapBytes = 128;

struct LaunchFile {
  std::string code;    // path of the cubin, from the launch file
  std::string kernel;  // symbol
  Shape shape;
  std::vector<Parameter> parameters;
  std::string arguments;  // their bytes, where the parameters lie
  Buffers buffers;
  std::map<std::uint64_t, TensorMap> tensor_maps;  // by their first byte in `arguments`
  std::string remark;                              // in the last line; empty: none
};

std::string launch_text(const LaunchFile& launch);
std::string launches_line(int id, const std::string& kernel, const Shape& shape);

// As it is, or in quotes where YAML needs them.
std::string yaml_text(const std::string& text);
std::string file_of_launch(int id);  // "launches/0001.yaml"

struct PossibleAddress {
  static constexpr std::size_t kNoArgument = ~std::size_t{0};
  std::uint64_t value = 0;
  std::size_t at = kNoArgument;  // byte of the arguments where it stands
};

// Every 8-byte value of the arguments that may be an address: at multiples of 8 from a parameter's beginning, and of
// tensor maps.
std::vector<PossibleAddress> possible_addresses(const std::vector<Parameter>& parameters, std::string_view arguments);

}  // namespace tilescope::capture
