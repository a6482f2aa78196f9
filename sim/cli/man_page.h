// Manual pages of section 1, in the man macros of roff, from the option tables.
#pragma once

#include <string>

#include "sim/cli/option_table.h"

namespace tilescope::cli {

// "tilescope-sweep-merge": of a command's page, without the section.
std::string man_page_name(const Command& command);

std::string man_page();                           // of the program
std::string man_page(const CommandTable& table);  // of a command, or of an action of one

}  // namespace tilescope::cli
