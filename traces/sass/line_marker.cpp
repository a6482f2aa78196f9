#include "traces/sass/line_marker.h"

#include <charconv>

namespace tilescope::sass {
namespace {

bool skip(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// "FILE", line N
bool take_place(std::string_view& text, std::string_view& file, int& line) {
  if (!skip(text, "\"")) return false;
  const std::size_t end = text.find("\", line ");
  if (end == std::string_view::npos) return false;
  file = text.substr(0, end);
  text.remove_prefix(end + std::string_view("\", line ").size());
  const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), line);
  if (error != std::errc() || line < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(after - text.data()));
  return true;
}

}  // namespace

std::optional<LineMarker> parse_line_marker(std::string_view line) {
  LineMarker marker;
  if (!skip(line, "//## File ") || !take_place(line, marker.file, marker.line)) return std::nullopt;
  if (skip(line, " inlined at ") && !take_place(line, marker.caller_file, marker.caller_line)) return std::nullopt;
  return marker;
}

}  // namespace tilescope::sass
