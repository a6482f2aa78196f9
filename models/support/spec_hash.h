// The name of a configuration: equal for equal values, on any machine, whatever the comments, the key order and the
// notation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/support/spec_tree.h"

namespace tilescope {

// XXH3 (xxHash) of 64 bits over the sorted lines "path=value\n", reals in their shortest exact notation.
std::uint64_t config_hash(const std::vector<SpecNode>& nodes);

// Sixteen lower-case hexadecimal digits.
std::string config_hash_text(const std::vector<SpecNode>& nodes);

}  // namespace tilescope
