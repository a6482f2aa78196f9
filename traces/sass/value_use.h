// What an instruction takes the words in its registers for: floating-point numbers, whole numbers, or anything, which
// it passes on.
#pragma once

#include <cstdint>

#include "traces/sass/decoded.h"
#include "traces/sass/parsed_instruction.h"

namespace tilescope::sass {

// Sets Decoded::takes. Passed on are words that are moved, selected or shuffled, halves of words that are put into
// others, and words whose sign is changed by a mask. What is not known to calculate with floating-point numbers or to
// pass words on takes whole numbers.
void find_value_use(const ParsedInstruction& parsed, Decoded& decoded);

}  // namespace tilescope::sass
