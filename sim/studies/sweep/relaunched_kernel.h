// A kernel launched otherwise than it says: with more dynamic shared memory, or other registers per thread. What its
// warps execute stays as it is; how many of its CTAs fit on an SM does not.
#pragma once

#include <memory>
#include <string>

#include "models/isa/kernel.h"
#include "traces/kernels/parameters.h"

namespace tilescope::sweep {

class RelaunchedKernel : public Kernel {
 public:
  // `values` may hold names of launch_parameters(), with whole numbers; others are left alone.
  RelaunchedKernel(std::shared_ptr<const Kernel> kernel, const ParameterTexts& values);

  const Launch& launch() const override { return launch_; }
  std::span<const Instruction> code() const override { return kernel_->code(); }
  std::int64_t code_bytes() const override { return kernel_->code_bytes(); }
  const PatternTable& patterns() const override { return kernel_->patterns(); }
  std::unique_ptr<WarpStream> make_stream() const override { return kernel_->make_stream(); }
  InstructionSource source_of(std::size_t instruction) const override { return kernel_->source_of(instruction); }
  std::string source_folder() const override { return kernel_->source_folder(); }
  std::vector<std::string> approximations() const override { return kernel_->approximations(); }

 private:
  std::shared_ptr<const Kernel> kernel_;
  Launch launch_;
};

}  // namespace tilescope::sweep
