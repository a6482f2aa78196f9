// The arguments of cuTensorMapEncodeTiled in the words of a launch file.
#pragma once

#include <cuda.h>

#include "launch.h"

namespace tilescope::capture {

struct TensorMapArguments {
  CUtensorMapDataType type;
  unsigned rank;
  std::uint64_t address;
  const cuuint64_t *dims, *strides;  // `strides`: byte, from the second dimension on
  const cuuint32_t *box, *element_strides;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion l2_promotion;
  CUtensorMapFloatOOBfill oob_fill;
};

TensorMap describe(const TensorMapArguments& arguments);

}  // namespace tilescope::capture
