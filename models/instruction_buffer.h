// The lines of code that a sub-partition holds, next to its warps. Straight code is brought ahead from the SM's
// instruction cache; a jump to a line that is not here, nor close behind one that is, waits.
//
// Source: jumps over 512 bytes and more of code that the SM holds take 34 to 35 cycles, over 256 bytes 25
// (gpu/microbench/code_jumps.cu); a loop of FFMAs costs 15 cycles a turn more beyond 256 instructions
// (gpu/microbench/code_loop.cu).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/gpu_spec.h"
#include "models/instruction_cache.h"
#include "models/support/units.h"

namespace tilescope {

class InstructionBuffer {
 public:
  explicit InstructionBuffer(const InstructionCacheSpec& spec)
      : cycles_(spec.buffer_cycles),
        lines_(spec.miss_cycles == 0 ? 0 : static_cast<std::size_t>(spec.buffer_lines), kNone) {}

  // A warp goes on at `index` and runs up to `end`, which is behind it. Returns for how long it waits.
  Cycle run(std::size_t index, std::size_t end) {
    if (lines_.empty()) return 0;
    const auto first = static_cast<std::uint32_t>(index / InstructionCache::kPerLine);
    const auto last = static_cast<std::uint32_t>((end - 1) / InstructionCache::kPerLine);
    const bool there = holds(first) || (first > 0 && holds(first - 1)) || (first > 1 && holds(first - 2));
    const auto most = static_cast<std::uint32_t>(lines_.size());
    for (std::uint32_t line = last - first < most ? first : last - most + 1; line <= last; ++line)
      lines_[line % lines_.size()] = line;
    return there ? 0 : cycles_;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  bool holds(std::uint32_t line) const { return lines_[line % lines_.size()] == line; }

  Cycle cycles_;
  std::vector<std::uint32_t> lines_;  // by place
};

}  // namespace tilescope
