// Everything a configs/gpus/*.yaml says, one Spec per mechanism. Units are in the names; meanings and accepted ranges
// are in gpu_spec.cpp, which is also what docs/config-schema.md is made from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/support/spec_fields.h"

namespace tilescope {

struct ClockSpec {
  double sm_mhz = 0;
  double l2_mhz = 0;
  // Of a GPC while tensor cores there work (gpc_clock.h):
  double tensor_pct = 0;       // of sm_mhz
  double tensor_hold_ns = 0;   // after the last tensor instruction
  double tensor_gap_ns = 0;    // pause after which work begins anew
  double tensor_step_pct = 0;  // of sm_mhz, when it does
  double tensor_step_ns = 0;
  void fields(SpecFields& f);
};

struct SmSpec {
  static constexpr std::int64_t kMost = 4096;  // SMs of a GPU

  std::vector<std::int64_t> gpcs;  // SMs of each GPC
  std::int64_t sub_partitions = 0;
  std::int64_t max_threads_per_cta = 0;
  std::int64_t max_threads = 0;
  std::int64_t max_warps = 0;
  std::int64_t max_ctas = 0;
  std::int64_t registers = 0;
  std::int64_t max_registers_per_thread = 0;
  std::int64_t register_allocation_unit = 0;  // register per warp
  std::int64_t count() const;
  void fields(SpecFields& f);
};

struct PipesSpec {
  std::int64_t fma_lanes = 0;          // FP32 multiply-add, per sub-partition
  std::int64_t imad_lanes = 0;         // integer multiply-add
  std::int64_t wide_issue_cycles = 0;  // dispatch port, for a 64-bit multiply-add
  std::int64_t wide_imad_cycles = 0;   // ... its pipe
  std::int64_t alu_lanes = 0;
  std::int64_t half_lanes = 0;
  std::int64_t fp64_lanes = 0;
  std::int64_t xu_lanes = 0;
  std::int64_t uniform_issue_cycles = 0;
  std::int64_t uniform_operand_cycles = 0;
  std::int64_t tensor_fma_per_cycle = 0;   // dense FP16, per sub-partition
  std::int64_t tensor_issue_cycles = 0;    // least time between two products of a warp
  std::int64_t tensor_double_cycles = 0;   // between two products of FP64
  std::int64_t tensor_operand_cycles = 0;  // for which a product of a warp reads registers, at most
  std::int64_t tensor_latency_cycles = 0;
  std::int64_t group_tensor_fma_per_cycle = 0;    // dense FP16, per sub-partition, products of warpgroups
  std::int64_t group_tensor_register_cycles = 0;  // least time between two of them with A in registers
  std::int64_t group_tensor_latency_cycles = 0;   // from the last one of a group to what waits for it
  std::int64_t xu_latency_cycles = 0;
  std::int64_t fp64_latency_cycles = 0;
  std::int64_t special_latency_cycles = 0;
  std::int64_t cluster_rank_cycles = 0;  // ... of the CTA's rank in its cluster
  std::int64_t constant_latency_cycles = 0;
  std::int64_t shuffle_latency_cycles = 0;
  std::int64_t branch_cycles = 0;
  std::int64_t meeting_cycles = 0;  // BSYNC
  std::int64_t barrier_cycles = 0;
  std::int64_t barrier_arrival_cycles = 0;
  void fields(SpecFields& f);
};

struct InstructionCacheSpec {
  std::int64_t miss_cycles = 0;  // a fetch of what the launch has brought; 0: all code is there from the start
  std::int64_t line_cycles = 0;  // between two lines of a fetch
  std::int64_t lines_per_fetch = 0;
  std::int64_t launch_kib = 0;     // of the kernel, brought by its launch
  double launch_line_cycles = 0;   // for each line of that
  std::int64_t first_cycles = 0;   // ... from the launch's beginning on
  std::int64_t memory_cycles = 0;  // a fetch of what the launch has not brought
  double gpc_line_cycles = 0;      // the GPC's cache sends a line to one of its SMs; 0: no limit
  std::int64_t buffer_lines = 0;   // of a sub-partition; 0: jumps never wait for it
  std::int64_t buffer_cycles = 0;  // a jump to a line that is not there
  std::int64_t jump_cycles = 0;    // any jump, behind the branch's own
  void fields(SpecFields& f);
};

struct ConstantCacheSpec {
  std::int64_t miss_cycles = 0;         // of an operand; 0: all constants are there when a launch begins
  std::int64_t load_miss_cycles = 0;    // of an LDC
  double load_cycles = 0;               // between two LDCs of an SM
  std::int64_t load_issue_cycles = 0;   // ... of a sub-partition
  std::int64_t load_queue_entries = 0;  // LDCs of a sub-partition that wait to go out
  std::int64_t line_cycles = 0;         // between two lines that an SM's caches get
  std::int64_t line_alone_cycles = 0;   // ... while the other SM of its TPC has nothing to do
  std::int64_t memory_cycles = 0;       // more when they come from memory
  void fields(SpecFields& f);
};

struct LsuSpec {
  std::int64_t queue_entries = 0;            // per sub-partition
  std::int64_t shared_queue_entries = 0;     // of the SM
  std::int64_t global_queue_per_sub = 0;     // per sub-partition, of global and local memory
  std::int64_t wide_queue_places = 0;        // of the SM's, for addresses of 64 bits
  std::int64_t global_queue_entries = 0;     // of the SM, behind it, of global and local memory
  std::int64_t found_queue_entries = 0;      // ... that are looked up and do not wait for L2
  std::int64_t issue_cycles = 0;             // between two instructions of one sub-partition
  std::int64_t wavefront_cycles = 0;         // between two wavefronts of one warp
  std::int64_t operand_cycles = 0;           // from the sub-partition's queue until registers may be overwritten ...
  std::int64_t operand_register_cycles = 0;  // ... more for each register that is read
  std::int64_t operand_store_cycles = 0;     // ... and for data
  std::int64_t operand_common_cycles = 0;    // of the way of all sub-partitions, for each register but the first
  std::int64_t data_queue_registers = 0;     // of stores to shared memory that wait in the SM's queue
  double wide_issue_cycles = 0;              // of the way to the SM's queues, for addresses of 64 bits
  std::int64_t store_buffer_cycles = 0;      // data of stores that may still leave when the next one passes
  std::int64_t hits_before_answer = 0;       // that pass the data stage while a load that waited for L2 waits its turn
  std::int64_t barrier_wavefronts = 0;       // of the data stage, for each barrier of a CTA
  double barrier_turn_cycles = 0;            // in which the data stage does nothing else, for each of them
  double answer_turn_cycles = 0;             // the same, for a load that waits for L2 beside shared memory
  double answer_hit_turn_cycles = 0;         // the same, beside accesses to global memory that do not wait for L2
  std::int64_t pipeline_cycles = 0;          // from issue to the tag stage
  std::int64_t generic_cycles = 0;           // more for shared memory behind a generic address
  std::int64_t max_outstanding_lines = 0;    // L1 misses in flight per SM
  std::int64_t miss_queue_lines = 0;         // missing lines that have not left the SM
  std::int64_t miss_join_cycles = 0;         // from a line's look-up, in which other sectors of it join its request
  std::int64_t lines_together = 0;           // of a load that wait for L2 and pass the data stage as one
  std::int64_t store_join_lines = 0;         // of stores on their way out of L1, which later ones join; 0: none do
  double store_line_cycles = 0;              // for each line of a store that is worked through before they leave
  std::int64_t store_join_cycles = 0;        // from then until the first of them does
  std::int64_t stores_under_way = 0;         // sectors of an SM's stores that no slice has taken up
  std::int64_t atomics_under_way = 0;        // sectors of an SM's atomics that no slice has taken up
  void fields(SpecFields& f);
};

struct FencesSpec {
  std::int64_t cta_cycles = 0;  // MEMBAR to the next instruction, by scope; what the warp waits for is answered
  std::int64_t gpu_cycles = 0;
  std::int64_t system_cycles = 0;
  std::int64_t cluster_errors_cycles = 0;  // CGAERRBAR
  std::int64_t async_cycles = 0;           // FENCE.VIEW.ASYNC
  std::int64_t interval_cycles = 0;        // between two of an SM
  std::int64_t invalidation_cycles = 0;    // CCTL.IVALL that finds lines
  void fields(SpecFields& f);
};

struct SharedSpec {
  std::int64_t max_per_sm_kib = 0;
  std::int64_t max_per_cta_kib = 0;
  std::int64_t reserved_per_cta_bytes = 0;
  std::int64_t allocation_unit_bytes = 0;
  std::int64_t latency_cycles = 0;  // issue to result, no conflict
  std::int64_t compare_cycles = 0;  // more for a compare-and-swap
  std::int64_t banks = 0;
  std::int64_t bank_bytes = 0;
  void fields(SpecFields& f);
};

struct L1Spec {
  std::int64_t size_kib = 0;  // with shared memory
  std::vector<std::int64_t> carveouts_kib;
  std::int64_t ways = 0;
  // The bits of a set's number that each bit of a line's number above them flips; none: no hash.
  std::vector<std::int64_t> set_hash;
  std::int64_t reserved_lines = 0;  // of what the carve-out leaves, never in use
  std::int64_t kept_hits = 0;       // 0: least recently used
  std::int64_t latency_cycles = 0;  // issue to result, hit
  std::int64_t tag_banks = 0;
  void fields(SpecFields& f);
};

struct CrossbarSpec {
  std::int64_t request_cycles = 0;   // L1 to the L2 slice
  std::int64_t response_cycles = 0;  // L2 slice to L1
  // There and back, by how much longer the way is from each CPC of a GPC, and from a TPC than from the next of its CPC.
  std::vector<std::int64_t> cpc_cycles;
  std::int64_t tpc_step_cycles = 0;
  std::int64_t gpc_clock_cycles = 0;
  std::int64_t sm_read_bytes_per_cycle = 0;
  double sm_read_disorder = 0;  // of what is known to wait for an SM's way in, by which a line may come later
  std::int64_t gpc_read_bytes_per_cycle = 0;
  std::int64_t read_request_cycles = 0;
  std::int64_t write_sector_cycles = 0;
  std::int64_t write_partial_cycles = 0;
  // That a store of so many sectors of a line keeps the way out of an SM busy; `partial`: some are written in part.
  std::int64_t store_cycles(unsigned sectors, bool partial) const {
    return sectors * write_sector_cycles + (partial ? write_partial_cycles : 0);
  }
  void fields(SpecFields& f);
};

struct RequestCoalescerSpec {
  std::int64_t sms_per_request = 0;  // 0: none
  std::int64_t window_cycles = 0;
  std::int64_t spread_cycles = 0;
  std::int64_t queue_cycles = 0;
  std::int64_t shared_cycles = 0;
  void fields(SpecFields& f);
};

struct L2Spec {
  double size_mib = 0;
  std::int64_t slices = 0;
  std::int64_t partitions = 0;
  std::int64_t ways = 0;
  std::int64_t replacement = 0;            // index into ChosenReplacement::names()
  std::int64_t set_run_mib = 0;            // 0: as much as fills every set once
  std::int64_t latency_cycles = 0;         // in the slice, hit, SM cycle
  std::int64_t slice_bytes_per_cycle = 0;  // out, L2 clock
  double send_gap_cycles = 0;              // after a line that takes longer than a clock to send, L2 clock
  std::int64_t slice_write_bytes_per_cycle = 0;
  double atomic_sector_cycles = 0;         // SM cycle, a slice's atomic unit, all words of the sector
  double atomic_partial_cycles = 0;        // the same, some of its words
  double atomic_compare_cycles = 0;        // the same of a compare-and-swap
  double atomic_repeat_cycles = 0;         // of a floating-point atomic on the word of the one before
  std::int64_t atomic_latency_cycles = 0;  // beyond a read's
  std::int64_t partial_lines = 0;          // of a set, that may be written in part; 0: any number
  std::vector<std::int64_t> partition_bits;
  std::int64_t first_partition_gpcs_pct = 0;
  // Of `gpcs` GPCs, how many sit beside partition 0: the first ones.
  std::int64_t gpcs_beside_first(std::int64_t gpcs) const;
  void fields(SpecFields& f);
};

struct FabricSpec {
  std::int64_t latency_cycles = 0;  // one way
  double bytes_per_cycle = 0;       // of all slices, each direction, SM clock
  void fields(SpecFields& f);
};

struct HbmSpec {
  double bandwidth_gbs = 0;
  std::int64_t channels = 0;
  std::int64_t pseudo_channels = 0;    // of a channel
  std::int64_t banks_per_channel = 0;  // of all its pseudo channels
  std::int64_t row_bytes = 0;
  std::int64_t stacks = 0;
  std::int64_t bank_bytes = 0;
  std::int64_t fetch_bytes = 0;
  double latency_ns = 0;           // beyond the slice
  double row_cycle_ns = 0;         // between two activations of a bank
  double activate_ns = 0;          // between two activations of a channel
  double burst_gap_ns = 0;         // of the bus, before a line of one fetch; less before more
  double refresh_interval_ns = 0;  // of a bank
  double refresh_ns = 0;
  std::int64_t read_queue = 0;   // lines that a channel serves in no order; more wait in front of it
  double turnaround_ns = 0;      // read to write and back
  double write_to_read_ns = 0;   // of it, back
  std::int64_t write_batch = 0;  // fetches
  void fields(SpecFields& f);
};

// Units beside the warps: mbarriers, bulk copies (TMA), the network between the SMs of a cluster.
struct AsyncSpec {
  std::int64_t mbarrier_arrival_cycles = 0;  // SYNCS.ARRIVE to where it is counted
  std::int64_t mbarrier_wait_cycles = 0;     // from there, or from SYNCS.PHASECHK, to its result
  std::int64_t mbarrier_limit_cycles = 0;    // a SYNCS.PHASECHK.TRYWAIT that finds nothing
  std::int64_t bulk_cycles = 0;              // UBLKCP to its first request
  std::int64_t tensor_cycles = 0;            // UTMALDG, UTMASTG to theirs
  double box_row_cycles = 0;                 // between two requests of a copy
  std::int64_t operand_cycles = 0;           // UTMALDG, UBLKCP to when their registers are free
  std::int64_t read_bytes_per_cycle = 0;     // that copies bring into one SM
  std::int64_t busy_bytes_per_cycle = 0;     // ... beside products of warpgroups that read shared memory all the time
  double store_bytes_per_cycle = 0;          // that a copy reads from shared memory
  std::int64_t cluster_cycles = 0;           // from SM to SM
  double cluster_bytes_per_cycle = 0;        // from one SM to others
  std::int64_t cluster_barrier_cycles = 0;   // the last arrival at a cluster's barrier to its warps' next issue
  void fields(SpecFields& f);
};

struct LaunchSpec {
  std::int64_t overhead_cycles = 0;
  std::int64_t cta_launch_cycles = 0;
  double warp_interval_cycles = 0;
  std::int64_t gpc_end_cycles = 0;
  double cta_interval_cycles = 0;
  double cpc_interval_cycles = 0;
  double tpc_interval_cycles = 0;
  std::int64_t read_bytes = 0;
  std::int64_t first_sms = 0;  // in TPCs that get CTAs before the GPCs do: the last SMs of the first GPC
  void fields(SpecFields& f);
};

// What kernels reach that do nothing else, beside what the figures above add up to. Views show it; no model uses it.
struct MeasuredSpec {
  double fp32_tflops = 0;  // 0 here and below: not measured
  double fp64_tflops = 0;
  double tensor_fp16_tflops = 0;
  double shared_gbs = 0;
  double l1_gbs = 0;
  double l2_gbs = 0;
  double hbm_gbs = 0;
  void fields(SpecFields& f);
};

struct GpuSpec {
  std::string name;
  std::int64_t compute_capability = 0;
  ClockSpec clock;
  SmSpec sm;
  PipesSpec pipes;
  InstructionCacheSpec instruction_cache;
  ConstantCacheSpec constant_cache;
  LsuSpec lsu;
  FencesSpec fences;
  SharedSpec shared;
  L1Spec l1;
  CrossbarSpec crossbar;
  RequestCoalescerSpec request_coalescer;
  L2Spec l2;
  FabricSpec fabric;
  HbmSpec hbm;
  AsyncSpec asynchronous;
  LaunchSpec launch;
  MeasuredSpec measured;
  void fields(SpecFields& f);
};

}  // namespace tilescope
