// Names in cuobjdump's text, which prints zeros where the loader writes addresses: each relocation of a function is
// written into the instruction's text as nvdisasm prints it.
#pragma once

#include "traces/sass/listing.h"

namespace tilescope::sass {

// Leaves text that has names alone. Errors: a relocation outside the function, or of a kind that is not known.
void write_relocations(ListedFunction& function, const ModuleSection& section, const std::string& file,
                       Diagnostics& errors);

}  // namespace tilescope::sass
