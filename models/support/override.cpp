#include "models/support/override.h"

namespace tilescope {
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

}  // namespace

tl::expected<Override, Diagnostic> parse_override(std::string_view text) {
  const auto equals = text.find('=');
  const std::string path = trimmed(text.substr(0, equals));
  if (equals == std::string_view::npos || path.empty()) {
    return tl::unexpected(Diagnostic{"--set " + std::string(text), 0, 0, "must be PATH=VALUE, such as l2.size_mib=50"});
  }
  return Override{path, trimmed(text.substr(equals + 1))};
}

}  // namespace tilescope
