// Some of a chip's SMs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "models/gpu_spec.h"

namespace tilescope {

class SmSet {
 public:
  // Of SMs below `sms`; none at first. REQUIRES: sms <= SmSpec::kMost.
  explicit SmSet(std::size_t sms) : words_((sms + kBits - 1) / kBits) {}

  void add(std::size_t sm) { all_[sm / kBits] |= 1ULL << sm % kBits; }
  void clear() {
    for (std::size_t w = 0; w < words_; ++w) all_[w] = 0;
  }
  SmSet& operator|=(const SmSet& other) {
    for (std::size_t w = 0; w < words_; ++w) all_[w] |= other.all_[w];
    return *this;
  }
  // visit(sm), in ascending order.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t left = all_[w]; left != 0; left &= left - 1)
        visit(w * kBits + static_cast<std::size_t>(std::countr_zero(left)));
  }

 private:
  static constexpr std::size_t kBits = 64;
  std::size_t words_;
  std::array<std::uint64_t, SmSpec::kMost / kBits> all_{};
};

}  // namespace tilescope
