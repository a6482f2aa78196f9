// One YAML document from text, with yaml-cpp; its exceptions become one Diagnostic.
// Only for the readers' .cpp files: no public header of the library includes yaml-cpp.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <string>
#include <tl/expected.hpp>

#include "models/support/diagnostic.h"

namespace tilescope {

inline constexpr std::size_t most_yaml_values = 1'000'000;  // of a document, those behind aliases counted each time
inline constexpr int most_yaml_levels = 100;                // of lists and maps within each other, aliases followed

// REQUIRES of the text: valid YAML, exactly one document, not empty, no NUL byte, within the limits above: whoever
// walks the document ends, even where an alias stands within what it names.
tl::expected<YAML::Node, Diagnostic> parse_yaml(const std::string& text, const std::string& name);

// "nothing", "a list", "a map" or the scalar itself, quoted: what was seen, for a message.
std::string seen(const YAML::Node& node);

}  // namespace tilescope
