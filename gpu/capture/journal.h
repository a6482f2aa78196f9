// The file "journal" of a bundle that is being recorded: one record per different launch, in the order of their ids
// from 1. The launcher makes launch files of them when the program has ended; text would cost the program more time
// than all the rest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch_text.h"

namespace tilescope::capture {

std::string journal_record(const LaunchFile& launch);

// Up to the first record that is not whole.
std::vector<LaunchFile> read_journal(std::string_view journal);

}  // namespace tilescope::capture
