// The clock of the SMs of a GPC, which slows down while a tensor core there works.
//
// A tensor instruction in any SM of a GPC takes one pulse in eleven from the clock of all its SMs, until some time
// after the last one. Work that begins after a pause costs more: for about a microsecond the clock loses one pulse in
// five. Other GPCs, L2 and HBM go on as before, so that what waits for them takes fewer cycles.
//
// Source: gpu/microbench/tensor_clock.cu, H200 and H100. MHz of an SM while one of its GPC multiplies in bursts, with
// pauses between: 1,980 without, 1,799 with pauses of up to 800 cycles, 1,577 from 1,000 to 1,200, then rising again;
// 1,849 at 6,400 and 1,971 at 100,000. Neither the instruction (mma.sync, wgmma), its operands nor the length of a
// burst matters. Power, which slows all GPCs down when all SMs multiply random numbers, is not modelled.
#pragma once

#include <algorithm>
#include <cmath>

#include "models/gpu_spec.h"
#include "models/support/units.h"

namespace tilescope {

class GpcClock {
 public:
  explicit GpcClock(const ClockSpec& spec)
      : lost_working_(1 - spec.tensor_pct / 100),
        lost_stepping_(std::max(lost_working_, 1 - spec.tensor_step_pct / 100)),
        gap_(cycles(spec, spec.tensor_gap_ns)),
        hold_(cycles(spec, spec.tensor_hold_ns)),
        step_(cycles(spec, spec.tensor_step_ns)) {}

  // Tensor cores work between `from` and `until`; calls come in the order of `from`, but for what one window holds.
  void work(Cycle from, Cycle until) {
    if (from >= last_ + gap_) stepping_until_ = std::max(stepping_until_, from + step_);
    last_ = std::max(last_, until);
  }
  // Time goes on to `until`, in cycles of the full clock.
  void advance(Cycle until) {
    const auto spend = [&](Cycle to, double rate) {
      if (to <= now_) return;
      lost_ += static_cast<double>(to - now_) * rate;
      now_ = to;
    };
    spend(std::min(stepping_until_, until), lost_stepping_);
    spend(std::min(last_ + hold_, until), lost_working_);
    now_ = std::max(now_, until);
  }
  // By how many cycles of the full clock `cycles` of this one last longer now.
  Cycle longer(Cycle cycles) const {
    const double lost = now_ < stepping_until_ ? lost_stepping_ : now_ < last_ + hold_ ? lost_working_ : 0;
    return std::llround(static_cast<double>(cycles) * lost / (1 - lost));
  }
  // How many cycles the SMs have had less than the full clock.
  Cycle behind() const { return static_cast<Cycle>(lost_); }

  // Whether a kernel with tensor instructions sees anything of it.
  static bool varies(const ClockSpec& spec) { return spec.tensor_pct < 100 || spec.tensor_step_pct < 100; }

 private:
  static Cycle cycles(const ClockSpec& spec, double ns) { return std::llround(ns * spec.sm_mhz / 1000); }

  double lost_working_, lost_stepping_;  // pulses lost, of all
  Cycle gap_, hold_, step_;
  Cycle last_ = -(Cycle{1} << 40);  // tensor cores have worked until then
  Cycle stepping_until_ = 0;
  Cycle now_ = 0;
  double lost_ = 0;
};

}  // namespace tilescope
