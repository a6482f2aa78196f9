// The tensor-core GEMM as nvcc compiles it (gpu/kernels/gemm_tensor.cuh): FP16 inputs, FP32 sums. A CTA owns a BM x BN
// tile of C, a warp WM x WN of it in fragments of 16 x 16; K advances by BK through shared memory, in copies of 16
// byte, whose rows are 16 byte longer than they need be. Fragments are read with ldmatrix.
//
// The code is that of the compiled instance of this shape (compiled_sample.h); of a shape that was not compiled, that
// of the nearest one, reshaped (reshape.h).
#pragma once

#include <string>

#include "traces/kernels/compiled_listings.h"
#include "traces/kernels/gemm_problem.h"
#include "traces/kernels/sampled_kernel.h"

namespace tilescope {

struct GemmTensorSpec {
  GemmProblem problem;
  int bm = 128, bn = 128, bk = 32;
  int wm = 64, wn = 32;
  int architecture = 90;  // whose code: 80 or 90

  static constexpr std::int64_t kHalf = 2;    // byte
  static constexpr std::int64_t kVector = 8;  // halves of one copy
  static constexpr std::int64_t kPad = 8;     // halves between rows in shared memory
  static constexpr std::int64_t kFragment = 16;

  int threads() const { return bm / wm * (bn / wn) * kLanes; }
  std::int64_t copies_a() const { return bm * bk / kVector; }
  std::int64_t copies_b() const { return bk * bn / kVector; }
};

class GemmTensor final : public SampledKernel {
 public:
  // REQUIRES: M, N, K multiples of bm, bn, bk; bm of wm; bn of wn; bk, wm and wn of 16; copies_a() and copies_b() of
  // threads().
  // `sample`: the compiled shape whose code is used; empty: the nearest one. `listing`: which has it, if not the
  // family's.
  explicit GemmTensor(const GemmTensorSpec& spec, const std::string& sample = "",
                      const CompiledListing* listing = nullptr);

  // The symbol of the compiled function that is nearest to a shape, of all but `without`.
  static std::string nearest_sample(const GemmTensorSpec& spec, const std::string& without = "");

 private:
  CtaPlace place(std::int64_t cta) const override;
  std::array<std::uint64_t, kBuffers> base(const CtaPlace& place) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  GemmTensorSpec spec_;
  GemmArrays arrays_;
  RasterSpec raster_;
};

}  // namespace tilescope
