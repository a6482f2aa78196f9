// The reverse of WarpEncoder. Throws Malformed for a record that breaks a rule of the format.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "traces/file/base_limit.h"
#include "traces/file/bytes.h"
#include "traces/file/predictor.h"
#include "traces/file/trace_tables.h"

namespace tilescope::trace {

class WarpDecoder {
 public:
  // Everything referred to must outlive the warp. `limits` has one entry per pattern of the tables.
  void begin(const Tables& tables, const std::vector<BaseLimit>& limits, const Leader& leader, std::string_view record,
             std::uint64_t segments);
  // The next segment's shape, or 0 at the warp's end, which is checked: after EXIT, nothing left over.
  std::uint32_t next();
  // Of the segment that next() gave.
  const MemoryOperand* operands() const { return operands_.data(); }

 private:
  void as_expected();
  void as_stated(std::uint32_t shape);
  void end();

  const Tables* tables_ = nullptr;
  const std::vector<BaseLimit>* limits_ = nullptr;
  Predictor predictor_;
  ByteReader in_;
  std::vector<MemoryOperand> operands_;
  std::uint64_t run_ = 0;
  std::uint64_t segments_left_ = 0;
  bool explicit_follows_ = false;  // a run was read, the segment after it not yet
  bool ended_ = true;
};

}  // namespace tilescope::trace
