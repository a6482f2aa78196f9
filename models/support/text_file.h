// A whole file in memory, or one sentence why not.
//
// Only regular files are read: a pipe or a device may never end, and may hold up whoever opens it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "models/support/diagnostic.h"

namespace tilescope {

inline constexpr std::size_t largest_text_file = std::size_t{1} << 20;  // bytes; a configuration has a few thousand

// Refuses what does not exist, is no regular file, cannot be read, or holds more than `most_bytes`.
tl::expected<std::string, Diagnostic> read_text_file(const std::string& path,
                                                     std::size_t most_bytes = largest_text_file);

// Why `path` is not to be opened: it does not exist or is no regular file. For readers that take a file in pieces.
std::optional<Diagnostic> refuse_irregular_file(const std::string& path);

}  // namespace tilescope
