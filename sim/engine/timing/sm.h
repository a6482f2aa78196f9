// One streaming multiprocessor: resident CTAs, four sub-partitions that each issue at most one instruction per cycle,
// and the load/store unit they share.
//
// Time does not tick. Every warp knows when its next instruction may issue (stall count, scoreboards, barrier); a
// sub-partition goes from one issue to the next and, among the warps that are ready, takes the one of the oldest CTA
// (and in it the lowest warp). Warps that wait cost nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "models/occupancy.h"
#include "models/pipes.h"
#include "models/register_banks.h"
#include "sim/engine/sm_counters.h"
#include "sim/engine/timing/attribution.h"
#include "sim/engine/timing/load_store_unit.h"

namespace tilescope {

struct FinishedCta {
  std::int64_t cta = 0;
  Cycle start = 0;
  Cycle end = 0;
  int sm = 0;
};

class Sm {
 public:
  Sm(const GpuSpec& gpu, const Kernel& kernel, const Occupancy& occupancy, int id);

  int id() const { return id_; }
  int free_slots() const { return static_cast<int>(free_slots_.size()); }
  bool idle() const { return resident_ == 0; }

  // Places a CTA whose first instructions may issue at `start`. REQUIRES: free_slots() > 0.
  void launch_cta(std::int64_t cta, Cycle start);

  // Issues everything that can issue before `until`. Misses are left in outbox(), ended CTAs in finished().
  // REQUIRES: every reply whose `ready` lies before `until` has been delivered.
  void advance(Cycle until);
  void deliver(const std::vector<MemoryReply>& replies);

  // The earliest cycle at which anything can issue; kNever when all warps wait for the chip or no CTA is here.
  Cycle next_event() const;

  std::vector<MemoryRequest>& outbox() { return lsu_.outbox(); }
  std::vector<FinishedCta>& finished() { return finished_; }
  // Residence of warps and CTAs that have not ended is counted up to now.
  SmCounters counters() const;
  std::uint64_t instructions() const { return issued_; }

  // From now on what each instruction adds to the counters is charged to it as well.
  void attribute_to(Attribution& attribution) { attribution_ = &attribution; }

 private:
  struct Warp {
    const Instruction* pc = nullptr;
    const Instruction* end = nullptr;
    const MemoryOperand* operand = nullptr;
    std::array<Cycle, kScoreboards> scoreboard{};   // free from this cycle on, as far as it is known
    std::array<std::uint16_t, kScoreboards> out{};  // results whose arrival is not known yet
    Cycle last_issue = 0;
    Cycle after_stall = 0;  // last issue plus the compiler's stall count
    Cycle ready = 0;        // ... and dependencies
    Cycle start = 0;
    std::uint8_t out_mask = 0;   // scoreboards with out > 0
    std::uint8_t long_mask = 0;  // scoreboards last set by global memory
    Stall reason = Stall::wait;  // what the time between after_stall and ready was spent on
    std::uint8_t barrier = 0;    // which one, when at_barrier
    bool at_barrier = false;
    bool waits_for_memory = false;
    bool exited = false;
    std::uint8_t sub = 0;
    std::uint16_t position = 0;
    std::uint16_t slot = 0;
    std::unique_ptr<WarpStream> stream;
  };
  struct Candidate {  // a warp as its scheduler sees it, in order of age
    Cycle ready = 0;
    Cycle issued = 0;  // last
    Pipe pipe = Pipe::none;
    std::uint16_t warp = 0;
    std::uint16_t slot = 0;
  };
  struct SubPartition {
    Cycle next = kNever;      // nothing issues here before
    Cycle dispatch_free = 0;  // the port is taken until then
    Cycle dispatch_lost = 0;  // since when, by more than the instruction itself
    RegisterBanks banks;
    std::vector<Candidate> candidates;
    std::array<Cycle, kPipes> pipe_free{};
  };
  static constexpr std::size_t kBarriers = 16;  // of a CTA
  struct CtaSlot {
    std::int64_t cta = -1;
    Cycle start = 0;
    std::vector<std::uint16_t> warps;
    int alive = 0;
    std::array<int, kBarriers> arrived{};  // warps at each barrier
  };

  void issue_one(SubPartition& sub, Cycle now);
  void execute(SubPartition& sub, Candidate& candidate, Cycle now);
  void execute_attributed(SubPartition& sub, Candidate& candidate, Cycle now);
  Cycle issue_memory(Warp& warp, std::uint16_t index, const Instruction& instruction, Cycle now);
  void note_room(SubPartition& sub, std::uint8_t index);
  void account(const SubPartition& sub, Warp& warp, Cycle now, Cycle pipe_free, Pipe pipe);
  void take_dispatch_port(SubPartition& sub, const Instruction& instruction, Cycle cycles, Cycle now);
  void prepare_next(Warp& warp, Candidate& candidate);
  void resolve_dependencies(Warp& warp, Candidate& candidate);
  void wake(Warp& warp);
  void arrive_at_barrier(Warp& warp, Candidate& candidate, Cycle now);
  void release_barrier(CtaSlot& slot, std::size_t barrier, Cycle now);
  void exit_warp(Warp& warp, Cycle now);
  void remove_warps(const CtaSlot& slot);
  Cycle available(const SubPartition& sub, Pipe pipe) const;

  int id_;
  PipeTable pipes_;
  Cycle branch_cycles_;
  Cycle barrier_cycles_;
  Cycle barrier_arrival_cycles_;
  Resource barrier_unit_;
  LoadStoreUnit lsu_;
  const Kernel& kernel_;
  std::vector<SubPartition> subs_;
  std::vector<Warp> warps_;
  std::vector<CtaSlot> slots_;
  std::vector<int> free_slots_;
  std::vector<FinishedCta> finished_;
  std::vector<LoadStoreUnit::Arrival> arrivals_;
  SmCounters counters_;
  Attribution* attribution_ = nullptr;  // none asked for
  Cycle global_blocked_until_ = 0;
  std::uint64_t issued_ = 0;
  Cycle active_since_ = 0;
  Cycle clock_ = 0;  // everything before has been issued
  int resident_ = 0;
};

}  // namespace tilescope
