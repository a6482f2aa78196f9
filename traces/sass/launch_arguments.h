// The arguments of a launch file: their bytes in constant memory, and the buffers they point to.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/support/yaml_section.h"
#include "traces/sass/launch_buffers.h"
#include "traces/sass/tensor_map.h"

namespace tilescope::sass {

struct Argument {
  std::vector<std::uint8_t> bytes;  // as the kernel reads it
  Place place;                      // in the launch file
  std::string text;                 // for people: "a + 256", "f32 0.5"
  std::optional<TensorMap> tensor_map;
};

// 1024 | {i64: n} | {f32: x} | {buffer: 4MiB, init: zero} | {pointer: a, offset: 256} | {tensor_map: {...}}
// {bytes: "00ff", pointers: {8: {pointer: a}}} ...
// Refused: more bytes than a kernel's parameters can have, structs in structs beyond 16, more buffers than the limits
// and the address space hold, pointers out of their buffers.
std::vector<Argument> read_arguments(const YAML::Node& list, const Place& place, LaunchBuffers& buffers,
                                     Diagnostics& errors);

}  // namespace tilescope::sass
