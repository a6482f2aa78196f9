// What a launch asks for beyond its sizes: launch attributes, in the words of a launch file.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>

#include "launch.h"

namespace tilescope::capture {

// Small and without pointers, so that a launch's identity can be taken from its bytes.
struct LaunchAttributes {
  struct Entry {
    std::uint32_t id = 0, unused = 0;
    std::uint64_t value = 0;
  };
  Sizes cluster{0, 0, 0};
  std::uint32_t count = 0;  // of entries
  std::array<Entry, 16> entries{};

  void add(const CUlaunchAttribute* attributes, unsigned number);
  void add(CUlaunchAttributeID id, const CUlaunchAttributeValue& value);
  void set(std::uint32_t id, std::uint64_t value);
};

// Adds them to the shape.
void describe(const LaunchAttributes& attributes, Shape& shape);

}  // namespace tilescope::capture
