#include "traces/sass/launch_attributes.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/support/suggest.h"
#include "models/support/yaml_text.h"
#include "traces/sass/launch_numbers.h"

namespace tilescope::sass {
namespace {

constexpr const char* kNumbered = "attribute_";
constexpr std::size_t kLongest = 200;  // characters of an attribute without a name

bool is_numbered(const std::string& key) {
  if (!key.starts_with(kNumbered)) return false;
  const std::string number = key.substr(std::string(kNumbered).size());
  return !number.empty() && number.size() < 10 && number.find_first_not_of("0123456789") == std::string::npos;
}

// What the value must be; empty: it is.
std::string refusal(const std::string& key, const std::string& value) {
  const auto number = whole_in(value);
  if (key == "carveout") return number && *number >= -1 && *number <= 100 ? "" : "a whole number from -1 to 100";
  if (key == "priority")
    return number && *number >= -1000 && *number <= 1000 ? "" : "a whole number from -1000 to 1000";
  if (key == "cooperative" || key == "programmatic_serialization")
    return value == "true" || value == "false" ? "" : "true or false";
  return value.size() <= kLongest ? "" : fmt::format("of at most {} characters", kLongest);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> read_attributes(const YamlSection::Entry& attributes,
                                                                 Diagnostics& errors) {
  std::vector<std::pair<std::string, std::string>> read;
  const Place place = place_of(attributes.value, attributes.key_place);
  if (!attributes.value.IsMap()) {
    errors.push_back(place.error(fmt::format("attributes: got {}; must be a map", seen(attributes.value))));
    return read;
  }
  YamlSection section(attributes.value, "attributes.", place, errors);
  const std::vector<std::string> known = {"carveout", "cooperative", "programmatic_serialization", "priority"};
  for (const auto& entry : section.entries()) {
    const bool named = std::find(known.begin(), known.end(), entry.key) != known.end();
    if (!named && !is_numbered(entry.key)) {
      errors.push_back(
          entry.key_place.error(fmt::format("attributes.{}: unknown key{}; one without a name is "
                                            "attribute_NUMBER",
                                            entry.key, did_you_mean(entry.key, known))));
      continue;
    }
    const std::string value = entry.value.IsScalar() ? entry.value.Scalar() : "";
    const std::string must = entry.value.IsScalar() ? refusal(entry.key, value) : "a plain value";
    if (must.empty())
      read.emplace_back(entry.key, value);
    else
      errors.push_back(
          place_of(entry.value, entry.key_place)
              .error(fmt::format("attributes.{}: got {}; must be {}", entry.key, seen(entry.value), must)));
  }
  return read;
}

}  // namespace tilescope::sass
