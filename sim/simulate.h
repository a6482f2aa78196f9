// One kernel on one GPU: the library's main call.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "models/memory_counters.h"
#include "models/occupancy.h"
#include "sim/engine/finished_cta.h"
#include "sim/engine/sm_counters.h"

namespace tilescope {

class CtaActivity;    // sim/engine/cta_activity.h
class LaunchHistory;  // sim/engine/launch_history.h
class TrafficMemo;    // sim/engine/traffic_memo.h

enum class Mode : std::uint8_t {
  timing,  // cycles, stalls and traffic
  counts,  // conflicts and traffic, no cycles
};
enum class Sample : std::uint8_t {
  automatic,  // small launches whole, of large ones enough for an answer close to the whole's, with an estimated error
  fast,       // less of them, for studies of many points; the error is larger
  off,        // every CTA, every instruction
};
inline const std::vector<std::string> kSampleNames{"auto", "fast", "off"};  // in that order
inline const std::string& name(Sample sample) { return kSampleNames[static_cast<std::size_t>(sample)]; }

// What is in L2 when a launch begins, in Nsight Compute's words (ncu --cache-control).
enum class CacheControl : std::uint8_t {
  all,   // nothing: caches are flushed before it
  none,  // what the same launch has left there, which went before it
};
inline const std::vector<std::string> kCacheControlNames{"all", "none"};  // in that order
inline const std::string& name(CacheControl control) { return kCacheControlNames[static_cast<std::size_t>(control)]; }

struct Progress {
  double fraction = 0;  // of the work, 0 to 1
};

struct RunOptions {
  Mode mode = Mode::timing;
  Sample sample = Sample::automatic;
  CacheControl cache_control = CacheControl::all;
  int threads = 1;              // results do not depend on it
  bool by_instruction = false;  // also count per static instruction
  TrafficMemo* memo = nullptr;  // counts mode: traffic counted before, to take from and add to; results stay the same
  // Timing: what the CTA that it names does is written into it, as far as it is timed.
  CtaActivity* activity = nullptr;
  LaunchHistory* history = nullptr;                  // timing: what the launch does over time, as far as it is timed
  std::function<void(const Progress&)> on_progress;  // may throw to stop
};

struct RunOutcome {
  Occupancy occupancy;
  SmCounters sm;
  MemoryCounters memory;
  // Of the GPC whose clock has slowed down least, launch overhead and the last stores included; 0 in counts mode.
  Cycle cycles = 0;
  std::vector<FinishedCta> timeline;  // of the CTAs simulated in full; empty in counts mode
  double sampled_fraction =
      1;  // of the warp instructions that were timed one by one (counts mode: of the lines looked up)
  double cycles_error_pct = 0;   // estimated standard error of `cycles`; 0 when nothing was sampled
  Cycle cycles_low = 0;          // between these are the cycles of `Sample::off` in nine of ten launches; both are
  Cycle cycles_high = 0;         // `cycles` when nothing was sampled
  double traffic_error_pct = 0;  // the same of the L1, L2 and HBM traffic
  // By index in Kernel::code(), when asked for; their sums are those of `sm`. Sampled: counts are the whole launch's,
  // as in `sm`, stalls those of the timed part, grown.
  std::vector<InstructionCounters> instructions;
  // What this launch does that is not modelled, or modelled as something else: one sentence each, with how often it
  // occurs, in a fixed order. Empty where the answer rests on nothing but what docs/accuracy.md states of every launch.
  std::vector<std::string> approximations;
  double sm_mhz = 0;  // mean clock of the SMs that `cycles` are counted by; 0: the configured one
  // Counts mode: what the counting engine's coarse clock says, which no sample has corrected; enough to tell which of
  // several launches are worth timing.
  Cycle coarse_cycles = 0;
};

// What a launch asks of an SM.
CtaResources cta_resources(const Launch& launch);

// The kernel can make no progress: warps of a CTA wait at a barrier that the others never reach.
struct DeadlockError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws std::invalid_argument with every limit the launch breaks, DeadlockError when it can not end.
RunOutcome simulate(const GpuSpec& gpu, const Kernel& kernel, const RunOptions& options);

}  // namespace tilescope
