// A kernel whose streams give one segment at a time: next_run() is next(). For tests of what runs must not change.
#pragma once

#include <memory>
#include <utility>

#include "models/isa/kernel.h"

namespace tilescope::test {

class HiddenRuns : public Kernel {
 public:
  // REQUIRES: `kernel` outlives this.
  explicit HiddenRuns(const Kernel& kernel) : kernel_(kernel) {}
  const Launch& launch() const override { return kernel_.launch(); }
  std::span<const Instruction> code() const override { return kernel_.code(); }
  const PatternTable& patterns() const override { return kernel_.patterns(); }
  std::unique_ptr<WarpStream> make_stream() const override { return std::make_unique<Stream>(kernel_.make_stream()); }

 private:
  struct Stream : WarpStream {
    explicit Stream(std::unique_ptr<WarpStream> stream) : inner(std::move(stream)) {}
    void start(std::int64_t cta, int warp, Operands operands) override { inner->start(cta, warp, operands); }
    bool next(Segment& segment) override { return inner->next(segment); }
    std::unique_ptr<WarpStream> inner;
  };
  const Kernel& kernel_;
};

}  // namespace tilescope::test
