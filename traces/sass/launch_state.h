// Constant bank 0 as the driver fills it: dimensions, windows, stack pointer, parameters.
#pragma once

#include "models/support/diagnostic.h"
#include "traces/sass/kernel_facts.h"
#include "traces/sass/launch_arguments.h"
#include "traces/sass/linked_code.h"
#include "traces/sass/warp_state.h"

namespace tilescope::sass {

inline constexpr std::int64_t kReservedShared = 1024;  // byte at the start of shared memory, sm_90

// Where parameters begin unless the ELF image says it: 0x160 for sm_8x, 0x210 for sm_90. Without a layout, arguments
// lie one after the other at multiples of their size. Errors: a number or size of arguments other than the kernel's.
void fill_constants(LaunchState& state, const ListedFunction& function, const KernelFacts& facts,
                    const std::vector<Argument>& arguments, const Place& place, Diagnostics& errors);

// Bank 0 says where a copy of bank 3 lies in global memory, for pointers to __constant__ variables.
void set_constants_address(LaunchState& state, int architecture, std::uint64_t address);

// The highest register that the code names.
int highest_register(const LinkedCode& code);

}  // namespace tilescope::sass
