#include "traces/sass/divergence.h"

#include <algorithm>
#include <bit>

namespace tilescope::sass {

void Divergence::start(std::uint32_t lanes) {
  running_ = {0, lanes};
  ready_.clear();
  gatherings_.clear();
  members_.fill(0);
  restored_.fill(false);
  waiting_.fill(0);
  met_ = 0;
  exited_ = ~lanes;
  stuck_ = false;
}

void Divergence::branch(std::uint32_t taken, std::uint32_t target, std::uint32_t next) {
  const std::uint32_t rest = running_.lanes & ~taken;
  if (rest != 0 && taken != 0) ready_.push_back({target, taken});
  if (rest == 0)
    running_.place = target;
  else
    running_ = {next, rest};
}

void Divergence::run_another() {
  running_.lanes = 0;
  if (ready_.empty()) {
    stuck_ = ~exited_ != 0;
    return;
  }
  running_ = ready_.back();
  ready_.pop_back();
}

void Divergence::exit(std::uint32_t lanes, std::uint32_t next) {
  exited_ |= lanes;
  running_.lanes &= ~lanes;
  running_.place = next;
  release_complete();
  if (running_.lanes == 0) run_another();
}

// Waiting lanes go on, each from its own place.
void Divergence::make_ready(std::uint32_t lanes) {
  while (lanes != 0) {
    const std::uint32_t place = resume_[static_cast<std::size_t>(std::countr_zero(lanes))];
    std::uint32_t together = 0;
    for (std::uint32_t left = lanes; left != 0; left &= left - 1)
      if (resume_[static_cast<std::size_t>(std::countr_zero(left))] == place) together |= left & (0 - left);
    ready_.push_back({place, together});
    lanes &= ~together;
  }
}

void Divergence::release_complete() {
  for (std::size_t b = 0; b < kBarriers; ++b) {
    if (waiting_[b] == 0 || (members_[b] & ~exited_ & ~waiting_[b]) != 0) continue;
    make_ready(waiting_[b]);
    waiting_[b] = 0;
  }
  std::erase_if(gatherings_, [this](const Gathering& gathering) {
    if ((gathering.members & ~exited_ & ~gathering.waiting) != 0) return false;
    ready_.push_back({gathering.place, gathering.waiting});
    return true;
  });
}

void Divergence::open(std::uint8_t barrier) {
  members_[barrier] = running_.lanes;
  restored_[barrier] = false;
}

void Divergence::put(std::uint8_t barrier, std::uint32_t mask) {
  members_[barrier] = mask;
  restored_[barrier] = true;
}

void Divergence::meet(std::uint8_t barrier, std::uint32_t next) {
  const std::uint32_t here = next - 1;
  for (std::uint32_t left = running_.lanes; left != 0; left &= left - 1)
    resume_[static_cast<std::size_t>(std::countr_zero(left))] = next;
  waiting_[barrier] |= running_.lanes;
  running_.lanes = 0;
  if (restored_[barrier] && (members_[barrier] & ~exited_ & ~waiting_[barrier]) == 0) {
    restored_[barrier] = false;
    for (std::uint32_t left = waiting_[barrier]; left != 0; left &= left - 1) {
      std::uint32_t& place = resume_[static_cast<std::size_t>(std::countr_zero(left))];
      if (place == next) place = here;
    }
  }
  release_complete();
  run_another();
}

void Divergence::leave(std::uint8_t barrier, std::uint32_t lanes) {
  members_[barrier] &= ~lanes;
  release_complete();
}

void Divergence::gather(std::uint32_t mask, std::uint32_t next) {
  mask &= ~exited_;
  const bool again = (running_.lanes & ~met_) == 0;
  met_ &= ~running_.lanes;
  if (again || (mask & ~running_.lanes) == 0) {
    running_.place = next;
    return;
  }
  auto place = std::find_if(gatherings_.begin(), gatherings_.end(),
                            [next](const Gathering& gathering) { return gathering.place == next; });
  if (place == gatherings_.end())
    place = gatherings_.insert(place, {.members = mask | running_.lanes, .waiting = 0, .place = next});
  place->waiting |= running_.lanes;
  running_.lanes = 0;
  if ((place->members & ~exited_ & ~place->waiting) == 0) {
    met_ |= place->waiting;
    ready_.push_back({next - 1, place->waiting});
    gatherings_.erase(place);
  }
  run_another();
}

std::uint32_t Divergence::take(std::uint8_t barrier, bool clear) {
  const std::uint32_t mask = members_[barrier];
  if (clear) members_[barrier] = 0;
  return mask;
}

void Divergence::yield() {
  if (ready_.empty()) return;
  ready_.insert(ready_.begin(), running_);
  running_ = ready_.back();
  ready_.pop_back();
}

}  // namespace tilescope::sass
