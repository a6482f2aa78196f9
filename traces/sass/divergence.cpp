#include "traces/sass/divergence.h"

#include <algorithm>
#include <bit>
#include <utility>

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
  const LaneGroup jump{target, taken};
  const LaneGroup stay{next, running_.lanes & ~taken};
  const bool jump_first = stay.lanes == 0 || (jump.lanes != 0 && std::popcount(jump.lanes) < std::popcount(stay.lanes));
  running_ = jump_first ? jump : stay;
  const LaneGroup& other = jump_first ? stay : jump;
  if (other.lanes != 0) ready_.push_back(other);
}

void Divergence::run_another() {
  running_.lanes = 0;
  // A barrier whose members have all exited keeps nobody.
  for (std::size_t b = 0; ready_.empty() && b < kBarriers; ++b)
    if ((members_[b] & ~exited_) == 0) make_ready(std::exchange(waiting_[b], 0));
  if (ready_.empty()) {
    stuck_ = ~exited_ != 0;
    return;
  }
  running_ = ready_.back();
  ready_.pop_back();
  // Groups that were not chosen and are at the same place are one from now on.
  auto kept = ready_.begin();
  for (const LaneGroup& group : ready_) {
    const auto same = std::find_if(ready_.begin(), kept, [&](const LaneGroup& g) { return g.place == group.place; });
    if (same != kept)
      same->lanes |= group.lanes;
    else
      *kept++ = group;
  }
  ready_.erase(kept, ready_.end());
}

void Divergence::exit(std::uint32_t lanes, std::uint32_t next) {
  exited_ |= lanes;
  running_.lanes &= ~lanes;
  running_.place = next;
  release_complete(true);
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

void Divergence::release_complete(bool again) {
  for (std::size_t b = 0; b < kBarriers; ++b) {
    const std::uint32_t met = waiting_[b] & members_[b];
    if (met == 0 || (members_[b] & ~exited_ & ~met) != 0) continue;
    if (again)  // they execute BSYNC once more
      for (std::uint32_t left = met; left != 0; left &= left - 1)
        --resume_[static_cast<std::size_t>(std::countr_zero(left))];
    make_ready(met);
    waiting_[b] &= ~met;
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
  release_complete(true);
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
  run_another();
}

}  // namespace tilescope::sass
