// The opcode groups; each file ops_*.cpp lists its own.
#pragma once

#include <span>
#include <string_view>

#include "traces/sass/decoder.h"

namespace tilescope::sass {

struct OpEntry {
  std::string_view opcode;
  DecodeFunction decode;
};

std::span<const OpEntry> integer_ops();
std::span<const OpEntry> logic_ops();
std::span<const OpEntry> compare_ops();
std::span<const OpEntry> single_ops();
std::span<const OpEntry> double_ops();
std::span<const OpEntry> half_ops();
std::span<const OpEntry> convert_ops();
std::span<const OpEntry> lane_ops();
std::span<const OpEntry> special_ops();
std::span<const OpEntry> memory_ops();
std::span<const OpEntry> tensor_ops();
std::span<const OpEntry> control_ops();
std::span<const OpEntry> order_ops();
std::span<const OpEntry> async_ops();

// Classes and scheduling of the engine.
inline void set_class(Decoder& d, OpClass op) { d.decoded.instruction.op = op; }
// The class of an instruction of the vector or, when its result is uniform, of the uniform datapath.
inline void set_math_class(Decoder& d, OpClass op) { set_class(d, d.op().whole_warp ? OpClass::uniform : op); }
// ... of one that brings something into a register and works nothing out.
inline void set_move_class(Decoder& d, OpClass op) { set_class(d, d.op().whole_warp ? OpClass::uniform_move : op); }

}  // namespace tilescope::sass
