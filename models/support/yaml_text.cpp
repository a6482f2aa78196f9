#include "models/support/yaml_text.h"

#include <vector>

#include "models/support/yaml_documents.h"

namespace tilescope {

tl::expected<YAML::Node, Diagnostic> parse_yaml(const std::string& text, const std::string& name) {
  const auto refuse = [&name](std::string why) { return tl::unexpected(Diagnostic{name, 0, 0, std::move(why)}); };
  if (text.find('\0') != std::string::npos) return refuse("holds a NUL byte; must be YAML text");
  try {
    if (auto endless = refuse_endless_documents(text, name)) return tl::unexpected(std::move(*endless));
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty() || (documents.size() == 1 && documents[0].IsNull())) {
      return refuse("is empty; must hold a map of keys");
    }
    if (documents.size() > 1) return refuse("holds more than one YAML document; must hold one");
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
  return quoted(node.Scalar());
}

}  // namespace tilescope
