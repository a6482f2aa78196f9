#include "traces/file/warp_record.h"

#include <fmt/core.h>

#include "traces/file/bytes.h"
#include "traces/file/trace_format.h"

namespace tilescope::trace {

std::vector<WarpRecord> read_warp_records(std::string_view content, std::uint64_t warps) {
  ByteReader in(content);
  std::vector<WarpRecord> records(warps);
  std::uint64_t end = 0;
  for (WarpRecord& record : records) {
    record.offset = end;
    record.bytes = in.varint("length of a warp's record", 1, kLargestRecord);
    record.segments = in.varint("number of segments of a warp", 1, kMostSegments);
    end += record.bytes;
  }
  if (end != in.left()) throw Malformed{fmt::format("the warps' records take {} bytes; there are {}", end, in.left())};
  for (WarpRecord& record : records) record.offset += content.size() - end;
  return records;
}

}  // namespace tilescope::trace
