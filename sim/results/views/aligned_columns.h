// Lines of cells, padded so that they stand in columns: the first ones to the left, all others to the right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tilescope {

// Columns are as wide as their widest cell. Spaces at the end of a line are taken off. Lines may have different
// lengths. `left`: how many columns stand to the left.
std::string aligned_columns(const std::vector<std::vector<std::string>>& lines, std::size_t left = 1);

}  // namespace tilescope
