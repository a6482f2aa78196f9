// Lines of cells, padded so that they stand in columns: the first to the left, all others to the right.
#pragma once

#include <string>
#include <vector>

namespace tilescope {

// Every line is indented by `indent` and ended; spaces at its end are taken off. Lines may have different lengths.
std::string aligned_columns(const std::vector<std::vector<std::string>>& lines, std::size_t indent = 0);

}  // namespace tilescope
