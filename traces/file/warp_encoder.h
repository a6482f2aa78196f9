// One warp's segments, as the differences from what its block's leader and its own past let expect.
#pragma once

#include <cstdint>
#include <string_view>

#include "traces/file/bytes.h"
#include "traces/file/predictor.h"
#include "traces/file/trace_tables.h"

namespace tilescope::trace {

class WarpEncoder {
 public:
  // `leader` must outlive the warp.
  void begin(const Leader& leader);
  std::uint32_t expected_shape() const { return predictor_.expected_shape(); }
  // The next segment: tables.shapes[shape] with its operands, whose patterns are those of the tables.
  void add(const Tables& tables, std::uint32_t shape, const MemoryOperand* operands);
  // Ends the warp. The record stays valid until the next begin.
  std::string_view finish();
  std::uint64_t segments() const { return segments_; }
  std::size_t size() const { return out_.size(); }

 private:
  Predictor predictor_;
  ByteWriter out_;
  ByteWriter masks_, values_, patterns_;  // of one segment
  std::uint64_t run_ = 0;                 // segments exactly as expected, since the last one that was not
  std::uint64_t segments_ = 0;
};

}  // namespace tilescope::trace
