// One SM at the grain of loop iterations: counts what its warps do and sends their L1 misses on, without timing
// instructions.
//
// What matters for the caches is who runs when. CTAs advance a segment of all their warps at a time. A step waits for
// the lines it misses; then its warps need the SM's fullest resource, which they can use at a certain rate
// (service_rate.h). When all want more than there is, either the oldest CTAs share it, those whose warps, waiting for
// it, fill a place in each sub-partition, or all get the same (even_share.h); sampling/sm_sharing.h says which. The
// same laws as in the timing engine, one level up; one place in each, rather than more, is an assumption: of 4, 8, 16
// and 24 warps it came closest to the timing engine (docs/engine.md). A CTA is there until what it stores has left the
// SM. The clock orders accesses, and sampled timing extrapolates from it.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/access_cost.h"
#include "models/bulk_copies.h"
#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "models/l1_cache.h"
#include "models/line_sample.h"
#include "models/memory_request.h"
#include "models/occupancy.h"
#include "models/pipes.h"
#include "sim/engine/attribution.h"
#include "sim/engine/counting/cta_run.h"
#include "sim/engine/counting/even_share.h"
#include "sim/engine/counting/segment_totals.h"
#include "sim/engine/counting/service_rate.h"
#include "sim/engine/counting/warp_ahead.h"
#include "sim/engine/finished_cta.h"
#include "sim/engine/first_ctas.h"
#include "sim/engine/sm_counters.h"

namespace tilescope {

class CountingSm {
 public:
  // How an SM is counted.
  struct Grain {
    unsigned thin_shift =
        0;                // only one line in 2^thin_shift goes through the caches; hits and fills are scaled up by it
    double places = 12;   // warps that can be at the SM's fullest resource at a time, or wait there in line
    bool evenly = false;  // all CTAs get the same of it, whatever `places` is
  };

  // `shapes`: those of the launch, shared by all SMs.
  CountingSm(const GpuSpec& gpu, const Kernel& kernel, const AccessCosts& costs, const Occupancy& occupancy, int id,
             const Grain& grain, RunShapes& shapes);

  // A CTA keeps its place until all of it has ended.
  bool has_room(Cycle) const { return !idle_.empty(); }
  void launch_cta(std::int64_t cta, Cycle start);
  void advance(Cycle until);
  // Brings what advance() looks at first into the core's cache: it does little with each of many SMs. Another thread
  // may be advancing this SM meanwhile: only addresses that stay are read here.
  void fetch_ahead() const {
    for (std::size_t n = 0; n < places_.size(); ++n) __builtin_prefetch(first_turn_ + n);
    __builtin_prefetch(places_.back());
  }
  void deliver(const std::vector<MemoryReply>& replies);
  // Nothing leaves the SM before then.
  void hold_back(Cycle until) { egress_ = std::max(egress_, until); }

  std::vector<MemoryRequest>& outbox() { return outbox_; }
  std::vector<FinishedCta>& finished() { return finished_; }
  Cycle next_event() const;
  SmCounters counters() const;
  std::uint64_t fill_sectors() const { return counters_.fill_sectors; }
  std::uint64_t instructions() const { return instructions_; }
  std::uint64_t steps() const { return steps_; }
  const FirstCtas& first_ctas() const { return first_ctas_; }

  // From now on what depends on addresses is charged to each instruction as well.
  void tell(Attribution& attribution) { attribution_ = &attribution; }
  // The rest, at the end. Barriers' wavefronts are charged apart.
  void add_segments_to(Attribution& attribution) const;
  std::uint64_t barrier_wavefronts() const { return barrier_wavefronts_of(counters()); }

 private:
  // Of a CTA, as a customer of a closed queueing network whose one station is the SM's fullest resource.
  enum class Phase : std::uint8_t {
    away,     // lines that it needs are on their way
    served,   // at the station: its warps use the resource or wait for it
    lagging,  // served, but its step can not end yet
    ready,    // takes its next step
    leaving,  // ends
  };
  struct Kind {  // segments with one key
    SegmentTotals totals;
    std::uint64_t times = 0;
    bool plain = false;  // CtaRun::plain
  };
  // What a step takes whatever the caches hold.
  struct StepTotals {
    Cycle busy = 0;
    Cycle alone = 0;
    Cycle slack = kNever;
    void add(const SegmentTotals& totals);
  };
  struct Cta {
    Cycle began = 0;  // the current step
    Cycle alone = 0;  // how long its warps need for it on an empty SM, and when they first need what it loads
    Cycle slack = 0;
    Cycle loaded = 0;       // when the lines it loads are here, as far as that is known
    int out = 0;            // lines it still waits for
    int stores_out = 0;     // lines it has written that L2 has not taken up, as far as that is known
    Cycle stores_left = 0;  // the SM: those that L2 has taken up
    std::uint32_t place = 0;
    std::size_t age = 0;      // index into resident_ and turns_
    bool looked_up = false;   // a line of the current step
    std::uint32_t apart = 0;  // next steps that no run may begin with
    CtaRun run;               // that the next steps belong to
    // Of each of the run's steps:
    StepTotals run_totals;
    ServiceRate run_service;
    std::uint64_t run_instructions = 0;
    std::int64_t cta = -1;
    Cycle start = 0;
    std::vector<WarpAhead> warps;
    std::vector<std::uint32_t> steps;  // segments taken by each warp
  };

  // Where a resident CTA stands at the station. Apart, since each event looks at those of all CTAs.
  struct Turn {
    Cycle ready = 0;   // may go on; kNever while it needs lines that are out
    Cycle began = 0;   // the current step
    Cycle ends = 0;    // ... at the earliest
    double needs = 0;  // of the fullest resource, cycles in this step
    double there = 0;  // cycles that it has spent at it
    double busy = 0;   // cycles it still needs it
    double rate = 1;   // of the resource's time, what its warps can use at most
    double queue = 0;  // of its warps, how many wait for the resource at a time
    double held = 0;   // places that they have in front of the resource
    double share = 0;  // ... and what it gets until the next change
    bool ending = false;
  };

  Turn& turn_of(const Cta& cta) { return turns_[cta.age]; }
  Phase phase_of(const Turn& turn) const;
  void share_out();
  void share_by_age();
  void note_step(const Turn& turn);
  bool may_leave(const Cta& cta);
  void stored(Cta& cta, Cycle left);
  Cycle next_change() const;
  void work(Cycle until);
  void go_on();
  void step(Cta& cta, Cycle now);
  bool begin_run(Cta& cta);
  StepTotals step_of_run(Cta& cta);
  StepTotals step_apart(Cta& cta);
  static ServiceRate service_of(const Cta& cta, const StepTotals& totals);
  Kind& kind_of(const Segment& segment, const Cta& cta, std::size_t warp);
  void add_unkeyed();
  void loads_are_here(Cta& cta);
  void count_lines(Cta& cta, const Segment& segment, const SegmentTotals& totals);
  void count_access(Cta& cta, const Instruction& instruction, const LineAccess& access, const MemoryOperand& operand);
  void count_bulk(Cta& cta, const Segment& segment, const SegmentTotals& totals);
  void count_copy(Cta& cta, const Instruction& instruction, const AsyncOperand& operand);
  void count_shared_request(const Instruction& instruction, const MemoryOperand* operands);
  void touch(Cta& cta, LineAddress line, const RunShape::Touch& touched);
  void load_line(Cta& cta, LineAddress line, SectorMask sectors, AccessKind access, bool cached, bool whole_line,
                 bool joins);
  bool is_open(LineAddress line, Cycle when) const;
  bool join(LineAddress line, SectorMask sectors, bool whole_line, Cycle began);
  void store_line(Cta& cta, LineAddress line, SectorMask sectors, SectorMask whole, std::uint32_t words,
                  AccessKind access);
  void pass_over(Cta& cta, std::uint32_t loads);
  void send_packets(Cta& cta, const Instruction& instruction, AccessKind access, const AtomicFootprint& packets,
                    LineAddress base_line);
  void send(MemoryRequest request, Cycle now, Cycle cycles);
  std::uint64_t barrier_wavefronts_of(const SmCounters& total) const;

  int id_;
  const Kernel& kernel_;
  const AccessCosts& costs_;
  RunShapes& shapes_;
  PipeTable pipes_;
  const GpuSpec& gpu_;
  std::int64_t barrier_wavefronts_;
  LineSample lines_;
  Grain grain_;
  EvenShare even_share_;
  L1Cache l1_;
  Cycle hit_latency_;
  Cycle miss_latency_;
  Operands operands_;
  std::vector<Cta*> places_;                    // every CTA there is room for, by Cta::place
  std::vector<std::unique_ptr<Cta>> resident_;  // oldest first
  FirstCtas first_ctas_;                        // by age: it is their place until one ends
  std::vector<Turn> turns_;                     // of these
  const Turn* first_turn_;                      // where turns_ begins: it has room for every CTA
  // What share_out() has found, valid while `shared_`: the turns with a share, when the first of those that are away
  // comes back, when anything changes next, and whether somebody is here who needs none.
  std::vector<std::uint32_t> sharing_;
  Cycle next_return_ = kNever;
  Cycle next_change_ = 0;
  bool done_ = false;
  bool shared_ = false;
  std::vector<std::unique_ptr<Cta>> idle_;
  std::unique_ptr<WarpStream> probe_;
  std::unordered_map<std::uint32_t, Kind> kinds_;
  std::uint32_t last_key_ = 0;  // of the last look-up in kinds_
  Kind* last_kind_ = nullptr;
  Kind last_unkeyed_;
  std::vector<CtaRun::Part> parts_;      // scratch of begin_run()
  std::vector<Kind*> part_kinds_;        // the same
  std::vector<std::uint32_t> selected_;  // scratch of step_of_run(): touches
  struct OpenLine {
    LineAddress line;
    Cycle asked = 0;  // LineAccess::when of the access that looked it up
  };
  std::vector<OpenLine> open_lines_;  // scratch of step_apart(): what the warp's segment has asked for
  SmCounters counters_;
  Attribution* attribution_ = nullptr;  // none asked for
  std::uint64_t instructions_ = 0, steps_ = 0;
  BulkCopies bulk_copies_;
  std::vector<MemoryRequest> outbox_;
  std::vector<FinishedCta> finished_;
  Cycle last_latency_ = 0;  // of the last line that was looked up
  bool last_missed_ = true;
  Cycle line_cycles_;  // a line that is read keeps the way out busy
  Cycle store_latency_;
  Cycle egress_ = 0;
  Cycle clock_ = 0;    // of the last change
  Cycle reached_ = 0;  // up to which nothing else changes
};

}  // namespace tilescope
