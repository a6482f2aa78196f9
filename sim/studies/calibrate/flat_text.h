// A configuration with a base as one text that needs no other file: the base's lines, with the file's own in the place
// of those that they replace. What was measured on the base's GPU is an assumption for the file's:
//
//   activate_ns: 1.17          # A: measured on NVIDIA H200 SXM: random reads of 64 B
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "models/support/diagnostic.h"

namespace tilescope::calibrate {

// `text` itself when it has no base. REQUIRES of the files: one 'key: value' a line, each section as a block.
tl::expected<std::string, Diagnostics> flat_text(const std::string& text, const std::string& name);

}  // namespace tilescope::calibrate
