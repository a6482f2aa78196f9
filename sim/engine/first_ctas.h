// How far the CTAs have come that an SM begins with, oldest first, until one of them ends: whether they advance
// together, or the older before the younger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

class FirstCtas {
 public:
  explicit FirstCtas(std::size_t places) : instructions_(places) {}

  void add(std::size_t place, std::uint64_t instructions) {
    if (!one_has_ended_ && place < instructions_.size()) instructions_[place] += instructions;
  }
  void one_ends() { one_has_ended_ = true; }

  // Warp instructions begun, by place.
  const std::vector<std::uint64_t>& instructions() const { return instructions_; }

 private:
  std::vector<std::uint64_t> instructions_;
  bool one_has_ended_ = false;
};

}  // namespace tilescope
