// The asynchronous copies into shared memory of one warp (cp.async, LDGSTS), in the groups that it waits for.
//
// LDGDEPBAR closes a group: all copies since the last one, possibly none. A group has landed when all its copies have
// and the group before it has. LDGDEPBAR names the scoreboard that counts the group until then; DEPBAR.LE waits until a
// scoreboard counts at most so many. A scoreboard counts to 63; a warp with as many groups out closes no other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/scoreboards.h"
#include "models/support/units.h"

namespace tilescope {

class AsyncCopies {
 public:
  // Groups are numbered from 1 on, for all warps that have been in this place.
  using Group = std::uint32_t;
  static constexpr Group kNone = 0;
  static constexpr std::size_t kMost = 63;

  // For the next warp in this place. What copies of the one before still bring is nobody's.
  void clear() {
    first_ += static_cast<Group>(groups_.size());
    groups_.assign(1, {});
    known_ = 0;
    last_landed_ = 0;
  }

  // The group that the next copy belongs to.
  Group open() const { return first_ + static_cast<Group>(groups_.size()) - 1; }
  // A copy of the open group has landed at `when`, as far as nothing of it is out; landed() will tell of `out` parts.
  void add(Cycle when, int out) {
    groups_.back().landed = std::max(groups_.back().landed, when);
    groups_.back().out += static_cast<std::uint32_t>(out);
  }

  // From when on another group may be closed; kNever: not known yet.
  Cycle room() const {
    if (closed() < kMost) return 0;
    const std::size_t oldest = closed() - kMost;
    return oldest < known_ ? groups_[oldest].landed : kNever;
  }
  // Closes the open group; `scoreboard`, if it is one, counts it until it has landed. REQUIRES: room() <= now.
  void close(std::uint8_t scoreboard, Cycle now, Scoreboards& scoreboards) {
    if (scoreboard >= kScoreboards) scoreboard = kNoScoreboard;
    groups_.back().scoreboard = scoreboard;
    scoreboards.set(scoreboard, 0, true);
    scoreboards.promise(scoreboard);
    groups_.emplace_back();
    settle(scoreboards);
    forget(now);
  }
  // When a closed group has landed; kNever: not known yet.
  Cycle landing(Group group) const {
    if (group < first_) return 0;
    const std::size_t place = group - first_;
    return place < known_ ? groups_[place].landed : kNever;
  }
  // A part of a copy of `group` that was out has landed.
  void landed(Group group, Cycle when, Scoreboards& scoreboards) {
    const std::size_t place = group - first_;
    if (place >= groups_.size()) return;  // of a warp that has ended
    groups_[place].landed = std::max(groups_[place].landed, when);
    --groups_[place].out;
    settle(scoreboards);
  }

  // From when on `scoreboard` counts at most `most` groups; kNever: not known yet.
  Cycle at_most(std::uint8_t scoreboard, int most) const {
    int newer = 0;
    for (std::size_t place = closed(); place-- > 0;)
      if (groups_[place].scoreboard == scoreboard && newer++ == most)
        return place < known_ ? groups_[place].landed : kNever;
    return 0;
  }

 private:
  struct Copies {
    Cycle landed = 0;       // the last of them, as far as it is known; of a known group: and of all before
    std::uint32_t out = 0;  // parts whose arrival is not known yet
    std::uint8_t scoreboard = kNoScoreboard;
  };

  std::size_t closed() const { return groups_.size() - 1; }
  // Closed groups whose landing is known now.
  void settle(Scoreboards& scoreboards) {
    for (; known_ < closed() && groups_[known_].out == 0; ++known_) {
      last_landed_ = groups_[known_].landed = std::max(groups_[known_].landed, last_landed_);
      scoreboards.arrived(groups_[known_].scoreboard, last_landed_);
    }
  }
  // Nobody can wait for what has landed.
  void forget(Cycle now) {
    std::size_t gone = 0;
    while (gone < known_ && groups_[gone].landed <= now) ++gone;
    groups_.erase(groups_.begin(), groups_.begin() + static_cast<std::ptrdiff_t>(gone));
    first_ += static_cast<Group>(gone);
    known_ -= gone;
  }

  std::vector<Copies> groups_ = std::vector<Copies>(1);  // the oldest first, the open one last
  Group first_ = 1;                                      // number of groups_[0]
  std::size_t known_ = 0;                                // so many of them have a landing time
  Cycle last_landed_ = 0;                                // of the newest such
};

}  // namespace tilescope
