// Whether a YAML text is to be loaded at all: a parser that does not move on would load documents without end.
#pragma once

#include <optional>
#include <string>

#include "models/support/diagnostic.h"

namespace tilescope {

// yaml-cpp meets ",a: 1" as one empty document after another, all at the comma. Errors of the text itself are left to
// whoever loads it.
std::optional<Diagnostic> refuse_endless_documents(const std::string& text, const std::string& name);

}  // namespace tilescope
