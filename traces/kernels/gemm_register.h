// The register-tiled GEMM as nvcc compiles it (gpu/kernels/gemm_register.cuh): a CTA owns a BM x BN tile of C, a thread
// TM x TN of it; K advances by BK through shared memory, A's tile stored transposed. VECTOR is 1 (float) or 4 (float4)
// in global accesses.
#pragma once

#include "traces/kernels/gemm_problem.h"
#include "traces/kernels/generated_kernel.h"

namespace tilescope {

struct GemmRegisterSpec {
  GemmProblem problem;
  int bm = 128, bn = 128, bk = 8;
  int tm = 8, tn = 8;
  int vector = 4;

  int threads() const { return bm / tm * (bn / tn); }
  int accesses_a() const { return bm * bk / vector; }
  int accesses_b() const { return bk * bn / vector; }
  int steps_a() const { return (accesses_a() + threads() - 1) / threads(); }
  int steps_b() const { return (accesses_b() + threads() - 1) / threads(); }
};

class GemmRegister final : public GeneratedKernel {
 public:
  // REQUIRES: M, N, K multiples of bm, bn, bk; bm of tm; bn of tn; bk and tn of vector.
  explicit GemmRegister(const GemmRegisterSpec& spec);

 private:
  CtaPlace place(std::int64_t cta) const override;
  bool step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const override;
  LaneAddresses lanes(const Access& access, int shape, int warp) const override;

  GemmRegisterSpec spec_;
  GemmArrays arrays_;
  RasterSpec raster_;
};

}  // namespace tilescope
