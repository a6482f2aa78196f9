// A warp's stream, read by whole runs (WarpStream::next_run) and handed out segment by segment, or many at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/isa/kernel.h"

namespace tilescope {

class WarpAhead {
 public:
  // Begins a warp.
  void start(const Kernel& kernel, std::int64_t cta, int warp, Operands operands) {
    if (!stream_) stream_ = kernel.make_stream();
    stream_->start(cta, warp, operands);
    left_ = 0;
    exited_ = false;
  }

  // Segments of the run that comes next which are not taken yet; 0 when the warp has exited.
  std::uint32_t left() {
    if (left_ == 0 && !exited_) read();
    return left_;
  }
  // The first of them. REQUIRES: left() > 0. Valid until left() asks for another run, or take().
  const Segment& front() const { return run_; }
  // Byte by which each operand's base moves from one of them to the next. REQUIRES: left() > 1.
  const std::int64_t* advance() const { return run_.advance; }
  // Leaves out `count` of them. REQUIRES: 0 < count <= left().
  void take(std::uint32_t count) {
    left_ -= count;
    if (left_ == 0) return;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      operands_[i].base += static_cast<std::uint64_t>(run_.advance[i]) * count;
  }

 private:
  void read() {
    run_ = {};
    exited_ = !stream_->next_run(run_);
    if (exited_) return;
    left_ = run_.repeats;
    if (left_ == 1) return;
    std::size_t operands = 0;
    for (std::uint32_t i = 0; i < run_.length; ++i)
      operands += static_cast<std::size_t>(memory_operands(run_.code[i].op));
    operands_.assign(run_.operands, run_.operands + operands);
    run_.operands = operands_.data();
  }

  std::unique_ptr<WarpStream> stream_;
  Segment run_;
  std::vector<MemoryOperand> operands_;  // of the next segment, when the run has several
  std::uint32_t left_ = 0;
  bool exited_ = false;
};

}  // namespace tilescope
