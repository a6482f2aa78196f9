// Zstandard frames: by libzstd where the system has one (looked for when first needed), and otherwise frames of blocks
// that are stored as they are or as one repeated byte, which every decoder reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilescope::capture {

std::string zstd_frame(std::string_view contents, int level);

// Without libzstd.
std::string plain_zstd_frame(std::string_view contents);

}  // namespace tilescope::capture
