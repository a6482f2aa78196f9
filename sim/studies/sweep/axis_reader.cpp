#include "sim/studies/sweep/axis_reader.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "models/support/yaml_text.h"
#include "sim/studies/sweep/value_list.h"

namespace tilescope::sweep {
namespace {

std::vector<std::string> names_of(const std::string& key) {
  std::vector<std::string> names;
  std::size_t from = 0;
  while (true) {
    const std::size_t comma = key.find(',', from);
    std::string name = key.substr(from, comma == std::string::npos ? comma : comma - from);
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    names.push_back(std::move(name));
    if (comma == std::string::npos) return names;
    from = comma + 1;
  }
}

// A list that is one value: [16, 18] of gpu.sm.gpcs.
std::string flow_text(const YAML::Node& list) {
  std::string text;
  for (const YAML::Node& one : list) text += (text.empty() ? "" : ", ") + (one.IsScalar() ? one.Scalar() : "?");
  return "[" + text + "]";
}

class AxisReader {
 public:
  // `texts` counts up to most_axis_texts.
  AxisReader(const YamlSection::Entry& entry, const std::string& prefix, std::size_t& texts, Diagnostics& errors)
      : what_(prefix + entry.key), texts_(texts), errors_(errors) {
    read_.key = entry.key;
    read_.place = entry.key_place;
    read_.axis.names = names_of(entry.key);
  }

  std::optional<PlacedAxis> read(const YAML::Node& node) {
    const std::size_t before = errors_.size();
    for (const std::string& name : read_.axis.names)
      if (name.empty()) error(read_.place, "must be a name, or names with ',' between them");
    const Place place = place_of(node, read_.place);
    if (node.IsSequence()) {
      if (node.size() == 0) error(place, "got an empty list; must hold at least one value");
      for (const YAML::Node& item : node) value(item, place_of(item, place));
    } else {
      value(node, place);
    }
    if (texts_ <= most_axis_texts) refuse_repeated();
    if (errors_.size() > before) return std::nullopt;
    return std::move(read_);
  }

 private:
  void error(const Place& place, const std::string& problem) { errors_.push_back(place.error(what_ + ": " + problem)); }

  void add(std::vector<std::string> values, const Place& place) {
    const bool was_within = texts_ <= most_axis_texts;
    texts_ += values.size();
    if (texts_ > most_axis_texts) {
      if (was_within) error(place, fmt::format("the parameters have more than {} values", most_axis_texts));
      return;
    }
    read_.axis.values.push_back(std::move(values));
    read_.value_places.push_back(place);
  }

  void value(const YAML::Node& node, const Place& place) {
    const std::size_t names = read_.axis.names.size();
    if (node.IsSequence() && names > 1) return together(node, place);
    if (node.IsSequence()) return add({flow_text(node)}, place);
    if (!node.IsScalar() || node.Scalar().empty())
      return error(place, fmt::format("got {}; must be a value, a range or a list of them{}", seen(node),
                                      node.IsNull() ? " (within { }, names with ',' between them need quotes)" : ""));
    const auto values = listed_values(node.Scalar());
    if (!values) return error(place, values.error());
    for (const std::string& one : *values) {
      if (texts_ > most_axis_texts) return;
      add(std::vector<std::string>(names, one), place);
    }
  }

  // [64, 128]: one value for each of several names.
  void together(const YAML::Node& node, const Place& place) {
    if (node.size() != read_.axis.names.size())
      return error(place,
                   fmt::format("got {} values; must be {}, one for each name", node.size(), read_.axis.names.size()));
    std::vector<std::string> values;
    for (const YAML::Node& one : node) {
      if (!one.IsScalar() || one.Scalar().empty() || one.Scalar().find(':') != std::string::npos)
        return error(place_of(one, place), fmt::format("got {}; must be one value", seen(one)));
      values.push_back(listed_values(one.Scalar())->front());
    }
    add(std::move(values), place);
  }

  void refuse_repeated() {
    const auto& values = read_.axis.values;
    std::set<std::vector<std::string>> known;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (known.insert(values[i]).second) continue;
      error(read_.value_places[i], fmt::format("{} is given twice", in_quotes(values[i].front())));
      return;
    }
  }

  std::string what_;
  std::size_t& texts_;
  Diagnostics& errors_;
  PlacedAxis read_;
};

}  // namespace

std::vector<PlacedAxis> read_axes(const YAML::Node& map, const Place& place, const std::string& prefix,
                                  Diagnostics& errors) {
  std::vector<PlacedAxis> axes;
  const YamlSection section(map, prefix, place, errors);
  std::set<std::string> known;
  std::size_t texts = 0;
  for (const YamlSection::Entry& entry : section.entries()) {
    auto axis = AxisReader(entry, prefix, texts, errors).read(entry.value);
    if (!axis) continue;
    bool repeated = false;
    for (const std::string& name : axis->axis.names) {
      if (known.insert(name).second) continue;
      repeated = true;
      errors.push_back(axis->place.error(fmt::format("{}{}: {} is given twice", prefix, axis->key, name)));
    }
    if (!repeated) axes.push_back(std::move(*axis));
  }
  return axes;
}

}  // namespace tilescope::sweep
