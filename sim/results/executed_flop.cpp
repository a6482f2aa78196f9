#include "sim/results/executed_flop.h"

#include "sim/results/real.h"

namespace tilescope {
namespace {

bool has_word(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

}  // namespace

double flop_of(const Instruction& instruction, const std::string& text) {
  switch (instruction.op) {
    case OpClass::fma:
      return kLanes * (has_word(text, "FADD") || has_word(text, "FMUL") ? 1 : 2);
    case OpClass::half:
      return kLanes * (has_word(text, "HADD2") || has_word(text, "HMUL2") ? 2 : 4);
    case OpClass::half_tensor:  // with -RZ, RZ it brings a constant into a register
      return has_word(text, "-RZ, RZ") ? 0 : kLanes * 4;
    case OpClass::fp64:
      return kLanes * (has_word(text, "DFMA") || text == "fp64" ? 2 : has_word(text, "DSETP") ? 0 : 1);
    case OpClass::tensor:
      if (instruction.multiplies_doubles()) return 2.0 * 8 * 8 * 4;
      return 2.0 * 256 * instruction.work;
    case OpClass::group_tensor:
      return 2.0 * 256 * instruction.work;
    default:
      return 0;
  }
}

double executed_flop(const Kernel& kernel, const std::vector<InstructionCounters>& instructions) {
  double flop = 0;
  const auto code = kernel.code();
  for (std::size_t i = 0; i < instructions.size() && i < code.size(); ++i)
    if (instructions[i].executed != 0)
      flop += real(instructions[i].executed) * flop_of(code[i], kernel.source_of(i).text);
  return flop;
}

}  // namespace tilescope
