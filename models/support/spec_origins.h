// Where the values of a configuration with a base stand: which of the files says each.
#pragma once

#include <map>
#include <string>

namespace tilescope {

// By dotted key ("l2.size_mib"), "configs/gpus/h200.yaml:84". Empty for a configuration without a base, and for one
// that cannot be read.
std::map<std::string, std::string> value_origins(const std::string& text, const std::string& name);

}  // namespace tilescope
