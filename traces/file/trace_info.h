// What a trace holds, without decoding its instructions: the tables count them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/isa/kernel.h"

namespace tilescope {

struct TraceInfo {
  Launch launch;
  std::uint32_t version = 0;
  std::uint64_t warps = 0;
  std::uint64_t segments = 0;
  std::uint64_t instructions = 0;                                 // warp instructions
  std::array<std::uint64_t, kOpClasses> instructions_by_class{};  // by OpClass
  std::uint64_t operands = 0;                                     // of memory instructions
  std::uint64_t static_instructions = 0;
  std::uint64_t lane_patterns = 0;
  std::uint64_t blocks = 0;
  std::uint64_t encoded_bytes = 0;  // before compression
  std::uint64_t file_bytes = 0;

  double bytes_per_instruction() const { return static_cast<double>(file_bytes) / static_cast<double>(instructions); }
  // Against the plain form: 4 bytes per instruction and 32 addresses of 8 bytes per operand.
  double compression() const {
    return (4 * static_cast<double>(instructions) + 256 * static_cast<double>(operands)) /
           static_cast<double>(file_bytes);
  }
};

// Throws TraceError as open_trace does.
TraceInfo read_trace_info(const std::string& path);

}  // namespace tilescope
