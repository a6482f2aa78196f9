// A whole text file in memory, or one sentence why not.
#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>

#include "models/support/diagnostic.h"

namespace tilescope {

inline constexpr std::size_t largest_text_file = std::size_t{1} << 20;  // bytes; a configuration has a few thousand

// Refuses what does not exist, is a directory, cannot be read, or holds more than `most_bytes`.
tl::expected<std::string, Diagnostic> read_text_file(const std::string& path,
                                                     std::size_t most_bytes = largest_text_file);

}  // namespace tilescope
