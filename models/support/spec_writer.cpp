#include "models/support/spec_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace tilescope {
namespace {

struct Line {
  std::string text;
  std::string comment;
};

// A GPU that was not read from a file may hold any bytes: what is no UTF-8 is written as U+FFFD.
std::string json_text(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// Text that no YAML reader takes for anything else stands bare; the rest in JSON's quotes, which are YAML's as well.
std::string yaml_text(const std::string& text) {
  const bool bare = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 && text.back() != ' ' &&
                    std::all_of(text.begin(), text.end(), [](unsigned char c) {
                      return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == ' ' || c == '/';
                    });
  const bool word = text == "true" || text == "false" || text == "null";
  return bare && !word ? text : json_text(text);
}

std::string yaml_value(const nlohmann::ordered_json& value) {
  if (value.is_string()) return yaml_text(value.get<std::string>());
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_array()) return json_text(value);
  std::string text;
  for (const auto& element : value) text += (text.empty() ? "" : ", ") + json_text(element);
  return "[" + text + "]";
}

void add_lines(const std::vector<SpecNode>& nodes, const std::string& indent, std::vector<Line>& lines) {
  for (const SpecNode& node : nodes) {
    const bool plain = node.unit.empty() || node.unit == "1";
    const std::string comment = plain ? node.meaning : node.unit + "; " + node.meaning;
    if (node.type == "section") {
      lines.push_back({indent + node.key + ":", comment});
      add_lines(node.children, indent + "  ", lines);
    } else {
      lines.push_back({indent + node.key + ": " + yaml_value(node.value), comment});
    }
  }
}

}  // namespace

std::string to_yaml(const std::vector<SpecNode>& nodes) {
  constexpr std::size_t widest = 48;  // a longer line pushes its own comment out, not everybody's
  std::vector<Line> lines;
  add_lines(nodes, "", lines);
  std::size_t width = 0;
  for (const Line& line : lines) {
    if (line.text.size() <= widest) width = std::max(width, line.text.size());
  }
  std::string text;
  for (const Line& line : lines) {
    text += line.comment.empty() ? line.text + "\n" : fmt::format("{:<{}}  # {}\n", line.text, width, line.comment);
  }
  return text;
}

nlohmann::ordered_json to_json(const std::vector<SpecNode>& nodes) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const SpecNode& node : nodes) object[node.key] = node.type == "section" ? to_json(node.children) : node.value;
  return object;
}

}  // namespace tilescope
