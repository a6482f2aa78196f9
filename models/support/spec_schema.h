// The documented schema of a configuration file, as Markdown: one table per section (key, type, unit, accepted,
// meaning).
#pragma once

#include <string>
#include <vector>

#include "models/support/spec_tree.h"

namespace tilescope {

// `title` becomes the page's heading. Give it blank_tree<Spec>(): values do not appear.
std::string schema_markdown(const std::vector<SpecNode>& nodes, const std::string& title);

}  // namespace tilescope
