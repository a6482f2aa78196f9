// Assigns the control codes that NVIDIA's assembler writes into every instruction: how long the warp waits before its
// next instruction, which scoreboard a result of unknown latency sets, and which scoreboards an instruction waits for.
//
// Rules, read off compiled code for sm_90 (nvcc 13.0, -O3):
//   fixed latency, producer to consumer: ALU and FFMA 4 cycles, IMAD 4, uniform registers 6, to an address one more; a
//     predicate 4 as data and 13 as a guard or branch condition;
//   one warp issues to the same pipe at intervals: load/store 4, ALU, IMAD and uniform 2; 6 from a barrier to what
//   follows it
//     in the load/store or branch unit; 5 after a branch or EXIT;
//   unknown latency (loads, LDC, S2R, MUFU): one of six scoreboards from the producer to the first consumer. Shared
//   loads of a
//     warp return in order, so of those that one consumer needs only the last sets a scoreboard. Global loads that meet
//     in one consumer share one; when all six are taken, later producers share the last;
//   a register that a memory instruction still reads is protected from a later ALU write by a read scoreboard.
#pragma once

#include <vector>

#include "traces/kernels/code_builder.h"

namespace tilescope {

std::vector<Instruction> assign_control_codes(const std::vector<DraftInstruction>& code,
                                              const std::vector<DraftSection>& sections);

}  // namespace tilescope
