// What a GEMM result is held against, and the inputs it is computed from.
#pragma once

#include <cstdint>

#include "../kernels/instances.h"

namespace tilescope::gpu {

// Uniform in [-1, 1), the same for the same seed on any machine.
void fill_random(float* data, std::size_t count, std::uint32_t seed);

struct Agreement {
  double relative_error = 0.0;  // ||C - reference|| / ||reference||, Frobenius; NaN where an output was never written
  bool good = false;            // relative_error below 1e-5, which FP32 sums of up to 16,384 terms stay under
};

// Compares problem.c with a product accumulated in FP64 by one thread per output; 64 outputs of that reference are
// themselves recomputed on the CPU. Throws std::runtime_error if those disagree.
Agreement compare_with_reference(const Problem& problem);

}  // namespace tilescope::gpu
