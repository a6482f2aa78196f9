// What each CTA of an SM gets of its fullest resource when none goes before another: mean value analysis of a closed
// queueing network whose customers are the SM's CTAs (service_rate.h does the same for the warps of one).
//
// It depends on how many CTAs are there and for how long they are usually away, not on who is away at the moment: an SM
// whose CTAs load at the same time is as fast as one in which they take turns. Source: of 128 x 128 register tiles, two
// on each SM, pairs that are a tenth of a step apart take as long in the timing engine as pairs that are a step and a
// half apart, within 2 %.
#pragma once

#include <algorithm>
#include <cstddef>

namespace tilescope {

class EvenShare {
 public:
  // A step has ended that needed the resource for `busy` cycles, could use a share of `rate` of it at most, and spent
  // `away` cycles elsewhere. REQUIRES: busy > 0, rate > 0.
  void note(double busy, double rate, double away) {
    const double weight = steps_ < kSteps ? 1.0 / ++steps_ : 1.0 / kSteps;
    busy_ += weight * (busy - busy_);
    rate_ += weight * (rate - rate_);
    away_ += weight * (away - away_);
    ctas_ = 0;
  }

  // Of one CTA of `ctas` that can use a share of `rate`.
  double of(double rate, std::size_t ctas) {
    if (ctas != ctas_) find_others(ctas);
    return rate / std::max(1.0, rate + others_ * rate_);
  }

 private:
  static constexpr int kSteps = 16;  // that the means are about

  // How many of the others are at the resource on average when one comes.
  void find_others(std::size_t ctas) {
    ctas_ = ctas;
    others_ = 0;
    if (steps_ == 0) return;
    for (std::size_t n = 1; n < ctas; ++n) {
      const double residence = busy_ * std::max(1 / rate_, 1 + others_);
      others_ = static_cast<double>(n) * residence / (away_ + residence);
    }
  }

  int steps_ = 0;
  double busy_ = 0, rate_ = 1, away_ = 0;  // of a step, on average
  std::size_t ctas_ = 0;                   // that others_ is for
  double others_ = 0;
};

}  // namespace tilescope
