// The register-tiled GEMM as nvcc compiles it (gpu/kernels/gemm_register.cuh): a CTA owns a BM x BN tile of C, a thread
// TM x TN of it; K advances by BK through shared memory, A's tile stored transposed. VECTOR is 1 (float) or 4 (float4)
// in global accesses. And the warp-tiled one (gpu/kernels/gemm_warp.cuh), where a warp owns a part of C of its own and
// its lanes' outputs lie in pieces of 4 x 4 side by side.
//
// The code is that of the compiled instance of this shape (compiled_sample.h); of a shape that was not compiled, that
// of the nearest one, reshaped (reshape.h).
#pragma once

#include <string>

#include "traces/kernels/compiled_listings.h"
#include "traces/kernels/gemm_problem.h"
#include "traces/kernels/sampled_kernel.h"

namespace tilescope {

struct GemmRegisterSpec {
  GemmProblem problem;
  int bm = 128, bn = 128, bk = 8;
  int tm = 8, tn = 8;
  int vector = 4;
  // Warp-tiled: rows and columns of C per warp, tm = wm / 4 and tn = wn / 8 of them per thread. 0: not.
  int wm = 0, wn = 0;

  const char* family() const { return wm > 0 ? "gemm_warp" : "gemm_register"; }
  int threads() const { return bm / tm * (bn / tn); }
  int accesses_a() const { return bm * bk / vector; }
  int accesses_b() const { return bk * bn / vector; }
  int steps_a() const { return (accesses_a() + threads() - 1) / threads(); }
  int steps_b() const { return (accesses_b() + threads() - 1) / threads(); }
};

class GemmRegister final : public SampledKernel {
 public:
  // REQUIRES: M, N, K multiples of bm, bn, bk; bm of tm; bn of tn; bk and tn of vector. With warps' parts: bm of wm, bn
  // of wn, wm of 16, wn of 32.
  // `sample`: the compiled shape whose code is used; empty: the nearest one. `listing`: which has it, if not the
  // family's.
  explicit GemmRegister(const GemmRegisterSpec& spec, const std::string& sample = "",
                        const CompiledListing* listing = nullptr);

  // The symbol of the compiled function that is nearest to a shape, of all but `without`.
  static std::string nearest_sample(const GemmRegisterSpec& spec, const std::string& without = "");

 private:
  CtaPlace place(std::int64_t cta) const override;
  std::array<std::uint64_t, kBuffers> base(const CtaPlace& place) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  GemmRegisterSpec spec_;
  GemmArrays arrays_;
  RasterSpec raster_;
};

}  // namespace tilescope
