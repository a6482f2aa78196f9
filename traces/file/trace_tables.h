// What all warps of a trace share: launch, static code, lane patterns and segment shapes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/isa/kernel.h"
#include "models/isa/lane_pattern.h"

namespace tilescope::trace {

// A segment without its operands. `first_slot` numbers the operands of all shapes through: each has one predictor slot.
struct Shape {
  std::uint32_t offset = 0;  // into the code
  std::uint32_t length = 0;  // instructions, at least 1
  std::uint32_t key = 0;     // Segment::key
  std::uint32_t first_slot = 0;
  std::uint32_t operands = 0;
  std::uint64_t visits = 0;  // segments of this shape in the whole trace
};

struct Tables {
  Launch launch;
  std::vector<Instruction> code;
  std::vector<std::uint32_t> operands_before;        // [i]: operands of code[0, i)
  std::vector<LanePattern> patterns{LanePattern{}};  // in order of first use; [0] is the empty one and is not stored
  std::vector<Shape> shapes{Shape{}};                // in order of first use; [0] stands for a warp's beginning and end

  std::uint32_t slots() const { return shapes.back().first_slot + shapes.back().operands; }
  std::uint64_t warps() const {
    return static_cast<std::uint64_t>(launch.grid.count()) * static_cast<std::uint64_t>(launch.warps_per_cta());
  }
  void set_code(std::vector<Instruction> instructions);
  // Appends one, with its slots. REQUIRES: the segment lies inside the code.
  void add_shape(std::uint32_t offset, std::uint32_t length, std::uint32_t key, std::uint64_t visits = 0);
};

// These throw Malformed for whatever a trace may not hold.
void check_launch(const Launch& launch);
void check_instruction(const Instruction& instruction);
void check_pattern(const LanePattern& pattern);

std::string encode_tables(const Tables& tables);
Tables decode_tables(std::string_view content);

}  // namespace tilescope::trace
