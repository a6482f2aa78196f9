#include "models/isa/kernel.h"

namespace tilescope {

InstructionSource Kernel::source_of(std::size_t instruction) const {
  const Instruction& known = code()[instruction];
  InstructionSource source;
  source.index = instruction;
  source.text = name(known.op);
  source.listing_line = known.line;
  return source;
}

}  // namespace tilescope
