// The template arguments of a mangled function name, as far as they are numbers: 128, 8 and 1 of
// ...ILi128ELi8ELb1EEE...
#pragma once

#include <string>
#include <vector>

namespace tilescope {

inline std::vector<int> template_numbers(const std::string& function) {
  std::vector<int> numbers;
  for (std::size_t at = 0; (at = function.find('L', at)) != std::string::npos; ++at) {
    std::size_t digit = at + 2;
    if (digit >= function.size() || (function[at + 1] != 'i' && function[at + 1] != 'b')) continue;
    int number = 0;
    const std::size_t first = digit;
    for (; digit < function.size() && function[digit] >= '0' && function[digit] <= '9'; ++digit)
      number = 10 * number + (function[digit] - '0');
    if (digit > first && digit < function.size() && function[digit] == 'E') numbers.push_back(number);
  }
  return numbers;
}

}  // namespace tilescope
