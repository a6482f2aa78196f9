// Text for the shell, whatever it contains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope::sweep {

// One word for a POSIX shell: as it is where no character is special, otherwise in single quotes.
std::string shell_word(std::string_view text);

// Numbers in ascending order, as Slurm's --array takes them: "1-4,7".
std::string index_ranges(const std::vector<int>& numbers);

}  // namespace tilescope::sweep
