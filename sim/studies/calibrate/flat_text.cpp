#include "sim/studies/calibrate/flat_text.h"

#include <map>
#include <sstream>
#include <vector>

#include "models/support/spec_layers.h"

namespace tilescope::calibrate {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// By dotted key: the line of each value, from 0.
void collect(const YAML::Node& map, const std::string& prefix, std::map<std::string, std::size_t>& places) {
  for (const auto& entry : map) {
    if (!entry.first.IsScalar()) continue;
    const std::string key = prefix + entry.first.Scalar();
    if (entry.second.IsMap())
      collect(entry.second, key + ".", places);
    else
      places.try_emplace(key, static_cast<std::size_t>(entry.first.Mark().line));
  }
}

std::map<std::string, std::size_t> places_of(const YAML::Node& map) {
  std::map<std::string, std::size_t> places;
  collect(map, "", places);
  return places;
}

std::string name_of(const SpecLayer& layer) {
  for (const auto& entry : layer.map)
    if (entry.first.IsScalar() && entry.first.Scalar() == "name" && entry.second.IsScalar())
      return entry.second.Scalar();
  return layer.file;
}

std::size_t header_of(const Lines& lines) {
  std::size_t end = 0;
  while (end < lines.size() && lines[end].starts_with('#')) ++end;
  return end;
}

}  // namespace

tl::expected<std::string, Diagnostics> flat_text(const std::string& text, const std::string& name) {
  const auto layers = spec_layers(text, name);
  if (!layers) return tl::unexpected(layers.error());
  if (layers->size() == 1) return text;
  const auto places = places_of(layers->back().map);
  Lines lines = lines_of(layers->back().text);
  std::string measured_on = name_of(layers->back());
  std::size_t header = header_of(lines);
  Lines own_header(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(header));
  for (auto layer = layers->rbegin() + 1; layer != layers->rend(); ++layer) {
    const std::string mark = "# M: ";
    for (std::string& line : lines)
      if (const auto at = line.find(mark); at != std::string::npos)
        line.replace(at, mark.size(), "# A: measured on " + measured_on + ": ");
    const Lines own = lines_of(layer->text);
    for (const auto& [key, own_line] : places_of(layer->map))
      if (const auto replaced = places.find(key); replaced != places.end()) lines[replaced->second] = own[own_line];
    own_header.assign(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(header_of(own)));
    measured_on = name_of(*layer);
  }
  std::string flat;
  for (const std::string& line : own_header) flat += line + "\n";
  for (std::size_t i = header; i < lines.size(); ++i) flat += lines[i] + "\n";
  return flat;
}

}  // namespace tilescope::calibrate
