// What memory barriers of an SM take. One of CTA scope passes the load/store queue. One of GPU or system scope makes a
// trip of its own, by the SM's fence unit, which begins one every few cycles; its warp goes on when it is back and
// everything that the warp has asked for and stored has been answered. CGAERRBAR, with which a release towards a
// cluster ends, takes a trip of its own to the cluster's other SMs. Source: gpu/microbench/fences.cu,
// docs/memory-spaces.md; cluster_launch.cu: a cluster's barrier takes 101 cycles without order and 768 with release, of
// one warp, of which MEMBAR.GPU takes 265.
#pragma once

#include "models/gpu_spec.h"
#include "models/isa/instruction.h"
#include "models/resource.h"

namespace tilescope {

class FenceUnit {
 public:
  explicit FenceUnit(const FencesSpec& spec) : spec_(spec) {}

  // A barrier that begins at `now`; returns when its own trip has ended.
  Cycle pass(Cycle now, Scope scope) {
    if (scope == Scope::cta) return now + spec_.cta_cycles;
    if (scope == Scope::cluster_errors) return now + spec_.cluster_errors_cycles;
    const Cycle trip = scope == Scope::gpu ? spec_.gpu_cycles : spec_.system_cycles;
    return unit_.take(now, spec_.interval_cycles) + trip;
  }
  // More, for dropping the lines that L1 holds.
  Cycle invalidation_cycles() const { return spec_.invalidation_cycles; }

 private:
  FencesSpec spec_;
  Resource unit_;
};

}  // namespace tilescope
