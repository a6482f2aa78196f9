// One zstd frame with its content size and content checksum: how every part of a trace but header and trailer is
// stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilescope::trace {

// Throws Malformed when `content` is larger than kLargestFrame.
std::string compress(std::string_view content, int level);

// REQUIRES of the data, else Malformed: exactly one frame, no larger than kLargestFrame, with a size and a valid
// checksum.
std::string decompress(std::string_view frame);

// What the header of the frame that begins here states. Throws Malformed when that is more than kLargestFrame, or
// nothing.
std::uint64_t content_size(std::string_view begin);
inline constexpr std::size_t kLargestFrameHeader = 18;  // byte, RFC 8878

}  // namespace tilescope::trace
