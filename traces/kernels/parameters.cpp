#include "traces/kernels/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "models/support/diagnostic.h"
#include "models/support/suggest.h"

namespace tilescope {
namespace {

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

bool is_accepted(const ParameterInfo& info, const std::string& text) {
  if (!info.words.empty()) return std::find(info.words.begin(), info.words.end(), text) != info.words.end();
  const auto value = whole_number(text);
  return value && *value >= info.least && *value <= info.most;
}

}  // namespace

std::string ParameterInfo::accepted() const {
  return words.empty() ? fmt::format("a whole number from {} to {}", least, most) : list_of(words);
}

Parameters::Parameters(const std::vector<ParameterInfo>& known, const ParameterTexts& given,
                       std::vector<std::string>& problems)
    : known_(known) {
  std::vector<std::string> names;
  for (const ParameterInfo& info : known) {
    names.push_back(info.name);
    values_[info.name] = info.standard;
  }
  for (const auto& entry : given) {
    const std::string& name = entry.first;
    const std::string& text = entry.second;
    const auto info = std::find_if(known.begin(), known.end(), [&](const ParameterInfo& i) { return i.name == name; });
    if (info == known.end())
      problems.push_back(fmt::format("parameter {}: unknown{}; this kernel has {}", in_quotes(name),
                                     did_you_mean(name, names), list_of(names, "and")));
    else if (!is_accepted(*info, text))
      problems.push_back(fmt::format("parameter {}: got {}; must be {}{}", name, in_quotes(text), info->accepted(),
                                     did_you_mean(text, info->words)));
    else
      values_[name] = text;
  }
}

std::int64_t Parameters::number(const std::string& name) const {
  const auto value = whole_number(word(name));
  if (!value) throw std::logic_error("parameter " + name + " is not a number");
  return *value;
}

const std::string& Parameters::word(const std::string& name) const { return values_.at(name); }

std::vector<std::pair<std::string, std::string>> Parameters::resolved() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const ParameterInfo& info : known_) all.emplace_back(info.name, values_.at(info.name));
  return all;
}

}  // namespace tilescope
