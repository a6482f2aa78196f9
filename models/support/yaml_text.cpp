#include "models/support/yaml_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "models/support/utf8.h"
#include "models/support/yaml_documents.h"

namespace tilescope {
namespace {

// Walks a document with aliases as every reader sees it. What a file without aliases holds is bounded by its text.
class AliasCheck {
 public:
  explicit AliasCheck(const std::string& name) : name_(name) {}

  std::optional<Diagnostic> visit(const YAML::Node& node, int level = 1) {
    if (++values_ > most_yaml_values)
      return error(node, fmt::format("the aliases repeat more than {} values", most_yaml_values));
    if (!node.IsMap() && !node.IsSequence()) return std::nullopt;
    if (level > most_yaml_levels)
      return error(node, fmt::format("lists and maps are nested deeper than {} levels (an alias of what it stands in?)",
                                     most_yaml_levels));
    for (const auto& child : node) {
      const bool is_map = node.IsMap();
      if (is_map)
        if (auto broken = visit(child.first, level + 1)) return broken;
      if (auto broken = visit(is_map ? child.second : child, level + 1)) return broken;
    }
    return std::nullopt;
  }

 private:
  Diagnostic error(const YAML::Node& node, std::string message) const {
    const YAML::Mark mark = node.Mark();
    if (mark.is_null()) return {name_, 0, 0, std::move(message)};
    return {name_, mark.line + 1, mark.column + 1, std::move(message)};
  }

  const std::string& name_;
  std::size_t values_ = 0;
};

// The column counts bytes.
std::optional<Diagnostic> refuse_other_encodings(const std::string& text, const std::string& name) {
  const std::size_t at = find_not_utf8(text);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t line_start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return Diagnostic{name, static_cast<int>(line), static_cast<int>(at - line_start) + 1,
                    fmt::format("got byte {:#04x}; must be UTF-8 text", static_cast<unsigned char>(text[at]))};
}

}  // namespace

tl::expected<YAML::Node, Diagnostic> parse_yaml(const std::string& text, const std::string& name) {
  const auto refuse = [&name](std::string why) { return tl::unexpected(Diagnostic{name, 0, 0, std::move(why)}); };
  if (text.find('\0') != std::string::npos) return refuse("holds a NUL byte; must be YAML text");
  if (auto other = refuse_other_encodings(text, name)) return tl::unexpected(std::move(*other));
  try {
    if (auto endless = refuse_endless_documents(text, name)) return tl::unexpected(std::move(*endless));
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty() || (documents.size() == 1 && documents[0].IsNull())) {
      return refuse("is empty; must hold a map of keys");
    }
    if (documents.size() > 1) return refuse("holds more than one YAML document; must hold one");
    if (text.find('*') != std::string::npos)
      if (auto broken = AliasCheck(name).visit(documents[0])) return tl::unexpected(std::move(*broken));
    return documents[0];
  } catch (const YAML::Exception& error) {
    if (error.mark.is_null()) return refuse("not valid YAML: " + error.msg);
    return tl::unexpected(Diagnostic{name, error.mark.line + 1, error.mark.column + 1, "not valid YAML: " + error.msg});
  }
}

std::string seen(const YAML::Node& node) {
  if (!node.IsDefined() || node.IsNull()) return "nothing";
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  return in_quotes(node.Scalar());
}

}  // namespace tilescope
