// What a GEMM result is held against.
#pragma once

#include "../kernels/instances.h"

namespace tilescope::gpu {

struct Agreement {
  double relative_error = 0.0;  // ||C - reference|| / ||reference||, Frobenius; NaN where an output was never written
  bool good = false;            // relative_error not above the bound of relative_bound()
};

// 1e-5, which FP32 sums of up to 16,384 terms stay under; 1e-4 with FP16 inputs: tensor cores cut off what does not fit
// their FP32 sums, and such errors add up in one direction. 0 with packed inputs, whose sums are exact.
double relative_bound(const Problem& problem);

// Compares problem.c with a product accumulated in FP64 by one thread per output; 64 outputs of that reference are
// themselves recomputed on the CPU. Throws std::runtime_error if those disagree.
Agreement compare_with_reference(const Problem& problem);

// Compares problem.c with another product of the same matrices.
Agreement compare_with(const Problem& problem, const float* other);

// ||result - answer|| / ||answer|| of floats or halves on the device; NaN where a result was never written.
double relative_error(const float* result, const double* answer, std::size_t count);
double relative_error(const __half* result, const double* answer, std::size_t count);

// Packs `data`, whose numbers the type holds exactly, into `packed`; a matrix of rows x columns, transposed where
// asked.
void pack(const float* data, void* packed, TensorType type, int rows, int columns, bool transposed);

// Makes floats of ints, in place.
void ints_to_floats(float* data, std::size_t count);

// Rounds `data` to FP16 and keeps it in both forms.
void round_to_half(float* data, __half* half, std::size_t count);

}  // namespace tilescope::gpu
