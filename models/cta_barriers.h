// The 16 named barriers of one CTA: how many warps have arrived at each, and how many it takes.
//
// BAR.SYNC and BAR.RED arrive and wait, BAR.ARV only arrives. A barrier takes the number of warps that the instruction
// names, or every warp of the CTA that has not ended. Source: PTX ISA, bar.
#pragma once

#include <array>
#include <cstdint>

namespace tilescope {

class CtaBarriers {
 public:
  static constexpr int kBarriers = 16;

  void start(int warps) {
    alive_ = warps;
    arrived_.fill(0);
    expected_.fill(0);
  }
  int alive() const { return alive_; }

  // A warp arrives at `barrier`, which takes `warps` of them, 0: all. True when that completes it; it is empty then.
  bool arrive(int barrier, int warps) {
    const auto b = static_cast<std::size_t>(barrier);
    expected_[b] = warps;
    ++arrived_[b];
    return complete(b);
  }

  // A warp has ended. Bit b of the result: the others had waited at barrier b for this one only.
  unsigned leave() {
    --alive_;
    unsigned completed = 0;
    for (std::size_t b = 0; b < arrived_.size(); ++b)
      if (arrived_[b] != 0 && complete(b)) completed |= 1U << b;
    return completed;
  }

 private:
  bool complete(std::size_t b) {
    const int needed = expected_[b] != 0 ? expected_[b] : alive_;
    if (arrived_[b] < needed) return false;
    arrived_[b] = 0;
    return true;
  }

  int alive_ = 0;
  std::array<int, kBarriers> arrived_{};
  std::array<int, kBarriers> expected_{};
};

}  // namespace tilescope
