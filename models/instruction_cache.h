// The code that an SM holds: empty when a launch begins, filled line by line as its warps come by. A line that is not
// there is fetched with the lines that follow it, so that straight code waits for one trip and then for the rate at
// which lines arrive. Lines are never given up; the largest kernel that this was held against has 94 KiB.
// Source: time of one-CTA launches and stalls of cold launches on an H200, docs/cold-start.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/gpu_spec.h"
#include "models/resource.h"
#include "models/support/units.h"

namespace tilescope {

class InstructionCache {
 public:
  // Of 128 bytes, as Hopper's instructions have 16.
  static constexpr std::size_t kPerLine = 8;

  // `instructions`: static ones of the kernel.
  InstructionCache(const InstructionCacheSpec& spec, std::size_t instructions)
      : miss_(spec.miss_cycles),
        interval_(spec.line_cycles),
        ahead_(static_cast<std::size_t>(spec.lines_ahead)),
        ready_(spec.miss_cycles == 0 ? 0 : (instructions + kPerLine - 1) / kPerLine, kNever) {}

  // A warp comes to the instruction at `index` at `now`. Returns from when on it can issue.
  Cycle fetch(std::size_t index, Cycle now) {
    const std::size_t line = index / kPerLine;
    if (line >= ready_.size()) return now;
    const std::size_t last = std::min(line + ahead_, ready_.size() - 1);
    for (std::size_t l = line; l <= last; ++l)
      if (ready_[l] == kNever) ready_[l] = port_.take(now, interval_) + miss_;
    return std::max(now, ready_[line]);
  }

  // How many of the `most` instructions from `index` on need no fetch by a warp that comes to `index` at `now`.
  std::size_t settled(std::size_t index, std::size_t most, Cycle now) const {
    std::size_t line = index / kPerLine;
    while (line < ready_.size() && ready_[line] <= now && asked_for(line + ahead_) && line * kPerLine < index + most)
      ++line;
    return line < ready_.size() ? std::min(most, std::max(line, index / kPerLine + 1) * kPerLine - index) : most;
  }

 private:
  bool asked_for(std::size_t line) const { return line >= ready_.size() || ready_[line] != kNever; }

  Cycle miss_;
  Cycle interval_;
  std::size_t ahead_;
  std::vector<Cycle> ready_;  // by line; kNever: not asked for
  Resource port_;
};

}  // namespace tilescope
