// Where the records of a block's warps lie in its content.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope::trace {

struct WarpRecord {
  std::uint64_t offset = 0;  // in the content
  std::uint64_t bytes = 0;
  std::uint64_t segments = 0;  // as stated
};

// Throws Malformed when the records do not fill the content. REQUIRES: warps <= kMostBlockWarps.
std::vector<WarpRecord> read_warp_records(std::string_view content, std::uint64_t warps);

}  // namespace tilescope::trace
