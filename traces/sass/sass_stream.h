// The stream of one warp of a compiled kernel. See sass_kernel.h.
#pragma once

#include <memory>
#include <vector>

#include "traces/sass/cta_executor.h"
#include "traces/sass/sass_kernel.h"
#include "traces/sass/segment_keys.h"

namespace tilescope::sass {

class SassStream final : public WarpStream {
 public:
  explicit SassStream(const SassKernel& kernel) : kernel_(kernel), keys_(kernel.keys_) {}

  void start(std::int64_t cta, int warp, Operands operands) override;
  bool next(Segment& segment) override;
  bool next_run(Segment& segment) override;

 private:
  bool execute(CtaExecutor::Recorded& recorded, std::uint32_t* turns);
  // `turns`: null, or how many turns of a loop to give at once is returned there.
  bool next_segment(Segment& segment, std::uint32_t* turns);

  const SassKernel& kernel_;
  SegmentKeyCache keys_;
  std::unique_ptr<WarpExecutor> alone_;  // warps that need no other
  std::unique_ptr<CtaMemory> memory_;
  std::shared_ptr<CtaExecutor> together_;
  std::size_t index_ = 0;
  std::int64_t cta_ = 0, rank_ = 0;
  int warp_ = 0;
  std::uint32_t pending_exit_ = 0;  // instruction + 1: the last segment is still to come
};

}  // namespace tilescope::sass
