// A file that may be compressed: one whose name ends in ".zst" holds zstd frames, one after the other; any other is
// taken as it is.
//
// What a frame says about its size is not trusted: what it holds is counted as it comes out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "models/support/diagnostic.h"

namespace tilescope {

// What the file holds, decompressed. Refuses what read_text_file() refuses, more than `most_bytes` of contents, and
// frames that are damaged or end early.
tl::expected<std::string, Diagnostic> read_compressed_file(const std::string& path, std::size_t most_bytes);

// How many bytes that would be, without keeping them.
tl::expected<std::uint64_t, Diagnostic> measure_compressed_file(const std::string& path, std::size_t most_bytes);

}  // namespace tilescope
