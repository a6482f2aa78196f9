// The engine that advances time: every SM runs alone for one look-ahead window, then the chip serves what they sent, in
// order.
//
// Nothing an SM sends can come back sooner than the least latency of the memory system, so a window of that length
// loses nothing, and the result does not depend on the number of threads.
//
// Cycles are those of the full SM clock. Where a GPC's clock slows down (models/gpc_clock.h), its SMs get fewer of them
// in a window: they count cycles of their own, which are behind, and what they send and are sent is put from one count
// into the other here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "models/cluster_barriers.h"
#include "models/cta_dispatch.h"
#include "models/gpc_clock.h"
#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "models/occupancy.h"
#include "models/timed_queue.h"
#include "sim/engine/attribution.h"
#include "sim/engine/bulk_lines.h"
#include "sim/engine/counting/counting_sm.h"
#include "sim/engine/held_replies.h"
#include "sim/engine/launch_history.h"
#include "sim/engine/memory_system.h"
#include "sim/engine/request_order.h"
#include "sim/engine/sm_counters.h"
#include "sim/engine/sm_set.h"
#include "sim/engine/sm_turns.h"
#include "sim/engine/timing/sm.h"
#include "sim/simulate.h"

namespace tilescope {

class WorkerPool;

// `SmModel` is Sm (every instruction timed) or CountingSm (loop iterations counted).
template <class SmModel>
class WindowEngine {
 public:
  // A launch from a wave on that is not its first: see CtaDispatch::begin_later.
  struct Later {
    std::int64_t cta = 0;
    Cycle spread = 0;
  };
  // REQUIRES: launch_problems() is empty for the kernel's launch; gpu and kernel outlive the engine. `grain`:
  // CountingSm only.
  WindowEngine(const GpuSpec& gpu, const Kernel& kernel, int threads, const CountingSm::Grain& grain = {},
               const Later& later = {});
  ~WindowEngine();

  // L2 begins as it is at the end of `memory`. Call before run(). REQUIRES: that of an engine as thinned as this one.
  void begin_as_left_by(const MemorySystem& memory) { memory_.begin_as_left_by(memory); }
  const MemorySystem& memory() const { return memory_; }

  // Simulates until every CTA has ended or `until` is reached, whichever is first. Throws DeadlockError.
  void run(Cycle until = kNever);
  // Asks run() to return at the end of the current window; for on_progress.
  void stop() { stopped_ = true; }
  bool done() const { return ended_ == kernel_.launch().grid.count(); }

  Cycle now() const { return now_; }
  // From the first CTA's start until the last CTA has ended and all stores are acknowledged.
  Cycle cycles() const { return std::max(dispatch_.launch_end(), last_write_); }
  // How many of the full clock's cycles the GPC that has had most of them has had, of all until now().
  double clock_share() const;
  std::int64_t ctas_ended() const { return ended_; }
  SmCounters sm_counters() const;
  // Charges everything to static instructions as well. Call before run().
  void attribute();
  // `listener` hears of every issue too, from several threads at once. Call before run(); it outlives this.
  void tell(IssueListener& listener);
  // Keeps `history` while it runs. Call before run(); it outlives this. Its end() is the caller's business.
  void keep(LaunchHistory& history);
  // By index in Kernel::code(); empty when attribute() was not called.
  std::vector<InstructionCounters> instruction_counters() const;
  int sms() const { return static_cast<int>(sms_.size()); }
  // Of one SM: what it has counted, and the CTAs it was given so far.
  const SmModel& sm(int index) const { return *sms_[static_cast<std::size_t>(index)]; }
  std::int64_t ctas_given(int index) const { return given_[static_cast<std::size_t>(index)]; }
  std::uint64_t instructions() const {
    std::uint64_t sum = 0;
    for (const auto& sm : sms_) sum += sm->instructions();
    return sum;
  }
  std::int64_t ctas_waiting() const { return dispatch_.remaining(); }
  MemoryCounters memory_counters() const { return memory_.counters(); }
  const std::vector<FinishedCta>& timeline() const { return timeline_; }
  const Occupancy& occupancy() const { return occupancy_; }

  // Called between windows, at most every few milliseconds of work; may throw to stop the run.
  std::function<void(const WindowEngine&)> on_progress;

 private:
  // Whether the chip serves the requests of a window while SMs are in the next one. Then windows are half as long, so
  // that replies are there in time all the same.
  static constexpr bool kAside = std::is_same_v<SmModel, CountingSm>;
  using Replies = std::vector<std::vector<MemoryReply>>;  // by SM

  void note_history();
  void advance_clocks(Cycle until);
  Cycle behind(std::size_t sm) const { return clocks_.empty() ? 0 : behind_[sm]; }
  // When an answer that leaves the chip's clock at `ready` is there: part of the way goes by the GPC's clock.
  Cycle arrives(std::size_t sm, Cycle ready) const { return clocks_.empty() ? ready : ready + longer_[sm]; }
  void deliver_due(std::size_t sm, Cycle until);
  void deliver_all(std::size_t sm);
  void advance_sms(Cycle until, const std::function<void()>& aside);
  void take_requests(Cycle until);
  void serve_requests(Cycle until, Replies& replies);
  void later(std::size_t sm, std::uint32_t fill, Replies& replies);
  void release_replies(Cycle until, Replies& replies);
  void wait_for_stores(FinishedCta& cta);
  void replace_ended_ctas(Cycle until);
  void give(const CtaDispatch::Placement& placement);
  void fill(const FinishedCta& ended);
  void serve_bulk(const MemoryRequest& request, Replies& replies);
  void take_in_bulk_lines(Tick until);
  void complete(BulkCopies& copies, std::uint32_t index);
  // The earliest of replies and lines that are on their way and not known to their SMs.
  Cycle earliest_on_its_way() const;
  void pass_messages();
  // Of those not after now(), any.
  Cycle next_event() const;
  // -1: it has ended.
  int sm_of(std::int64_t cta) const;

  const Kernel& kernel_;
  AccessCosts costs_;
  RunShapes shapes_;  // CountingSm only
  Occupancy occupancy_;
  MemorySystem memory_;
  CtaDispatch dispatch_;
  std::vector<std::unique_ptr<SmModel>> sms_;
  std::vector<Attribution> attributions_;  // of the SMs that one thread advances; none: not asked for
  std::unique_ptr<WorkerPool> workers_;
  SmTurns turns_;
  // With something for the chip, after a window: all, and those that each thread has advanced.
  SmSet said_;
  struct alignas(64) Said {
    SmSet sms;
  };
  std::vector<Said> said_by_thread_;
  RequestOrder requests_;     // of the last window
  Replies replies_;           // to be delivered before the next window
  Replies served_;            // kAside only: before the one after it
  HeldReplies held_replies_;  // of what has not come to L2
  // ... and before later ones, where clocks slow down.
  std::vector<TimedQueue<MemoryReply, &MemoryReply::ready>> later_replies_;
  std::vector<FinishedCta> timeline_;
  std::vector<FinishedCta> leaving_;  // their warps have exited, what they stored has not left the SM
  std::vector<Cycle> way_out_;        // by SM, when it may send more
  std::vector<std::int64_t> given_;   // CTAs placed on each SM
  // Of GPCs whose clocks may slow down; none otherwise, and then nothing is ever behind.
  std::vector<GpcClock> clocks_;
  std::vector<std::size_t> gpc_of_;                 // by SM
  std::vector<Cycle> behind_;                       // by SM, in the window that is simulated
  std::vector<Cycle> longer_;                       // by SM, its way to L2 and back than at the full clock
  std::vector<Cycle> reached_;                      // by SM, in its own cycles: the end of the last window
  std::unordered_map<std::int64_t, Cycle> starts_;  // of the CTAs that are there
  // Of clusters: by SM, what bulk copies and others bring to its mbarriers; where each CTA is.
  std::vector<std::vector<BulkArrival>> bulk_arrivals_;
  std::vector<BulkLines> bulk_lines_;  // by SM
  std::vector<std::vector<ClusterMessage>> messages_;
  std::vector<std::int16_t> sm_of_;  // by CTA, -1: it is not there; empty where nobody asks
  bool follows_ctas_ = false;
  ClusterBarriers cluster_barriers_;
  LaunchHistory* history_ = nullptr;
  Cycle gpc_way_;
  Cycle window_;
  bool stopped_ = false;
  Cycle now_ = 0;
  Cycle last_write_ = 0;  // less the trip of an unhindered one, which launch.overhead_cycles holds
  std::int64_t ended_ = 0;
};

extern template class WindowEngine<Sm>;
extern template class WindowEngine<CountingSm>;
using TimingEngine = WindowEngine<Sm>;
using CountingEngine = WindowEngine<CountingSm>;

}  // namespace tilescope
