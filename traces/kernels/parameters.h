// The parameters of the built-in kernels: described once, checked in one place, read by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilescope {

// One parameter of a kernel. Either a list of words is accepted, or a whole number from `least` to `most`.
struct ParameterInfo {
  std::string name;
  std::string standard;              // the default
  std::string meaning;               // with its unit
  std::int64_t least = 0, most = 0;  // when `words` is empty
  std::vector<std::string> words = {};

  std::string accepted() const;  // "1 to 65536" or "row, column, grouped or morton"
};

using ParameterTexts = std::map<std::string, std::string>;

// The values of one kernel's parameters: defaults, then what was given. Wrong keys and values are collected, not
// thrown.
class Parameters {
 public:
  Parameters(const std::vector<ParameterInfo>& known, const ParameterTexts& given, std::vector<std::string>& problems);

  std::int64_t number(const std::string& name) const;
  int small(const std::string& name) const { return static_cast<int>(number(name)); }
  bool flag(const std::string& name) const { return number(name) != 0; }
  const std::string& word(const std::string& name) const;
  // In the order of the description, as resolved.
  std::vector<std::pair<std::string, std::string>> resolved() const;

 private:
  const std::vector<ParameterInfo>& known_;
  ParameterTexts values_;
};

}  // namespace tilescope
