// The base of generators that take their code from a compiled sample of the same kernel (compiled_sample.h): the loop's
// route comes from the sample's walk, instructions from its listing, addresses from the generator.
#pragma once

#include <vector>

#include "traces/kernels/generated_kernel.h"
#include "traces/kernels/loop_code.h"
#include "traces/raster.h"

namespace tilescope {

class SampledKernel : public GeneratedKernel {
 protected:
  SampledKernel() = default;

  // In the constructor, before set_launch(). `advance`: of each buffer with each step of K, byte. `ragged`: the last
  // step of K is not whole; its operands are marked `edge`. `raster`: an order of CTAs that the sample does not know.
  void set_loop(const LoopCode& loop, const std::array<std::int64_t, kBuffers>& advance, bool ragged, Raster raster);
  // After set_launch(). `store`: an operand that a warp with work always has.
  void find_idle_warps(const Access& store, int shapes);

  // Where the CTA's part of each buffer begins.
  virtual std::array<std::uint64_t, kBuffers> base(const CtaPlace& place) const = 0;

 private:
  bool step(const CtaPlace& place, int warp, std::int64_t index, RouteStep& out) const final;

  std::array<std::int64_t, kBuffers> advance_{};
  std::vector<RouteRun> route_, idle_route_;
  std::vector<std::vector<char>> idle_;  // by shape and warp: nothing to do
};

}  // namespace tilescope
