// The static code of reread: the loads, sums and addresses of gpu/kernels/reread.cuh, and about as many instructions
// around them as nvcc 13.0 -O3 makes for sm_90 (3 % of those of any launch measured). See reread.h.
#pragma once

#include "traces/kernels/code_builder.h"

namespace tilescope {

enum RereadRole { kRereadLoad };
enum RereadSection {
  kRereadBegin,
  kRereadPass,
  kRereadBlock,  // the unrolled loop
  kRereadOne,    // single rows
  kRereadPassEnd,
  kRereadEnd
};

struct RereadCode {
  int unroll = 8;           // loads of the unrolled loop
  std::int64_t width = 16;  // byte per lane and load
  bool cached = true;
  // The distance between two loads stands in the instruction: one pointer serves all, and all are in flight.
  bool immediate = false;
};

void emit_reread(CodeBuilder& code, const RereadCode& spec);

}  // namespace tilescope
