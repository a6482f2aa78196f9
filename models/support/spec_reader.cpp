#include "models/support/spec_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "models/support/accepted.h"
#include "models/support/spec_layers.h"
#include "models/support/suggest.h"
#include "models/support/yaml_section.h"
#include "models/support/yaml_text.h"

namespace tilescope {
namespace {

struct UnknownKey {
  Place place;
  std::string prefix;
  std::string key;
  std::vector<std::string> siblings;
};

// What the readers of all sections share.
struct Reading {
  Diagnostics errors;
  std::size_t unread = 0;  // values that could not be read, so far
  const std::vector<Override>* overrides = nullptr;
  std::vector<std::string> paths;     // every value's, in the order of the description
  std::vector<std::string> sections;  // every section's
  std::vector<UnknownKey> unknown;    // judged at the end, when all paths are known
};

struct Found {
  YAML::Node node;
  Place place;
};

class Reader : public SpecFields {
 public:
  // `sections`: the same section of the file and of its bases, the file's
  // first; where it is not in a file, none. `missing_at`: where to say that a
  // key is missing.
  Reader(Reading& reading, std::string prefix, std::vector<YamlSection> sections, Place missing_at, bool absent)
      : reading_(reading),
        prefix_(std::move(prefix)),
        absent_(absent),
        unread_before_(reading.unread),
        sections_(std::move(sections)),
        missing_at_(std::move(missing_at)) {}

  void integer(std::string_view key, std::int64_t& value, Range<std::int64_t> range, std::string_view unit,
               std::string_view meaning) override {
    value = placeholder(range);
    const std::string wanted = accepted(range, unit);
    if (const auto found = find(key, wanted, meaning)) value = integer_of(*found, path(key), range, wanted);
  }

  void real(std::string_view key, double& value, Range<double> range, std::string_view unit,
            std::string_view meaning) override {
    value = placeholder(range);
    const std::string wanted = accepted(range, unit);
    const auto found = find(key, wanted, meaning);
    if (!found) return;
    const auto number = found->node.IsScalar() ? parse_real(found->node.Scalar()) : std::nullopt;
    if (!number || *number < range.low || *number > range.high) return refuse(*found, path(key), wanted);
    value = *number;
  }

  void boolean(std::string_view key, bool& value, std::string_view meaning) override {
    value = false;
    const auto found = find(key, "true or false", meaning);
    if (!found) return;
    const std::string text = found->node.IsScalar() ? found->node.Scalar() : "";
    if (text != "true" && text != "false") return refuse(*found, path(key), "true or false");
    value = text == "true";
  }

  void text(std::string_view key, std::string& value, std::string_view meaning) override {
    value.clear();
    const auto found = find(key, "text", meaning);
    if (!found) return;
    if (!found->node.IsScalar()) return refuse(*found, path(key), "text");
    value = found->node.Scalar();
  }

  void choice(std::string_view key, std::int64_t& value, const std::vector<std::string>& names,
              std::string_view meaning) override {
    value = 0;
    const std::string wanted = list_of(names);
    const auto found = find(key, wanted, meaning);
    if (!found) return;
    const std::string text = found->node.IsScalar() ? found->node.Scalar() : "";
    const auto match = std::find(names.begin(), names.end(), text);
    if (match == names.end()) return refuse(*found, path(key), wanted + did_you_mean(text, names));
    value = match - names.begin();
  }

  void integers(std::string_view key, std::vector<std::int64_t>& values, Range<std::int64_t> range,
                std::string_view unit, std::string_view meaning) override {
    values.assign(1, placeholder(range));
    const std::string wanted = accepted(range, unit);
    const auto found = find(key, "a list, each " + wanted, meaning);
    if (!found) return;
    if (!found->node.IsSequence()) return refuse(*found, path(key), "a list, each " + wanted);
    values.clear();
    for (std::size_t i = 0; i < found->node.size(); ++i) {
      const YAML::Node element = found->node[i];
      const Found item{element, found->place.line == 0 ? found->place : place_of(element, found->place)};
      values.push_back(integer_of(item, fmt::format("{}[{}]", path(key), i), range, wanted));
    }
  }

  void section(std::string_view key, std::string_view meaning, const std::function<void(SpecFields&)>& body) override {
    siblings_.emplace_back(key);
    reading_.sections.push_back(path(key));
    const std::string wanted = fmt::format("a section with keys ({})", meaning);
    std::vector<YamlSection> inner_sections;
    std::optional<Place> inner_place;
    bool given = false;
    for (YamlSection& own : sections_) {
      const YamlSection::Entry* entry = own.take(key);
      if (entry == nullptr) continue;
      given = true;
      if (!inner_place) inner_place = entry->key_place;
      if (entry->value.IsMap())
        inner_sections.emplace_back(entry->value, path(key) + ".", entry->key_place, reading_.errors);
      else
        refuse({entry->value, place_of(entry->value, entry->key_place)}, path(key), wanted);
    }
    if (!given && !absent_) error(missing_at_, fmt::format("{}: missing; must be {}", path(key), wanted));
    const bool absent_inside = inner_sections.empty();
    Reader inner(reading_, path(key) + ".", std::move(inner_sections), inner_place.value_or(missing_at_),
                 absent_inside);
    body(inner);
    inner.finish();
  }

  // Silent where a value of this section could not be read: the rule was then
  // computed from placeholders.
  void require(bool holds, std::string_view key, const std::string& problem) override {
    if (holds || absent_ || reading_.unread != unread_before_) return;
    Place place = missing_at_;
    for (auto own = sections_.rbegin(); own != sections_.rend(); ++own)
      if (const YamlSection::Entry* entry = own->find(key)) place = place_of(entry->value, entry->key_place);
    if (const Override* set = overriding(path(key))) place = {set->label()};
    Diagnostic broken = place.error(fmt::format("{}: {}", path(key), problem));
    auto& errors = reading_.errors;  // a rule over a list may fail for many of its values
    if (std::find(errors.begin(), errors.end(), broken) == errors.end()) errors.push_back(std::move(broken));
  }

  void finish() {
    for (const YamlSection& own : sections_)
      for (const auto& entry : own.entries())
        if (!entry.known) reading_.unknown.push_back({entry.key_place, prefix_, entry.key, siblings_});
  }

 private:
  std::string path(std::string_view key) const { return prefix_ + std::string(key); }

  // A value that could not be read.
  void error(const Place& place, std::string message) {
    reading_.errors.push_back(place.error(std::move(message)));
    ++reading_.unread;
  }

  void refuse(const Found& found, const std::string& what, const std::string& wanted) {
    error(found.place, fmt::format("{}: got {}; must be {}", what, seen(found.node), wanted));
  }

  const Override* overriding(const std::string& wanted) const {
    const auto& all = *reading_.overrides;  // the last one wins
    const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Override& set) { return set.path == wanted; });
    return found == all.rend() ? nullptr : &*found;
  }

  std::optional<Found> find(std::string_view key, const std::string& wanted, std::string_view meaning) {
    siblings_.emplace_back(key);
    reading_.paths.push_back(path(key));
    const YamlSection::Entry* entry = nullptr;
    for (YamlSection& own : sections_) {
      const YamlSection::Entry* found = own.take(key);
      if (entry == nullptr) entry = found;
    }
    if (const Override* set = overriding(path(key))) {
      const Place place{set->label()};
      if (set->value.empty()) return Found{YAML::Node(YAML::NodeType::Null), place};
      const auto node = parse_yaml(set->value, set->label());
      if (node) return Found{*node, place};
      error(place, fmt::format("{}: got {}; must be {}", path(key), in_quotes(set->value), wanted));
      return std::nullopt;
    }
    if (entry != nullptr) return Found{entry->value, place_of(entry->value, entry->key_place)};
    if (!absent_) error(missing_at_, fmt::format("{}: missing; must be {} ({})", path(key), wanted, meaning));
    return std::nullopt;
  }

  std::int64_t integer_of(const Found& found, const std::string& what, Range<std::int64_t> range,
                          const std::string& wanted) {
    const auto number = found.node.IsScalar() ? parse_integer(found.node.Scalar()) : std::nullopt;
    if (number && *number >= range.low && *number <= range.high) return *number;
    refuse(found, what, wanted);
    return placeholder(range);
  }

  Reading& reading_;
  std::string prefix_;
  bool absent_;  // the whole section is missing, which has been said
  std::size_t unread_before_;
  std::vector<YamlSection> sections_;
  Place missing_at_;
  std::vector<std::string> siblings_;
};

// The same section first, then anywhere: a key may have slipped into the wrong
// section.
std::string suggestion(const UnknownKey& unknown, const Reading& reading) {
  if (const auto near = closest_match(unknown.key, unknown.siblings)) {
    return fmt::format(" (did you mean {}{}?)", unknown.prefix, *near);
  }
  for (const std::string& path : reading.paths) {
    if (path.ends_with("." + unknown.key)) return fmt::format(" (did you mean {}?)", path);
  }
  return unknown.siblings.empty() ? "" : fmt::format("; known here: {}", list_of(unknown.siblings, "and"));
}

void judge_unknown(Reading& reading) {
  for (const UnknownKey& unknown : reading.unknown) {
    reading.errors.push_back(unknown.place.error(
        fmt::format("{}{}: unknown key{}", unknown.prefix, unknown.key, suggestion(unknown, reading))));
  }
  for (const Override& set : *reading.overrides) {
    if (std::find(reading.paths.begin(), reading.paths.end(), set.path) != reading.paths.end()) continue;
    const bool section =
        std::find(reading.sections.begin(), reading.sections.end(), set.path) != reading.sections.end();
    const std::string problem = section ? "is a section; must be one of its keys, such as " + set.path + ".KEY"
                                        : "unknown key" + did_you_mean(set.path, reading.paths);
    reading.errors.push_back({set.label(), 0, 0, fmt::format("{}: {}", set.path, problem)});
  }
}

}  // namespace

Diagnostics read_fields(const std::string& text, const std::string& name, const std::vector<Override>& overrides,
                        const std::function<void(SpecFields&)>& body) {
  const auto layers = spec_layers(text, name);
  if (!layers) return layers.error();
  Reading reading;
  reading.overrides = &overrides;
  std::vector<YamlSection> sections;
  for (const SpecLayer& layer : *layers) {
    sections.emplace_back(layer.map, "", place_of(layer.map, {layer.file, 1, 1}), reading.errors);
    sections.back().take(kBaseKey);
  }
  const Place top = sections.front().place();
  Reader reader(reading, "", std::move(sections), top, false);
  body(reader);
  reader.finish();
  judge_unknown(reading);
  const auto order = [&](const Diagnostic& error) {  // the file's own errors before its bases'
    const auto of = std::find_if(layers->begin(), layers->end(), [&](const auto& l) { return l.file == error.file; });
    return std::tuple(error.line == 0, of - layers->begin(), error.line, error.column);
  };
  std::stable_sort(reading.errors.begin(), reading.errors.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return order(a) < order(b); });
  return reading.errors;
}

}  // namespace tilescope
