#include "sim/studies/calibrate/fitted_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/support/spec_hash.h"
#include "models/support/suggest.h"
#include "sim/studies/calibrate/value_places.h"

namespace tilescope::calibrate {
namespace {

// Without the quotes of a message, but as harmless: it must not end the comment's line.
std::string on_one_line(const std::string& path) {
  std::string text = path;
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

std::string source_comment(const FittedParameter& parameter, const Calibration& calibration) {
  std::vector<std::string> files;
  for (const std::string& file : calibration.measured_files) files.push_back(on_one_line(file));
  std::string text =
      fmt::format("# F: fitted to {} ({} cases), {} -> {}", list_of(files, "and"), calibration.cases,
                  value_text(parameter.chosen, parameter.chosen.before), value_text(parameter.chosen, parameter.after));
  if (parameter.interval)
    text += fmt::format(", 95 % interval {:.4g} to {:.4g}", parameter.interval->first, parameter.interval->second);
  if (parameter.bound != AtBound::no)
    text += fmt::format(", at its {} bound", parameter.bound == AtBound::low ? "lower" : "upper");
  return text;
}

// The value and its line's comment; the comment stays in its column where the new value leaves room.
void replace(std::string& text, const ValuePlace& place, const std::string& value, const std::string& comment) {
  const std::string gap = text.substr(place.end, place.comment - place.end);
  const bool had_comment = place.comment < place.line_end;
  const std::size_t column = place.comment - place.begin;
  const std::size_t spaces = had_comment && value.size() + 1 < column ? column - value.size() : 2;
  text.replace(place.begin, place.line_end - place.begin, value + std::string(spaces, ' ') + comment);
}

}  // namespace

tl::expected<std::string, Diagnostics> fitted_text(const GpuFile& file, const Calibration& calibration) {
  const auto places = value_places(file.text);
  struct Edit {
    ValuePlace place;
    std::string value, comment;
  };
  std::vector<Edit> edits;
  std::vector<Override> values;
  for (const FittedParameter& parameter : calibration.parameters) {
    const std::string value = value_text(parameter.chosen, parameter.after);
    values.push_back({parameter.chosen.key, value});
    const auto place = places.find(parameter.chosen.key);
    if (place == places.end())
      return tl::unexpected(Diagnostics{
          {file.path, 0, 0, parameter.chosen.key + ": must stand on a line of its own, since its comment changes"}});
    edits.push_back({place->second, value, source_comment(parameter, calibration)});
  }
  // Last first, so that the places of the others stay.
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.place.begin > b.place.begin; });
  std::string text = file.text;
  for (const Edit& edit : edits) replace(text, edit.place, edit.value, edit.comment);

  const auto wanted = spec_with(file, values);
  if (!wanted) return tl::unexpected(wanted.error());
  const auto read_back = spec_with(GpuFile{file.path, text, {}}, {});
  if (!read_back || config_hash(spec_tree(*read_back)) != config_hash(spec_tree(*wanted)))
    return tl::unexpected(Diagnostics{{file.path, 0, 0,
                                       "its values cannot be replaced where they stand; must hold one 'key: value' a "
                                       "line, without anchors or aliases"}});
  return text;
}

}  // namespace tilescope::calibrate
