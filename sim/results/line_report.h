// Counters of a run by instruction, or by line of source code: which lines a kernel's time and traffic belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/instruction_source.h"
#include "models/isa/kernel.h"
#include "sim/engine/sm_counters.h"
#include "sim/simulate.h"

namespace tilescope {

enum class By : std::uint8_t { instruction, source };

struct LineRow {
  InstructionSource source;      // by source line: `file` and `line` (empty and 0 where not known), its text if found
  std::size_t instructions = 1;  // static ones, by source line
  InstructionCounters counters;

  std::uint64_t stall_cycles() const;       // of warps in front of it, the cycle of its issue included: samples
  std::uint64_t excess_wavefronts() const;  // of shared memory, beyond the conflict-free ones
  // What warps waited for longest; nullopt: nothing but issue.
  std::optional<Stall> main_stall() const;
};

struct LineReport {
  By by = By::instruction;
  std::vector<LineRow> rows;  // in the order of the program; by source line: files as they come, lines ascending
  LineRow total;              // of all rows, those that keep_hottest() dropped included

  // Share of the samples; of the data stage's wavefronts where no time is known. 0 to 1.
  double heat(const LineRow& row) const;
  // The `count` hottest rows, hottest first.
  void keep_hottest(std::size_t count);
};

// Whether any instruction of the kernel says which line of source code it comes from.
bool knows_source_lines(const Kernel& kernel);

// `instructions`: RunOutcome's, of a run of this kernel with RunOptions::by_instruction.
LineReport report_lines(const Kernel& kernel, const std::vector<InstructionCounters>& instructions, By by);

}  // namespace tilescope
