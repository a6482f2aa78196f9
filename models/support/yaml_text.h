// One YAML document from text, with yaml-cpp; its exceptions become one Diagnostic.
// Only for the readers' .cpp files: no public header of the library includes yaml-cpp.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <tl/expected.hpp>

#include "models/support/diagnostic.h"

namespace tilescope {

// REQUIRES of the text: valid YAML, exactly one document, not empty, no NUL byte.
tl::expected<YAML::Node, Diagnostic> parse_yaml(const std::string& text, const std::string& name);

// "nothing", "a list", "a map" or the scalar itself, quoted: what was seen, for a message.
std::string seen(const YAML::Node& node);

}  // namespace tilescope
