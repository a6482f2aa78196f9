// What people ask about a launch before it runs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/isa/kernel.h"

namespace tilescope::sass {

struct BufferFacts {
  std::string name;  // "": it has none
  std::uint64_t base = 0, size = 0;
  std::uint64_t filled = 0;  // byte of it that the file fills
  bool contents = false;     // the file says what it holds, be it nothing but zeros
};

struct LaunchFacts {
  Launch launch;  // shared memory and registers: where the listing says them
  Dim3 cluster;   // CTAs
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<std::string> arguments;  // "a + 256", "i32 1024"
  std::vector<BufferFacts> buffers;
  std::string code;      // the listing, or the cubin
  int architecture = 0;  // 90 for sm_90
  std::size_t instructions = 0;
  // Of a kernel that was decoded: addresses or branches depend on what is loaded from global memory.
  bool needs_global = false;

  bool has_contents() const {
    for (const BufferFacts& buffer : buffers)
      if (buffer.contents) return true;
    return false;
  }
};

}  // namespace tilescope::sass
