// One streaming multiprocessor: resident CTAs, four sub-partitions that each issue at most one instruction per cycle,
// and the load/store unit they share.
//
// Time does not tick. Every warp knows when its next instruction may issue (stall count, scoreboards, barriers); a
// sub-partition goes from one issue to the next and takes the warp that its scheduler chooses (scheduler.h). Warps that
// wait cost nothing.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/access_cost.h"
#include "models/answer_queue.h"
#include "models/bulk_copies.h"
#include "models/cluster_barriers.h"
#include "models/constant_cache.h"
#include "models/dispatch_port.h"
#include "models/fence_unit.h"
#include "models/gpu_spec.h"
#include "models/instruction_buffer.h"
#include "models/instruction_cache.h"
#include "models/pipes.h"
#include "models/taken_cycles.h"
#include "sim/engine/finished_cta.h"
#include "sim/engine/first_ctas.h"
#include "sim/engine/issue_listener.h"
#include "sim/engine/sm_counters.h"
#include "sim/engine/timing/cta_slots.h"
#include "sim/engine/timing/load_store_unit.h"
#include "sim/engine/timing/scheduler.h"
#include "sim/engine/timing/warp.h"
#include "sim/engine/timing/warp_places.h"

namespace tilescope {

class Sm {
 public:
  Sm(const GpuSpec& gpu, const Kernel& kernel, const AccessCosts& costs, const Occupancy& occupancy, int id);

  // Whether there was room for another CTA at `when`. REQUIRES: `when` does not decrease.
  bool has_room(Cycle when) { return slots_.free() > 0 && places_.fit(slots_.warps_of_cta(), when); }
  // Places a CTA whose first instructions may issue at `start`. REQUIRES: there is room.
  void launch_cta(std::int64_t cta, Cycle start);

  // The warps of a CTA that was to end at `end` stay until what they have stored has left.
  void stays(Cycle end, Cycle until);

  // Issues everything that can issue before `until`. Misses are left in outbox(), ended CTAs in finished().
  // REQUIRES: every reply whose `ready` lies before `until` has been delivered.
  void advance(Cycle until);
  void deliver(const std::vector<MemoryReply>& replies);
  // Nothing more leaves before.
  void hold_back(Cycle until) { lsu_.hold_back(until); }

  // The earliest cycle at which anything can issue; kNever when all warps wait for the chip or no CTA is here.
  Cycle next_event() const;

  OutstandingMisses::Outbox& outbox() { return lsu_.outbox(); }
  std::vector<FinishedCta>& finished() { return finished_; }
  // To be told to CTAs of clusters, and to the barriers of these.
  std::vector<ClusterMessage>& messages() { return messages_; }
  std::vector<ClusterArrival>& cluster_arrivals() { return cluster_arrivals_; }
  // Its bulk copies, for whoever serves their lines.
  BulkCopies& bulk_copies() { return bulk_copies_; }
  // Bytes that copies or others have sent to the mbarriers of CTAs here; a cluster's barrier that lets warps go on.
  void deliver(const std::vector<BulkArrival>& arrivals);
  void deliver(const std::vector<ClusterMessage>& messages);
  void release_cluster(std::int64_t cta, Cycle when);
  // Residence of warps and CTAs that have not ended is counted up to now.
  SmCounters counters() const;
  std::uint64_t fill_sectors() const { return counters_.fill_sectors; }
  std::uint64_t instructions() const { return counters_.stall_cycles[static_cast<std::size_t>(Stall::selected)]; }

  const FirstCtas& first_ctas() const { return first_ctas_; }

  // When tensor cores worked in the last window, or will from then on: [from, until), empty if they did not.
  struct TensorWork {
    Cycle from = kNever, until = 0;
  };
  TensorWork take_tensor_work() { return std::exchange(tensor_work_, {}); }
  // By how much the SM's cycles are behind those that listeners hear of.
  void lag(Cycle behind) { listeners_.lag(behind); }

  // From now on `listener` hears of every issue, as those told before do. It outlives this.
  void tell(IssueListener& listener) {
    listeners_.add(listener);
    listener_ = &listeners_;
  }

 private:
  struct SubPartition {
    explicit SubPartition(const GpuSpec& gpu) : code(gpu.instruction_cache) {}
    Cycle next = kNever;  // nothing issues here before
    Scheduler scheduler;
    InstructionBuffer code;
    std::array<Cycle, kPipes> pipe_free{};
    Cycle light_free = 0;                   // half of the pipe for multiply-adds
    Cycle rows_until = 0;                   // uniform registers are read
    Cycle products_until = 0;               // its tensor core works on products of warpgroups
    Cycle crowded_until = 0;                // ... and reads shared memory for them all the time
    DispatchPort port;                      // these last, for their size
    std::array<TakenCycles, kPipes> taken;  // of pipes that hold warps up

    // On one half of the pipe for multiply-adds, or both; the heavy one is that of Pipe::imad.
    void multiply_add(const PipeUse& use, Cycle now) {
      const Cycle until = now + use.half_cycles;
      Cycle& heavy_free = free_at(Pipe::imad);
      if (use.half == FmaHalf::heavy || (use.half == FmaHalf::either && light_free > now))
        heavy_free = until;
      else
        light_free = until;
      if (use.half == FmaHalf::both) heavy_free = until;
      free_at(Pipe::fma) = std::min(light_free, heavy_free);
      free_at(Pipe::half) = std::max(light_free, heavy_free);
    }
    // Rows of the uniform registers: the uniform datapath goes on when they have been read.
    void read_uniform(Cycle now, Cycle cycles) {
      rows_until = std::max(rows_until, now) + cycles;
      const Cycle free = std::max(now, free_at(Pipe::uniform));
      if (rows_until > free) take(Pipe::uniform, free, rows_until);
    }
    Cycle& free_at(Pipe pipe) { return pipe_free[static_cast<std::size_t>(pipe)]; }

    // From `now` on.
    void take(Pipe pipe, Cycle now, Cycle until) {
      Cycle& free = pipe_free[static_cast<std::size_t>(pipe)];
      taken[static_cast<std::size_t>(pipe)].take(std::max(now, free), until);
      free = until;
    }
  };

  void issue_one(SubPartition& sub, Cycle now);
  void execute(SubPartition& sub, std::uint16_t index, Cycle now);
  void execute_told(SubPartition& sub, std::uint16_t index, Cycle now);
  void stand_still(SubPartition& sub, Cycle cycles);
  void leave_straight_line(SubPartition& sub, Warp& warp, const Instruction& instruction, Cycle now);
  Cycle execute_on_pipe(SubPartition& sub, const PipeUse& use, Warp& warp, std::uint16_t index, Cycle now);
  bool write_back(Warp& warp, std::uint16_t index, const LoadStoreUnit::Timing& timing);
  // Tells the warp of a load that its registers have been written.
  auto written() {
    return [this](const RegisterWrites::Load& load, Cycle when) {
      Warp& warp = warps_[load.warp];
      warp.scoreboards.arrived(load.scoreboard, when, false);
      if (warp.waits_for_memory && !warp.stands && !warp.at_cluster_barrier) wake(warp);
    };
  }
  void issue_memory(const PipeUse& use, Warp& warp, std::uint16_t index, Cycle now);
  Cycle issue_asynchronous(Warp& warp, std::uint16_t index, Cycle now);
  void issue_mbarrier(Warp& warp, std::uint16_t index, const AsyncOperand& operand, Cycle now);
  void issue_bulk(Warp& warp, std::uint16_t index, const AsyncOperand& operand, Cycle now);
  void count_at_mbarrier(CtaSlot& slot, const AsyncOperand& operand, Cycle when);
  void tell_mbarrier(CtaSlot& slot, std::uint32_t offset, std::uint32_t arrivals, std::int64_t bytes, bool drops,
                     Cycle when);
  void settle_copy_arrivals(std::uint16_t index);
  Cycle written(const BulkArrival& arrival);
  void wait_for_cluster(SubPartition& sub, Warp& warp);
  void issue_product(SubPartition& sub, const Warp& warp, Cycle now);
  void issue_products(SubPartition& sub, const Warp& warp, std::uint16_t index, Cycle now);
  void account(const SubPartition& sub, const PipeUse& use, const Warp& warp, Cycle now);
  void prepare_next(SubPartition& sub, Warp& warp);
  bool pass_fence(Warp& warp);
  bool pass_barrier(Warp& warp);
  Cycle resolve_dependencies(Warp& warp);
  unsigned resolve_own_wait(Warp& warp);
  std::uint16_t index_of(const Warp& warp) const { return static_cast<std::uint16_t>(&warp - warps_.data()); }
  bool next_segment(Warp& warp);
  bool go_on(Warp& warp, Cycle now);
  static void resolve_branch(Warp& warp, Cycle resolved);
  void fetch(Warp& warp, bool arrives, bool jumped);
  Cycle load_constant(const Warp& warp, Cycle now);
  void delay(SubPartition& sub, Warp& warp, Cycle when);
  void wake(Warp& warp);
  struct NamedBarrier {
    int barrier = 0;
    int warps = 0;  // 0: all of the CTA
    bool waits = false;
    bool takes_part = false;  // not every lane was off
  };
  static NamedBarrier barrier_of(Warp& warp, const Instruction& instruction);
  void serve_answers(Cycle now);
  void take_answer(const OutstandingMisses::Arrival& arrival, Cycle ready);
  void arrive_at_barrier(SubPartition& sub, Warp& warp, const NamedBarrier& named, Cycle now);
  void release_barrier(CtaSlot& slot, int barrier, Cycle now);
  void exit_warp(Warp& warp, Cycle now);

  int id_;
  PipeTable pipes_;
  Cycle branch_cycles_, meeting_cycles_, jump_cycles_, uniform_row_cycles_, more_for_cluster_rank_;
  Cycle barrier_cycles_;
  double warp_interval_;  // at which a CTA's warps begin
  Cycle barrier_arrival_cycles_;
  Cycle group_tensor_latency_;
  AsyncSpec asynchronous_;
  Resource barrier_unit_;
  FenceUnit fences_;
  InstructionCache instruction_cache_;
  ConstantCache constant_cache_;
  const Kernel& kernel_;
  std::vector<SubPartition> subs_;
  CtaSlots slots_;
  WarpPlaces places_;
  FirstCtas first_ctas_;  // by slot: they are taken in turn
  std::vector<Warp> warps_;
  LoadStoreUnit lsu_;
  std::vector<GroupProducts> products_;  // by warp; none where the kernel has no such instructions
  std::vector<FinishedCta> finished_;
  BulkCopies bulk_copies_;
  Cycle copies_written_ = 0;  // all that have come so far, where products hold them up
  struct CopyArrival {        // at an mbarrier, when the warp's copies have landed
    std::uint16_t warp = 0;
    AsyncCopies::Group group = 0;
    AsyncOperand operand;
  };
  std::vector<CopyArrival> copy_arrivals_;
  std::vector<ClusterMessage> messages_;
  std::vector<ClusterArrival> cluster_arrivals_;
  bool meets_cluster_ = false;  // the kernel has barriers of clusters
  std::vector<OutstandingMisses::Arrival> arrivals_;
  AnswerQueue answers_;  // of loads that pass the data stage when their data have come
  SmCounters counters_;
  IssueListeners listeners_;
  IssueListener* listener_ = nullptr;  // null: nobody wants to know
  TensorWork tensor_work_;
  Cycle global_blocked_until_ = 0;
  bool woken_ = false;  // a sub-partition may issue earlier than it said
  Cycle active_since_ = 0;
  Cycle active_until_ = 0;  // the last CTA that has ended
  Cycle clock_ = 0;         // everything before has been issued
};

}  // namespace tilescope
