// The questions put to the hardware, one function and one file each.
#pragma once

#include "report.h"

namespace tilescope::gpu {

void sm_clock(Report& report);
void latency_global(Report& report);
void latency_l2_by_sm(Report& report);
void l2_home(Report& report);
void latency_l1(Report& report);
void arithmetic(Report& report);
void barrier(Report& report);
void throughput_shared(Report& report);
void throughput_global(Report& report);
void issue_queue(Report& report);
void scheduler(Report& report);
void succession(Report& report);
void bandwidth(Report& report);
void loaded_latency(Report& report);
void hbm_latency(Report& report);
void tile_burst(Report& report);
void step_drift(Report& report);
void cta_placement(Report& report);
void mixed_issue(Report& report);
void register_banks(Report& report);
void dispatch_port(Report& report);
void constant_cache(Report& report);
void special_rate(Report& report);
void issue_depth(Report& report);
void code_loop(Report& report);
void code_jumps(Report& report);
void code_warps(Report& report);
void cta_start(Report& report);
void cta_chain(Report& report);
void cold_burst(Report& report);
void counted_span(Report& report);
void behind(Report& report);
void cta_launch(Report& report);
void latency_atomic(Report& report);
void throughput_atomic(Report& report);
void throughput_shared_atomic(Report& report);
void fences(Report& report);
void local_memory(Report& report);
void spills(Report& report);
void tensor(Report& report);
void wgmma(Report& report);
void wgmma_shared(Report& report);
void wgmma_copies(Report& report);
void tensor_clock(Report& report);
void async_copy(Report& report);
void ldmatrix(Report& report);
void tma_bulk(Report& report);
void tma_tensor(Report& report);
void tma_cold(Report& report);
void tma_first(Report& report);
void tma_burst(Report& report);
void main_loop(Report& report);
void async_fence(Report& report);
void tma_store(Report& report);
void tma_multicast(Report& report);
void mbarrier(Report& report);
void cluster_launch(Report& report);
void cluster_shared(Report& report);
void fills(Report& report);
void turns(Report& report);
void load_depth(Report& report);
void tile_steps(Report& report);
void hit_behind_miss(Report& report);
void beside(Report& report);
void l1_sets(Report& report);
void load_steps(Report& report);
void dispatch_mix(Report& report);
void tile_store(Report& report);
void tile_turns(Report& report);
void store_and_load(Report& report);
void copies_and_stores(Report& report);
void store_burst(Report& report);
void load_rate(Report& report);
void latency_by_slice(Report& report);
void l2_replacement(Report& report);
void home_rates(Report& report);
void slice_shares(Report& report);
void fills_beside_reads(Report& report);
void l2_shares(Report& report);
void l1_hash(Report& report);
void l1_policy(Report& report);
void l1_touch(Report& report);

// Kernels for a profiler to count; each launch has a row in the report.
void counted_empty(Report& report);
void counted_coalescer(Report& report);
void counted_bursts(Report& report);
void counted_joined(Report& report);
void counted_l2_capacity(Report& report);
void counted_strided(Report& report);
void counted_stores(Report& report);
void counted_partial(Report& report);
void counted_streams(Report& report);
void counted_shared(Report& report);
void counted_steps(Report& report);
void counted_copies(Report& report);
void counted_copy_maps(Report& report);
void counted_padded(Report& report);
void counted_split(Report& report);

}  // namespace tilescope::gpu
