#include "models/support/yaml_section.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include "models/support/suggest.h"
#include "models/support/yaml_text.h"

namespace tilescope {

Place place_of(const YAML::Node& node, const Place& otherwise) {
  if (!node.IsDefined() || node.IsNull()) return otherwise;
  const YAML::Mark mark = node.Mark();
  if (mark.is_null()) return otherwise;
  return {otherwise.file, mark.line + 1, mark.column + 1};
}

YamlSection::YamlSection(const YAML::Node& node, const std::string& prefix, const Place& place, Diagnostics& errors)
    : place_(place) {
  if (!node.IsDefined()) return;
  for (const auto& pair : node) {
    const Place key_place = place_of(pair.first, place);
    if (!pair.first.IsScalar()) {
      errors.push_back(
          key_place.error(fmt::format("{}: got {}; must be a plain word", prefix + "?", seen(pair.first))));
      continue;
    }
    const std::string& key = pair.first.Scalar();
    if (const Entry* first = find(key)) {
      errors.push_back(key_place.error(
          fmt::format("{}{}: given twice (first in line {}); must be given once", prefix, key, first->key_place.line)));
      continue;
    }
    numbers_.emplace(key, entries_.size());
    entries_.push_back({key, pair.second, key_place, false});
  }
}

const YamlSection::Entry* YamlSection::find(std::string_view key) const {
  const auto found = numbers_.find(key);
  return found == numbers_.end() ? nullptr : &entries_[found->second];
}

const YamlSection::Entry* YamlSection::take(std::string_view key) {
  const auto found = numbers_.find(key);
  if (found == numbers_.end()) return nullptr;
  entries_[found->second].known = true;
  return &entries_[found->second];
}

void YamlSection::refuse_unknown(const std::vector<std::string>& keys, Diagnostics& errors) const {
  for (const Entry& entry : entries_)
    if (!entry.known)
      errors.push_back(entry.key_place.error(
          fmt::format("{}: unknown key{}; must be {}", entry.key, did_you_mean(entry.key, keys), list_of(keys))));
}

}  // namespace tilescope
