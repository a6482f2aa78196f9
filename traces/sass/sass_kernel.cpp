#include "traces/sass/sass_kernel.h"

#include <algorithm>
#include <filesystem>

#include "traces/sass/sass_stream.h"

namespace tilescope::sass {

SassKernel::SassKernel(Program program, Launch launch, DeviceMemory memory, std::size_t shared_bytes)
    : program_(std::move(program)),
      launch_(std::move(launch)),
      memory_(std::move(memory)),
      shared_bytes_(shared_bytes),
      guard_(program_, patterns_, memory_, shared_bytes_, resident_, passed_) {
  instructions_ = program_.instructions;
  exit_of_.resize(instructions_.size());
  for (std::size_t i = 0; i < exit_of_.size(); ++i) {
    if (instructions_[i].op != OpClass::exit) continue;
    exit_of_[i] = static_cast<std::uint32_t>(instructions_.size());
    instructions_.push_back(instructions_[i]);
    instructions_[i].op = OpClass::convergence;  // one that no whole warp takes costs what a turn costs
  }
  keys_.describe(instructions_);
}

SassKernel::~SassKernel() = default;

std::unique_ptr<WarpStream> SassKernel::make_stream() const {
  if (program_.ctas_exchange && program_.launch.grid.count() > 1)
    std::call_once(passed_once_, [this] { find_passed(); });
  return std::make_unique<SassStream>(*this);
}

// With all products after all where leaving them out has led nowhere.
void SassKernel::find_passed() const {
  passed_.find(program_, patterns_, memory_, shared_bytes_, resident_);
  if (passed_.missing().empty() || !program_.with_products) return;
  const std::unique_ptr<Program> whole = std::move(program_.with_products);
  program_ = std::move(*whole);
  passed_ = {};
  passed_.find(program_, patterns_, memory_, shared_bytes_, resident_);
}

std::vector<std::string> SassKernel::approximations() const {
  std::vector<std::string> sentences;
  if (!passed_.missing().empty()) sentences.push_back(passed_.missing());
  const auto& unrecorded = program_.launch.unrecorded;
  if (unrecorded && !unrecorded->sentence().empty()) sentences.push_back(unrecorded->sentence());
  return sentences;
}

InstructionSource SassKernel::source_of(std::size_t instruction) const {
  if (instruction < program_.sources.size()) return program_.sources[instruction];
  const auto first = std::find(exit_of_.begin(), exit_of_.end(), instruction);
  return program_.sources[static_cast<std::size_t>(first - exit_of_.begin())];
}

std::string SassKernel::source_folder() const { return std::filesystem::path(program_.listing).parent_path(); }

std::shared_ptr<CtaExecutor> SassKernel::execution_of(std::int64_t cluster) const {
  constexpr std::size_t many = 4096;
  const std::scoped_lock lock(mutex_);
  if (running_.size() > many) std::erase_if(running_, [](const auto& entry) { return entry.second.expired(); });
  auto& known = running_[cluster];
  if (auto execution = known.lock()) return execution;
  if (idle_.empty())
    idle_.push_back(std::make_unique<CtaExecutor>(program_, patterns_, memory_, shared_bytes_, false, resident_));
  const auto give_back = [this](CtaExecutor* ended) {
    const std::scoped_lock here(mutex_);
    idle_.emplace_back(ended);
  };
  std::shared_ptr<CtaExecutor> taken(idle_.back().release(), give_back);
  idle_.pop_back();
  taken->start(cluster, &passed_);
  known = taken;
  return taken;
}

void SassStream::start(std::int64_t cta, int warp, Operands) {
  index_ = 0;
  cta_ = cta;
  warp_ = warp;
  pending_exit_ = 0;
  if (kernel_.program_.whole_cta) {
    together_.reset();
    together_ = kernel_.execution_of(kernel_.launch_.cluster_of(cta));
    rank_ = kernel_.launch_.rank_in_cluster(cta);
    return;
  }
  if (!alone_) {
    alone_ = std::make_unique<WarpExecutor>(kernel_.program_, kernel_.patterns_);
    if (kernel_.program_.needs_memory)
      memory_ = std::make_unique<CtaMemory>(kernel_.memory_, kernel_.shared_bytes_, false, kernel_.resident_.pages,
                                            kernel_.program_.launch.limits.written_bytes);
  }
  if (memory_) memory_->clear();
  alone_->start(cta, warp, memory_.get());
}

bool SassStream::execute(CtaExecutor::Recorded& recorded, std::uint32_t* turns) {
  if (together_) {
    const bool more = together_->run_of(rank_, warp_, index_++, recorded);
    kernel_.guard_.check(cta_, warp_, together_->furthest());
    return more;
  }
  if (alone_->done()) return false;
  recorded.run = turns != nullptr ? alone_->next_turns(*turns) : alone_->next(false);
  kernel_.guard_.check(cta_, warp_, alone_->executed());
  recorded.operands = alone_->operands().data();
  recorded.asynchronous = alone_->asynchronous().data();
  return true;
}

bool SassStream::next(Segment& segment) { return next_segment(segment, nullptr); }

bool SassStream::next_run(Segment& segment) {
  std::uint32_t turns = 1;
  if (!next_segment(segment, &turns)) return false;
  segment.repeats = turns;
  if (turns > 1) segment.advance = alone_->advance().data();
  return true;
}

bool SassStream::next_segment(Segment& segment, std::uint32_t* turns) {
  const std::vector<Instruction>& code = kernel_.instructions_;
  if (pending_exit_ != 0) {
    const std::uint32_t place = kernel_.exit_of_[pending_exit_ - 1];
    pending_exit_ = 0;
    segment = {.code = code.data() + place,
               .operands = nullptr,
               .length = 1,
               .key = keys_.key_of(place, 1, nullptr),
               .complete = true};
    return true;
  }
  CtaExecutor::Recorded recorded;
  if (!execute(recorded, turns)) return false;
  const WarpRun& run = recorded.run;
  std::uint32_t length = run.length;
  if (run.end == WarpRun::End::exit) {
    pending_exit_ = run.first + length;
    if (--length == 0) return next_segment(segment, turns);
  }
  segment = {.code = code.data() + run.first,
             .operands = recorded.operands,
             .length = length,
             .key = keys_.key_of(run.first, length, recorded.operands),
             .complete = true,
             .asynchronous = recorded.asynchronous};
  return true;
}

void execute_grid(const Program& program, const Launch& launch, DeviceMemory& memory, std::size_t shared_bytes) {
  PatternTable patterns;
  Resident resident;
  CtaExecutor executor(program, patterns, memory, shared_bytes, true, resident);
  for (std::int64_t cluster = 0; cluster < launch.clusters(); ++cluster) {
    executor.start(cluster);
    executor.run_to_end();
  }
}

}  // namespace tilescope::sass
