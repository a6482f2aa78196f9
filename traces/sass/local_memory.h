// Local memory of a warp's 32 threads, as far as it has been touched.
//
// Word w of all lanes is one row, as on hardware. Rows are counted from the top, where the stack begins.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/isa/lane_pattern.h"
#include "traces/sass/address_windows.h"

namespace tilescope::sass {

class LocalMemory {
 public:
  using Row = std::array<std::uint32_t, kLanes>;

  // The words of all lanes at byte `at` of their local memory; null beyond its end. Valid until the next call.
  Row* row(std::uint64_t at) {
    if (at >= kLocalBytes) return nullptr;
    const std::size_t index = (kLocalBytes - 1 - at) / 4;
    if (index >= rows_.size()) rows_.resize(index + 1);
    return &rows_[index];
  }
  // All zeros again.
  void clear() { rows_.clear(); }

 private:
  std::vector<Row> rows_;
};

}  // namespace tilescope::sass
