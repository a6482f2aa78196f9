#include "sim/studies/calibrate/value_places.h"

#include <set>
#include <string_view>

#include "models/support/yaml_text.h"

namespace tilescope::calibrate {
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

// "# M: pointer chase": the mark and what follows it.
void read_source(ValuePlace& place, std::string_view comment) {
  const std::string words = trimmed(comment.substr(
      comment.find_first_not_of('#') == std::string_view::npos ? comment.size() : comment.find_first_not_of('#')));
  if (words.size() < 2 || words[1] != ':' || std::string_view("MPAF").find(words[0]) == std::string_view::npos) return;
  place.source = words[0];
  place.source_comment = trimmed(std::string_view(words).substr(2));
}

ValuePlace place_of_scalar(const std::string& text, const YAML::Mark& mark) {
  ValuePlace place;
  place.line = mark.line + 1;
  place.begin = static_cast<std::size_t>(mark.pos);
  place.line_end = std::min(text.find('\n', place.begin), text.size());
  if (place.line_end > place.begin && text[place.line_end - 1] == '\r') --place.line_end;
  const char quote = text[place.begin];
  const bool is_quoted = quote == '"' || quote == '\'';
  place.end = is_quoted ? text.find(quote, place.begin + 1) + 1 : text.find_first_of(" \t\r\n,}", place.begin);
  place.end = std::min(place.end, place.line_end);
  place.comment = text.find('#', place.end);
  if (place.comment > place.line_end) place.comment = place.line_end;
  read_source(place, std::string_view(text).substr(place.comment, place.line_end - place.comment));
  return place;
}

void collect(const std::string& text, const YAML::Node& map, const std::string& prefix,
             std::map<std::string, ValuePlace>& places, std::multiset<int>& lines) {
  for (const auto& entry : map) {
    if (!entry.first.IsScalar()) continue;
    const std::string key = prefix + entry.first.Scalar();
    if (entry.second.IsMap()) {
      collect(text, entry.second, key + ".", places, lines);
      continue;
    }
    const YAML::Mark mark = entry.second.Mark();
    if (mark.is_null()) continue;
    lines.insert(mark.line + 1);
    if (entry.second.IsScalar()) places[key] = place_of_scalar(text, mark);
  }
}

}  // namespace

std::map<std::string, ValuePlace> value_places(const std::string& text) {
  std::map<std::string, ValuePlace> places;
  const auto document = parse_yaml(text, "");
  if (!document || !document->IsMap()) return places;
  std::multiset<int> lines;  // of every value
  collect(text, *document, "", places, lines);
  std::erase_if(places, [&](const auto& place) { return lines.count(place.second.line) > 1; });
  return places;
}

}  // namespace tilescope::calibrate
