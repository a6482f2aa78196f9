// The arguments of a launch file: their bytes in constant memory, and the buffers they point to.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/support/yaml_section.h"
#include "traces/sass/limits.h"
#include "traces/sass/memory_image.h"

namespace tilescope::sass {

struct Argument {
  std::vector<std::uint8_t> bytes;  // as the kernel reads it
  Place place;                      // in the launch file
};

// 1024 | {i64: n} | {f32: x} | {buffer: 4MiB, init: zero} | {buffer: 4KiB, file: data.bin} ...
// Buffers are added to `memory` and get device-like addresses, in order. Files are looked for beside the launch file.
// Refused: more bytes than a kernel's parameters can have, structs in structs beyond 16, more buffers than `limits` and
// the address space hold.
std::vector<Argument> read_arguments(const YAML::Node& list, const Place& place, const std::string& folder,
                                     const Limits& limits, DeviceMemory& memory, Diagnostics& errors);

}  // namespace tilescope::sass
