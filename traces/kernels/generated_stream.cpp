#include "traces/kernels/generated_stream.h"

#include <algorithm>

namespace tilescope {

void GeneratedStream::start(std::int64_t cta, int warp, Operands operands) {
  place_ = kernel_.place(cta);
  warp_ = warp;
  if (operands != wanted_) filled_ = nullptr;
  wanted_ = operands;
  next_index_ = 0;
  left_ = 0;
}

bool GeneratedStream::next_step() {
  do {
    step_ = {};
    if (!kernel_.step(place_, warp_, next_index_++, step_)) return false;
  } while (step_.repeats == 0);
  left_ = step_.repeats;
  section_ = &kernel_.sections_[static_cast<std::size_t>(step_.section)];
  operands_ = &kernel_.operands(step_.section, place_.shape, warp_);
  if (filled_ == operands_) return true;
  filled_ = operands_;
  if (wanted_ == Operands::all) {
    std::copy(operands_->operands.begin(), operands_->operands.end(), buffer_.begin());
    return true;
  }
  for (const auto& global : operands_->global) buffer_[global.position] = operands_->operands[global.position];
  for (const std::uint32_t position : operands_->copied) buffer_[position] = operands_->operands[position];
  for (const std::uint32_t position : operands_->idle) buffer_[position] = {};
  return true;
}

bool GeneratedStream::next(Segment& segment) {
  if (left_ == 0 && !next_step()) return false;
  for (const auto& global : operands_->global)
    buffer_[global.position].base =
        step_.base[static_cast<std::size_t>(global.buffer)] + static_cast<std::uint64_t>(global.offset);
  for (std::size_t buffer = 0; buffer < kBuffers; ++buffer)
    step_.base[buffer] += static_cast<std::uint64_t>(section_->advance[buffer]);
  --left_;
  segment.code = kernel_.code_.data() + section_->first;
  segment.operands = buffer_.data();
  segment.length = static_cast<std::uint32_t>(section_->length);
  segment.key = operands_->key;
  return true;
}

// What is left of the section.
bool GeneratedStream::next_run(Segment& segment) {
  if (!next(segment)) return false;
  segment.repeats = static_cast<std::uint32_t>(std::min<std::int64_t>(left_, 1 << 30)) + 1;
  segment.advance = operands_->advance.data();
  const std::int64_t more = segment.repeats - 1;
  for (std::size_t buffer = 0; buffer < kBuffers; ++buffer)
    step_.base[buffer] += static_cast<std::uint64_t>(more * section_->advance[buffer]);
  left_ -= more;
  return true;
}

}  // namespace tilescope
