// `--set l2.size_mib=50`: one value of a configuration replaced before it is read.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "models/support/diagnostic.h"

namespace tilescope {

struct Override {
  std::string path;   // "l2.size_mib"
  std::string value;  // as it would stand in the YAML file

  // "--set l2.size_mib=50": what errors name in place of a file's position.
  std::string label() const { return "--set " + path + "=" + value; }
};

// From "l2.size_mib=50". Whether the path exists is for the reader to say.
tl::expected<Override, Diagnostic> parse_override(std::string_view text);

}  // namespace tilescope
