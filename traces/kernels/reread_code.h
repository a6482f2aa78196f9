// The static code of reread as nvcc 13.0 -O3 makes it for sm_90. See reread.h.
//
// Exact in number and kind of instructions for what gpu/measured holds, within two per pass elsewhere: of the 48
// instances (width, unroll) nvcc computes in 14 the CTA's place in uniform registers, and spends between 5 and 14
// instructions beside loads, sums and addresses on a pass of the unrolled loop, by no rule that we know.
#pragma once

#include "traces/kernels/code_builder.h"

namespace tilescope {

enum RereadRole { kRereadLoad };
enum RereadSection {
  kRereadBegin,
  kRereadPass,    // begins a pass; ends with the branch around the unrolled loop
  kRereadBefore,  // the unrolled loop
  kRereadBlock,
  kRereadAfter,
  kRereadCheck,  // branches around the single rows
  kRereadOne,
  kRereadPassEnd,
  kRereadEnd
};

struct RereadCode {
  int unroll = 8;  // loads of the unrolled loop, 1 to 16
  std::int64_t width = 16;
  bool cached = true;
};

void emit_reread(CodeBuilder& code, const RereadCode& spec);

}  // namespace tilescope
