// The code that an SM holds: empty when a launch begins, fetched as its warps come by, a few lines of 128 bytes at a
// time. Behind the line that a warp is in the next fetch is already under way, so that straight code waits for the rate
// at which lines arrive; a jump to a line that would come later than a fetch of its own has one.
//
// A fetch takes a short trip to a cache that the SMs of a GPC share, which sends them one line after another: an SM
// waits for its turn among those that fetch as it does, so that warps of several roles, each in code of its own, take
// so many times as long as warps that run the same. A launch brings the first part of its kernel there, line by line
// from the SM's first CTA on; code behind that part comes from device memory. Lines are never given up.
//
// Source: gpu/microbench/code_jumps.cu (gpu/measured/h200/code_jumps.csv, code_jumps_counted.csv) and code_warps.cu
// (gpu/measured/h100/code_warps_counted.csv), docs/cold-start.md.
// Not modelled: an SM holds 32 KiB, the shared cache 128; code that L2 holds takes 265 cycles in place of
// memory_cycles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/calendar.h"
#include "models/gpu_spec.h"
#include "models/support/units.h"

namespace tilescope {

class InstructionCache {
 public:
  // Of 128 bytes, as Hopper's instructions have 16.
  static constexpr std::size_t kPerLine = 8;

  // `instructions`: static ones of the kernel; `sms`: of a GPC, that fetch as this one does.
  InstructionCache(const InstructionCacheSpec& spec, std::size_t instructions, double sms = 1)
      : spec_(spec),
        round_(to_ticks(spec.gpc_line_cycles * sms * static_cast<double>(spec.lines_per_fetch))),
        per_fetch_(static_cast<std::size_t>(spec.lines_per_fetch)),
        launched_(static_cast<std::size_t>(spec.launch_kib) * 1024 / (kPerLine * 16)),
        lines_(spec.miss_cycles == 0 ? 0 : (instructions + kPerLine - 1) / kPerLine) {}

  // A warp comes to the instruction at `index` at `now`. Returns from when on it can issue.
  Cycle fetch(std::size_t index, Cycle now) {
    const std::size_t line = index / kPerLine;
    if (line >= lines_.size()) return now;
    if (began_ == kNever) began_ = now;
    if (lines_[line].ready > now) begin(line, now);
    for (std::size_t next = line + 1; next <= line + per_fetch_ && next < lines_.size(); ++next)
      if (lines_[next].ready == kNever) follow(next, now);
    return std::max(now, lines_[line].ready);
  }

  // How many of the `most` instructions from `index` on need no fetch by a warp that comes to `index` at `now`.
  std::size_t settled(std::size_t index, std::size_t most, Cycle now) const {
    std::size_t line = index / kPerLine;
    while (line < lines_.size() && lines_[line].ready <= now && asked_for(line + per_fetch_) &&
           line * kPerLine < index + most)
      ++line;
    return line < lines_.size() ? std::min(most, std::max(line, index / kPerLine + 1) * kPerLine - index) : most;
  }

 private:
  struct Line {
    Cycle due = kNever;  // kNever: not asked for; if it need not wait for its turn
    Cycle ready = kNever;
    std::size_t place = 0;  // in its fetch
  };

  bool asked_for(std::size_t line) const { return line >= lines_.size() || lines_[line].ready != kNever; }
  // When a fetch of `line` that is sent at `now` is back.
  Cycle back(std::size_t line, Cycle now) const {
    if (line >= launched_) return now + spec_.memory_cycles;
    const auto brought = static_cast<Cycle>(spec_.launch_line_cycles * static_cast<double>(line));
    return std::max(now, began_ + spec_.first_cycles + brought) + spec_.miss_cycles;
  }
  // A fetch of its own, unless the line comes sooner.
  void begin(std::size_t line, Cycle now) {
    const Cycle due = back(line, now);
    if (lines_[line].due <= due) return;
    const Cycle there = in_turn(due);
    for (std::size_t i = 0; i < per_fetch_ && line + i < lines_.size(); ++i) {
      Line& one = lines_[line + i];
      const Cycle later = static_cast<Cycle>(i) * spec_.line_cycles;
      if (one.due <= due + later) return;
      one = {due + later, std::min(one.ready, there + later), i};
    }
  }
  // The line behind one that is asked for: in its fetch, or in the next, which is sent when that one is back.
  void follow(std::size_t line, Cycle now) {
    const Line& before = lines_[line - 1];
    const Cycle asked = std::max(before.ready, now);
    if (before.place + 1 < per_fetch_) {
      lines_[line] = {asked + spec_.line_cycles, asked + spec_.line_cycles, before.place + 1};
    } else {
      const Cycle due = back(line, asked);
      lines_[line] = {due, in_turn(due), 0};
    }
  }
  // When the first line of a fetch is there that is due then: in a round the GPC's cache sends each of its SMs one.
  Cycle in_turn(Cycle due) {
    if (round_ == Tick()) return due;
    return to_cycles_up(turns_.take(std::max(Tick(), to_ticks(due) - round_), round_));
  }

  InstructionCacheSpec spec_;
  Tick round_;  // in which the GPC's cache sends each SM a fetch
  std::size_t per_fetch_;
  std::size_t launched_;  // lines that the launch brings
  Cycle began_ = kNever;
  Calendar turns_;  // of this SM
  std::vector<Line> lines_;
};

}  // namespace tilescope
