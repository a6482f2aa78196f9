// What an SM holds of the constant banks: empty when a launch begins. Each sub-partition has a cache for constants that
// instructions read as operands (and ULDC), the SM another one for LDC; both are filled line by line from a larger one
// behind them, which the two SMs of a TPC share. That one has the launch's own bank from the start and fetches others,
// block by block, from memory. Lines are never given up: the smaller caches hold 32 of them on hardware.
// LDCs of all sub-partitions go out one after the other, and with them what the lanes of a warp share of special
// registers; each sub-partition has a short queue of them, and while it is full warps wait to issue.
// Source: gpu/microbench/constant_cache.cu, constant_rate.cu, docs/cold-start.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/constant_line.h"
#include "models/isa/instruction.h"
#include "models/resource.h"
#include "models/support/units.h"

namespace tilescope {

class ConstantCache {
 public:
  // `alone`: the other SM of the TPC, with which this one shares the larger cache, has nothing to do.
  ConstantCache(const ConstantCacheSpec& spec, int sub_partitions, std::span<const Instruction> code, bool alone)
      : spec_(spec),
        line_cycles_(alone ? spec.line_alone_cycles : spec.line_cycles),
        operands_(static_cast<std::size_t>(sub_partitions)),
        entries_(static_cast<std::size_t>(std::max<std::int64_t>(spec.load_queue_entries, 1))),
        queued_(static_cast<std::size_t>(sub_partitions) * entries_, 0),
        next_queued_(static_cast<std::size_t>(sub_partitions), 0),
        room_at_(static_cast<std::size_t>(sub_partitions), 0) {
    for (Lines& lines : operands_) lines.fill(kNever);
    loads_.fill(kNever);
    blocks_.fill(kNever);
    if (spec.miss_cycles == 0) return;
    // From the last instruction on, the next one that reads an operand.
    next_.assign(code.size() + 1, static_cast<std::uint32_t>(code.size()));
    for (std::size_t i = code.size(); i-- > 0;)
      next_[i] = reads(code[i]) ? static_cast<std::uint32_t>(i) : next_[i + 1];
  }

  // A warp of a sub-partition comes to an instruction at `now`. Returns from when on its operand is there.
  Cycle operand(std::size_t sub, const Instruction& instruction, Cycle now) {
    if (next_.empty() || !reads(instruction)) return now;
    Cycle& ready = operands_[sub][instruction.constant];
    if (ready == kNever) ready = fetch(instruction.constant, now) + spec_.miss_cycles;
    return std::max(now, ready);
  }

  // How many of the `most` instructions of `code` from `index` on, the first one apart, read nothing at `now` that the
  // sub-partition does not hold.
  std::size_t settled(std::size_t sub, std::span<const Instruction> code, std::size_t index, std::size_t most,
                      Cycle now) const {
    if (next_.empty()) return most;
    std::size_t at = next_[index + 1];
    while (at < index + most && operands_[sub][code[at].constant] <= now) at = next_[at + 1];
    return std::min(most, at - index);
  }

  // A sub-partition issues an LDC, or with no line what goes the same way, at `now`. Returns how much later than usual
  // it has its constant.
  Cycle load(std::size_t sub, std::uint8_t line, Cycle now) {
    const double start = std::max(static_cast<double>(now), loads_free_);
    loads_free_ = start + spec_.load_cycles;
    const auto begins = static_cast<Cycle>(start);
    std::size_t& next = next_queued_[sub];
    queued_[sub * entries_ + next] = begins;
    next = next + 1 == entries_ ? 0 : next + 1;
    room_at_[sub] = queued_[sub * entries_ + next];
    if (next_.empty() || line == ConstantLine::kNone) return begins - now;
    Cycle& ready = loads_[line];
    if (ready == kNever) ready = fetch(line, begins) + spec_.load_miss_cycles;
    return std::max(begins, ready) - now;
  }

  Cycle load_issue_cycles() const { return spec_.load_issue_cycles; }
  // When the sub-partition has room for another LDC.
  Cycle load_room_at(std::size_t sub) const { return room_at_[sub]; }

 private:
  using Lines = std::array<Cycle, 256>;  // from when on each is there; kNever: not asked for

  static bool reads(const Instruction& one) {
    return one.constant != ConstantLine::kNone && one.op != OpClass::constant_load;
  }

  // When the larger cache begins to hand a line over that is asked for at `now`.
  Cycle fetch(std::uint8_t line, Cycle now) {
    if (ConstantLine::is_other(line)) {
      Cycle& ready = blocks_[ConstantLine::block_of(line)];
      if (ready == kNever) ready = now + spec_.memory_cycles;
      now = std::max(now, ready);
    }
    return port_.take(now, line_cycles_);
  }

  ConstantCacheSpec spec_;
  Cycle line_cycles_;
  std::vector<std::uint32_t> next_;  // by instruction, itself included; empty: all constants are there
  std::vector<Lines> operands_;      // by sub-partition
  Lines loads_{};
  std::array<Cycle, ConstantLine::kOtherBlocks> blocks_{};
  Resource port_;
  std::size_t entries_;                   // of a sub-partition's queue
  std::vector<Cycle> queued_;             // by sub-partition: when what last took each entry went out
  std::vector<std::size_t> next_queued_;  // ... the entry that is next
  std::vector<Cycle> room_at_;            // ... when what it holds has gone out
  double loads_free_ = 0;
};

}  // namespace tilescope
