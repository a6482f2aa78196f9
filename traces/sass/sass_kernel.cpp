#include "traces/sass/sass_kernel.h"

#include "traces/sass/sass_stream.h"

namespace tilescope::sass {

SassKernel::SassKernel(Program program, Launch launch, DeviceMemory memory, std::size_t shared_bytes)
    : program_(std::move(program)),
      launch_(std::move(launch)),
      memory_(std::move(memory)),
      shared_bytes_(shared_bytes) {
  instructions_ = program_.instructions;
  exit_of_.resize(instructions_.size());
  for (std::size_t i = 0; i < exit_of_.size(); ++i) {
    if (instructions_[i].op != OpClass::exit) continue;
    exit_of_[i] = static_cast<std::uint32_t>(instructions_.size());
    instructions_.push_back(instructions_[i]);
    instructions_[i].op = OpClass::branch;
  }
}

SassKernel::~SassKernel() = default;

std::unique_ptr<WarpStream> SassKernel::make_stream() const { return std::make_unique<SassStream>(*this); }

std::shared_ptr<CtaExecutor> SassKernel::execution_of(std::int64_t cta) const {
  constexpr std::size_t many = 4096;
  const std::scoped_lock lock(mutex_);
  if (running_.size() > many) std::erase_if(running_, [](const auto& entry) { return entry.second.expired(); });
  auto& known = running_[cta];
  if (auto execution = known.lock()) return execution;
  auto made = std::make_shared<CtaExecutor>(program_, patterns_, memory_, shared_bytes_, false);
  made->start(cta);
  known = made;
  return made;
}

void SassStream::start(std::int64_t cta, int warp, Operands) {
  index_ = 0;
  warp_ = warp;
  pending_exit_ = 0;
  if (kernel_.program_.whole_cta) {
    together_.reset();
    together_ = kernel_.execution_of(cta);
    return;
  }
  if (!alone_) {
    alone_ = std::make_unique<WarpExecutor>(kernel_.program_, kernel_.patterns_);
    if (kernel_.program_.needs_memory)
      memory_ = std::make_unique<CtaMemory>(kernel_.memory_, kernel_.shared_bytes_, false);
  }
  if (memory_) memory_->clear();
  alone_->start(cta, warp, memory_.get());
}

bool SassStream::execute(WarpRun& run) {
  if (together_) return together_->run_of(warp_, index_++, run, operands_);
  if (alone_->done()) return false;
  run = alone_->next(false);
  return true;
}

bool SassStream::next(Segment& segment) {
  const std::vector<Instruction>& code = kernel_.instructions_;
  if (pending_exit_ != 0) {
    const std::uint32_t place = kernel_.exit_of_[pending_exit_ - 1];
    pending_exit_ = 0;
    segment = {.code = code.data() + place, .operands = operands_.data(), .length = 1, .key = 0};
    segment.key = keys_.key_of(place, std::span(code).subspan(place, 1), {});
    return true;
  }
  WarpRun run;
  if (!execute(run)) return false;
  std::uint32_t length = run.length;
  if (run.end == WarpRun::End::exit) {
    pending_exit_ = run.first + length;
    if (--length == 0) return next(segment);
  }
  const std::vector<MemoryOperand>& operands = together_ ? operands_ : alone_->operands();
  segment = {.code = code.data() + run.first, .operands = operands.data(), .length = length, .key = 0};
  segment.key = keys_.key_of(run.first, std::span(code).subspan(run.first, length), operands);
  return true;
}

void execute_grid(const Program& program, const Launch& launch, DeviceMemory& memory, std::size_t shared_bytes) {
  PatternTable patterns;
  CtaExecutor executor(program, patterns, memory, shared_bytes, true);
  for (std::int64_t cta = 0; cta < launch.grid.count(); ++cta) {
    executor.start(cta);
    executor.run_to_end();
  }
}

}  // namespace tilescope::sass
