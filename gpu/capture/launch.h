// One launch of a kernel, as the bundle stores it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "allocations.h"
#include "cubin.h"

namespace tilescope::capture {

using Sizes = std::array<std::uint32_t, 3>;

// What the program asked for, but the argument bytes.
struct Shape {
  Sizes grid{1, 1, 1}, block{1, 1, 1}, cluster{0, 0, 0};  // cluster: zeros where there is none
  std::uint32_t dynamic_shared = 0;
  std::map<std::string, std::string> attributes;  // name -> text of the value
};

// One stretch of a buffer's memory, and the file that holds it.
struct Content {
  std::uint64_t at = 0;
  std::string file;
};

struct Buffer {
  Allocation place;
  std::vector<Content> contents;
  std::string left_out;  // why its memory was not stored whole; empty: nothing to say
};

// The words of cuTensorMapEncodeTiled, as text of a YAML mapping without its address.
struct TensorMap {
  std::uint64_t address = 0;
  std::string words;
};

// Buffers by address.
using Buffers = std::map<std::uint64_t, Buffer>;

}  // namespace tilescope::capture
