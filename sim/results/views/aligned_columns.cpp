#include "sim/results/views/aligned_columns.h"

#include <algorithm>

namespace tilescope {

std::string aligned_columns(const std::vector<std::vector<std::string>>& lines, std::size_t left) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    std::string one;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - line[i].size(), ' ');
      if (i != 0) one += "  ";
      one += i < left ? line[i] : padding;
      one += i < left ? padding : line[i];
    }
    text += one.substr(0, one.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace tilescope
