// The stream of a generated kernel: one warp's walk along its route. See generated_kernel.h.
#pragma once

#include "traces/kernels/generated_kernel.h"

namespace tilescope {

class GeneratedStream final : public WarpStream {
 public:
  explicit GeneratedStream(const GeneratedKernel& kernel) : kernel_(kernel), buffer_(kernel.most_operands_) {}

  void start(std::int64_t cta, int warp, Operands operands) override;
  bool next(Segment& segment) override;
  bool next_run(Segment& segment) override;

 private:
  bool next_step();

  const GeneratedKernel& kernel_;
  CtaPlace place_;
  RouteStep step_;
  std::int64_t next_index_ = 0;
  std::int64_t left_ = 0;  // runs of the current section
  int warp_ = 0;
  Operands wanted_ = Operands::all;
  const GeneratedKernel::Section* section_ = nullptr;
  const GeneratedKernel::SectionOperands* operands_ = nullptr;
  const GeneratedKernel::SectionOperands* filled_ = nullptr;  // what the buffer holds, but for global bases
  std::vector<MemoryOperand> buffer_;
};

}  // namespace tilescope
