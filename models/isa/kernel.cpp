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

std::int64_t instructions_of_cta(const Kernel& kernel, std::int64_t cta) {
  std::int64_t count = 0;
  const auto stream = kernel.make_stream();
  for (std::int64_t warp = 0; warp < kernel.launch().warps_per_cta(); ++warp) {
    stream->start(cta, static_cast<int>(warp), Operands::global);
    for (Segment segment; stream->next(segment);) count += segment.length;
  }
  return count;
}

}  // namespace tilescope
