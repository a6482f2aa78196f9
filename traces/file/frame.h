// One zstd frame with its content size and content checksum: how every part of a trace but header and trailer is
// stored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilescope::trace {

// Throws Malformed when `content` is larger than kLargestFrame.
std::string compress(std::string_view content, int level);

// REQUIRES of the data, else Malformed: exactly one frame, no larger than kLargestFrame, with a size and a valid
// checksum.
std::string decompress(std::string_view frame);

}  // namespace tilescope::trace
