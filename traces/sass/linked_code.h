// The functions that a launch of a kernel can reach, one behind the other, and the address of every name that its code
// and data hold: functions, variables of the module, system calls of the driver.
//
// Code addresses are 64-bit: kCodeAddress plus 16 for every instruction before. Functions that the file does not hold
// (vprintf, __assertfail, malloc: the driver's) have addresses behind all code; what happens when one is called:
// system_call.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "models/support/diagnostic.h"
#include "traces/sass/limits.h"
#include "traces/sass/listing.h"
#include "traces/sass/memory_image.h"

namespace tilescope::sass {

inline constexpr std::uint64_t kCodeAddress = 0x7b0000000000;
inline constexpr std::uint32_t kInstructionBytes = 16;
// Places of instructions lie below; behind them one for each function outside the file.
inline constexpr std::uint32_t kOutsidePlace = std::uint32_t{1} << 27U;

struct LinkedFunction {
  const ListedFunction* listed = nullptr;
  std::uint32_t first = 0;  // place of its first instruction
  bool by_address = false;  // nothing names it but addresses: what it holds may never run
};

struct LinkedCode {
  std::string file;
  std::vector<LinkedFunction> functions;                        // the kernel first
  std::map<std::string, std::uint64_t, std::less<>> addresses;  // of functions and variables
  std::vector<std::string> outside;                             // functions that the file does not hold, by place
  std::vector<std::uint32_t> table;                             // byte addresses in the kernel that its bank 2 holds
  std::uint64_t constants_address = 0;  // where bank 3 lies in global memory; 0: the module has none
  std::uint64_t instructions() const;
};

// One function alone, which names no other.
LinkedCode link_alone(const ListedFunction& function, const std::string& file);

// Code of the kernel and of what it can call. `module` says what data name; relocations of cuobjdump's listing are
// written into the text of its instructions, as nvdisasm prints them: 32@lo(name), `(name). Variables of the module
// become buffers behind those of the launch, and the constants of the kernel get the addresses that they hold.
// Errors: a relocation that is not known, with the line of the instruction.
tl::expected<LinkedCode, Diagnostics> link_kernel(Listing& listing, ListedFunction& kernel, const Module& module,
                                                  KernelFacts& facts, DeviceMemory& memory);

}  // namespace tilescope::sass
