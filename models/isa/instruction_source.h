// Where a static instruction comes from, for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tilescope {

struct InstructionSource {
  // Its index in Kernel::code(), or that of the instruction it is a second form of: both are one of the source's.
  std::size_t index = 0;
  std::string text;                      // as disassembled; a generator's: its class
  std::optional<std::uint32_t> address;  // byte, from the function's first instruction
  std::uint32_t listing_line = 0;        // of the disassembly; 0: unknown
  std::string file;                      // source code, as the compiler named it; empty: unknown
  int line = 0;                          // of `file`
};

}  // namespace tilescope
