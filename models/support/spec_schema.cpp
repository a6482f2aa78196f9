#include "models/support/spec_schema.h"

#include <fmt/core.h>

#include <algorithm>

namespace tilescope {
namespace {

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

void add_section(const std::vector<SpecNode>& nodes, const std::string& path, std::string& page) {
  const auto is_value = [](const SpecNode& node) { return node.type != "section"; };
  if (std::any_of(nodes.begin(), nodes.end(), is_value)) {
    page += "\n| key | type | unit | accepted | meaning |\n|---|---|---|---|---|\n";
  }
  for (const SpecNode& node : nodes) {
    if (!is_value(node)) continue;
    page += fmt::format("| `{}{}` | {} | {} | {} | {} |\n", path, node.key, node.type, cell(node.unit),
                        cell(node.accepted), cell(node.meaning));
  }
  for (const SpecNode& node : nodes) {
    if (is_value(node)) continue;
    page += fmt::format("\n## {}{}: {}\n", path, node.key, node.meaning);
    add_section(node.children, path + node.key + ".", page);
  }
}

}  // namespace

std::string schema_markdown(const std::vector<SpecNode>& nodes, const std::string& title) {
  std::string page = "# " + title +
                     "\n\nEvery key is required, in the file or in its `base:` (the name of a file "
                     "beside it, or a path); an unknown key is an error.\n";
  add_section(nodes, "", page);
  return page;
}

}  // namespace tilescope
