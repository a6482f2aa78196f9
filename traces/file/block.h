// One decompressed block: its warps' records, ready to decode in any order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traces/file/predictor.h"
#include "traces/file/trace_file.h"
#include "traces/file/warp_decoder.h"
#include "traces/file/warp_record.h"

namespace tilescope::trace {

class Block {
 public:
  // Throws TraceError. `file` must outlive the block.
  Block(const TraceFile& file, std::size_t number);

  std::size_t number() const { return number_; }
  // Sets `decoder` to the beginning of a warp of the launch. REQUIRES: the block holds it, and outlives its decoding.
  void begin(WarpDecoder& decoder, std::uint64_t warp) const;
  // A fault in this block, as the error to throw.
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  void follow_leader();

  const TraceFile& file_;
  std::size_t number_;
  std::string content_;
  std::vector<WarpRecord> records_;
  Leader leader_;
};

}  // namespace tilescope::trace
