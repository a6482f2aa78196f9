// The replacement policy that a GPU's YAML chooses by name (l2.replacement). A new policy is a file beside this one, an
// alternative of the variant, and a name. A touch is a branch on the policy, not a virtual call.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "models/replacement/least_recently_used.h"
#include "models/replacement/not_recently_used.h"
#include "models/replacement/random_choice.h"

namespace tilescope {

class ChosenReplacement {
 public:
  // In the order of their numbers.
  static const std::vector<std::string>& names();

  // REQUIRES: `policy` is an index into names(); ways <= 64.
  ChosenReplacement(std::size_t policy, std::size_t sets, std::size_t ways) : policy_(made(policy, sets, ways)) {}

  void touch(std::size_t set, std::size_t way) {
    std::visit([&](auto& policy) { policy.touch(set, way); }, policy_);
  }
  void announce(std::size_t set) const {
    std::visit([&](const auto& policy) { policy.announce(set); }, policy_);
  }
  template <class MayEvict>
  std::size_t victim(std::size_t set, MayEvict may_evict) {
    return std::visit([&](auto& policy) { return policy.victim(set, may_evict); }, policy_);
  }

 private:
  using Policy = std::variant<NotRecentlyUsed, LeastRecentlyUsed, RandomChoice>;
  static Policy made(std::size_t policy, std::size_t sets, std::size_t ways);
  Policy policy_;
};

}  // namespace tilescope
