// A Spec's values as text that the reader takes back, with each value's unit and meaning beside it.
//
//   l2:                # the level-2 cache
//     size_mib: 50     # MiB; capacity of all slices
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/support/spec_tree.h"

namespace tilescope {

// read_spec_text(to_yaml(spec_tree(spec))) is spec again, reals to the last bit.
std::string to_yaml(const std::vector<SpecNode>& nodes);

// The same keys and values, sections as objects, in the order of the description.
nlohmann::ordered_json to_json(const std::vector<SpecNode>& nodes);

}  // namespace tilescope
