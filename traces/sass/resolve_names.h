// Gives the numbers of an instruction that are halves of a name's address, 32@lo(name), their values.
#pragma once

#include <string>

#include "traces/sass/linked_code.h"
#include "traces/sass/parsed_instruction.h"

namespace tilescope::sass {

// What is wrong, in one sentence; empty: nothing.
std::string resolve_names(ParsedInstruction& parsed, const ListedFunction& function, const LinkedCode& code);

}  // namespace tilescope::sass
