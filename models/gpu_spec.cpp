#include "models/gpu_spec.h"

#include <numeric>
#include <string>

#include "models/replacement/chosen.h"

namespace tilescope {

namespace {

bool is_power_of_two(std::int64_t value) { return std::has_single_bit(static_cast<std::uint64_t>(value)); }

}  // namespace

void ClockSpec::fields(SpecFields& f) {
  f.real("sm_mhz", sm_mhz, {100, 10000}, "MHz", "clock of the SMs while a kernel runs");
  f.real("l2_mhz", l2_mhz, {100, 10000}, "MHz", "clock of the L2 slices");
  f.real("tensor_pct", tensor_pct, {10, 100}, "%", "of sm_mhz, of a GPC while tensor cores there work");
  f.real("tensor_hold_ns", tensor_hold_ns, {0, 1e6}, "ns", "how long after their last instruction");
  f.real("tensor_gap_ns", tensor_gap_ns, {1, 1e6}, "ns", "pause of theirs after which the clock steps down anew");
  f.real("tensor_step_pct", tensor_step_pct, {10, 100}, "%", "of sm_mhz, while it steps down");
  f.real("tensor_step_ns", tensor_step_ns, {0, 1e6}, "ns", "how long that takes");
}

std::int64_t SmSpec::count() const { return std::accumulate(gpcs.begin(), gpcs.end(), std::int64_t{0}); }

void SmSpec::fields(SpecFields& f) {
  f.integers("gpcs", gpcs, {1, 256}, "SM", "SMs of each GPC");
  f.integer("sub_partitions", sub_partitions, {1, 8}, "1", "warp schedulers per SM");
  f.integer("max_threads_per_cta", max_threads_per_cta, {32, 4096}, "thread", "largest block");
  f.integer("max_threads", max_threads, {32, 8192}, "thread", "resident threads per SM");
  f.integer("max_warps", max_warps, {1, 256}, "warp", "resident warps per SM");
  f.integer("max_ctas", max_ctas, {1, 128}, "CTA", "resident CTAs per SM");
  f.integer("registers", registers, {1024, 1 << 20}, "register", "32-bit registers per SM");
  f.integer("max_registers_per_thread", max_registers_per_thread, {16, 1024}, "register", "largest a thread may use");
  f.integer("register_allocation_unit", register_allocation_unit, {1, 4096}, "register",
            "granularity of a warp's allocation");
  f.require(!gpcs.empty(), "gpcs", "needs at least one GPC");
  f.require(count() <= kMost, "gpcs", "more than " + std::to_string(kMost) + " SMs in total");
  f.require(sub_partitions > 0 && max_warps % sub_partitions == 0, "max_warps",
            "must be a multiple of sm.sub_partitions");
}

void PipesSpec::fields(SpecFields& f) {
  f.integer("fma_lanes", fma_lanes, {1, 32}, "lane/cycle", "FP32 multiply-add of one sub-partition");
  f.integer("imad_lanes", imad_lanes, {1, 32}, "lane/cycle", "integer multiply-add of one sub-partition");
  f.integer("wide_issue_cycles", wide_issue_cycles, {1, 32}, "cycle",
            "that IMAD.WIDE keeps the dispatch port of its sub-partition");
  f.integer("wide_imad_cycles", wide_imad_cycles, {1, 32}, "cycle",
            "between a multiply-add with a 64-bit result, or of which the high half is kept, and the next of its pipe");
  f.integer("alu_lanes", alu_lanes, {1, 32}, "lane/cycle", "integer and logic of one sub-partition");
  f.integer("half_lanes", half_lanes, {1, 32}, "lane/cycle",
            "packed FP16 (two per lane) of one sub-partition, on each of the two pipes that take it");
  f.integer("fp64_lanes", fp64_lanes, {1, 32}, "lane/cycle", "FP64 of one sub-partition");
  f.integer("xu_lanes", xu_lanes, {1, 32}, "lane/cycle", "special functions and conversions of one sub-partition");
  f.integer("uniform_issue_cycles", uniform_issue_cycles, {1, 32}, "cycle",
            "between two uniform-datapath instructions");
  f.integer("uniform_operand_cycles", uniform_operand_cycles, {0, 32}, "cycle",
            "between two rows of four uniform registers that instructions read");
  f.integer("tensor_fma_per_cycle", tensor_fma_per_cycle, {1, 4096}, "FMA/cycle", "dense FP16 of one sub-partition");
  f.integer("tensor_issue_cycles", tensor_issue_cycles, {1, 200}, "cycle", "between two HMMAs of few multiply-adds");
  f.integer("tensor_double_cycles", tensor_double_cycles, {1, 1000}, "cycle", "between two DMMA.884");
  f.integer("tensor_operand_cycles", tensor_operand_cycles, {0, 200}, "cycle",
            "that a product of one warp reads registers of both banks, no longer than its tensor core works");
  f.integer("tensor_latency_cycles", tensor_latency_cycles, {1, 200}, "cycle", "HMMA issue to result");
  f.integer("group_tensor_fma_per_cycle", group_tensor_fma_per_cycle, {1, 4096}, "FMA/cycle",
            "dense FP16 of one sub-partition, products of warpgroups (wgmma)");
  f.integer("group_tensor_register_cycles", group_tensor_register_cycles, {1, 1000}, "cycle",
            "between two HGMMAs at least, A in registers");
  f.integer("group_tensor_latency_cycles", group_tensor_latency_cycles, {0, 1000}, "cycle",
            "end of the last HGMMA of a group to what waits for it");
  f.integer("xu_latency_cycles", xu_latency_cycles, {1, 200}, "cycle", "MUFU issue to result");
  f.integer("fp64_latency_cycles", fp64_latency_cycles, {1, 200}, "cycle", "DFMA issue to result");
  f.integer("special_latency_cycles", special_latency_cycles, {1, 200}, "cycle", "S2R issue to result");
  f.integer("cluster_rank_cycles", cluster_rank_cycles, {1, 200}, "cycle", "S2UR of SR_CgaCtaId, issue to result");
  f.integer("constant_latency_cycles", constant_latency_cycles, {1, 400}, "cycle", "LDC issue to result, cached");
  f.integer("shuffle_latency_cycles", shuffle_latency_cycles, {1, 200}, "cycle", "SHFL issue to result");
  f.integer("branch_cycles", branch_cycles, {1, 100}, "cycle",
            "branch issue to the warp's next issue, when it goes elsewhere; else its stall count is all it costs");
  f.integer("meeting_cycles", meeting_cycles, {1, 100}, "cycle", "BSYNC issue to the warp's next issue");
  f.integer("barrier_cycles", barrier_cycles, {1, 200}, "cycle", "last BAR.SYNC of a CTA to its warps' next issue");
  f.integer("barrier_arrival_cycles", barrier_arrival_cycles, {0, 100}, "cycle",
            "between two arrivals at an SM's barriers");
}

void InstructionCacheSpec::fields(SpecFields& f) {
  f.integer(
      "miss_cycles", miss_cycles, {0, 10000}, "cycle",
      "a fetch of code that the SM does not hold and the launch has brought; 0: all code is there from the start");
  f.integer("line_cycles", line_cycles, {0, 1000}, "cycle", "between two lines of a fetch");
  f.integer("lines_per_fetch", lines_per_fetch, {1, 64}, "line", "that a fetch brings");
  f.integer("launch_kib", launch_kib, {0, 65536}, "KiB", "of a kernel's code that its launch brings");
  f.real("launch_line_cycles", launch_line_cycles, {0, 1000}, "cycle", "that each line of these takes");
  f.integer("first_cycles", first_cycles, {0, 10000}, "cycle", "from the beginning of a launch to the first of these");
  f.integer("memory_cycles", memory_cycles, {0, 10000}, "cycle", "a fetch of code that the launch has not brought");
  f.real("gpc_line_cycles", gpc_line_cycles, {0, 1000}, "cycle",
         "between two lines that the SMs of a GPC are sent; 0: no limit");
  f.integer("buffer_lines", buffer_lines, {0, 4096}, "line", "that a sub-partition holds; 0: jumps never wait for it");
  f.integer("buffer_cycles", buffer_cycles, {0, 1000}, "cycle", "that a jump to a line waits that it does not hold");
  f.integer("jump_cycles", jump_cycles, {0, 100}, "cycle", "that any jump waits for its first instruction");
}

void ConstantCacheSpec::fields(SpecFields& f) {
  f.integer("miss_cycles", miss_cycles, {0, 10000}, "cycle",
            "that an operand takes longer whose line the sub-partition does not hold; 0: all constants are there from "
            "the start");
  f.integer("load_miss_cycles", load_miss_cycles, {0, 10000}, "cycle",
            "that an LDC takes longer whose line the SM does not hold");
  f.real("load_cycles", load_cycles, {0, 1000}, "cycle", "between two LDCs of an SM");
  f.integer("load_issue_cycles", load_issue_cycles, {1, 1000}, "cycle",
            "between an LDC and what its sub-partition sends the same way");
  f.integer("load_queue_entries", load_queue_entries, {1, 1000}, "entry",
            "for LDCs of a sub-partition that wait to go out; what else goes that way waits for room, too");
  f.integer("line_cycles", line_cycles, {0, 1000}, "cycle", "between two lines that an SM's constant caches get");
  f.integer("line_alone_cycles", line_alone_cycles, {0, 1000}, "cycle",
            "... of a launch that leaves one SM of each TPC idle");
  f.integer("memory_cycles", memory_cycles, {0, 10000}, "cycle",
            "more for the first line of a block outside of the launch's own bank");
}

void LsuSpec::fields(SpecFields& f) {
  f.integer("queue_entries", queue_entries, {1, 256}, "instruction", "waiting in a sub-partition for the SM's queue");
  f.integer("shared_queue_entries", shared_queue_entries, {1, 256}, "instruction",
            "waiting in the SM's queue for the pipeline");
  f.integer("global_queue_per_sub", global_queue_per_sub, {1, 256}, "instruction",
            "of those in a sub-partition, of global and local memory");
  f.integer("wide_queue_places", wide_queue_places, {1, 16}, "place",
            "of the SM's queue that an instruction with addresses of 64 bits takes");
  f.integer("global_queue_entries", global_queue_entries, {1, 256}, "instruction",
            "of global and local memory waiting behind the SM's queue");
  f.integer("found_queue_entries", found_queue_entries, {1, 256}, "instruction",
            "of global and local memory that are looked up, do not wait for L2 and wait for the data stage");
  f.integer("issue_cycles", issue_cycles, {1, 32}, "cycle",
            "between two load/store instructions that a sub-partition hands on to the SM's queue");
  f.real("wide_issue_cycles", wide_issue_cycles, {1, 32}, "cycle",
         "of a sub-partition's way to the SM's queues that addresses of 64 bits take; others take issue_cycles");
  f.integer("wavefront_cycles", wavefront_cycles, {1, 32}, "cycle", "between two wavefronts of one warp");
  f.integer(
      "operand_cycles", operand_cycles, {0, 100}, "cycle",
      "from the end of its wait in the sub-partition's queue until an instruction's registers may be overwritten");
  f.integer("operand_register_cycles", operand_register_cycles, {0, 32}, "cycle",
            "more for each register of its address and data, which go to the SM's queue one by one");
  f.integer("operand_store_cycles", operand_store_cycles, {0, 32}, "cycle", "more for one with data");
  f.integer("operand_common_cycles", operand_common_cycles, {0, 32}, "cycle/register",
            "of the way to the SM's queue that all sub-partitions share, for each register of a store but its first");
  f.integer("data_queue_registers", data_queue_registers, {4, 1024}, "register",
            "data of stores to shared memory that wait in the SM's queue");
  f.integer("store_buffer_cycles", store_buffer_cycles, {0, 10000}, "cycle",
            "of data of earlier stores that may still be leaving the SM when a store passes the data stage");
  f.integer("hits_before_answer", hits_before_answer, {1, 64}, "access",
            "to global memory without L2 that pass the data stage before a load that has waited for L2");
  f.integer("barrier_wavefronts", barrier_wavefronts, {0, 64}, "wavefront",
            "that each barrier of a CTA takes from the data stage");
  f.real("barrier_turn_cycles", barrier_turn_cycles, {0, 64}, "cycle",
         "in which the data stage does nothing else, for each barrier of a CTA beside its wavefronts");
  f.real("answer_turn_cycles", answer_turn_cycles, {0, 64}, "cycle",
         "the same, for a load that waits for L2 while accesses to shared memory are waiting");
  f.real("answer_hit_turn_cycles", answer_hit_turn_cycles, {0, 64}, "cycle",
         "the same, while only accesses to global memory are waiting that do not wait for L2");
  f.integer("pipeline_cycles", pipeline_cycles, {1, 100}, "cycle", "issue to the tag stage");
  f.integer("generic_cycles", generic_cycles, {0, 100}, "cycle", "more for shared memory behind a generic address");
  f.integer("max_outstanding_lines", max_outstanding_lines, {1, 65536}, "line", "L1 misses of one SM in flight");
  f.integer("miss_queue_lines", miss_queue_lines, {4, 1024}, "line",
            "missing lines that have been looked up and have not left the SM");
  f.integer("miss_join_cycles", miss_join_cycles, {0, 100}, "cycle",
            "from a missing line's look-up, in which other sectors of it join its request");
  f.integer("lines_together", lines_together, {1, 32}, "line",
            "of a load: those among so many neighbours that wait for L2 pass the data stage together");
  f.integer("store_join_lines", store_join_lines, {0, 1024}, "line",
            "of stores on their way out of L1, which later stores to them join; 0: none do");
  f.real("store_line_cycles", store_line_cycles, {0, 100}, "cycle",
         "for each whole line of a store until all of its lines leave L1; less for fewer sectors");
  f.integer("store_join_cycles", store_join_cycles, {0, 100}, "cycle", "from then until the first of them leaves");
  f.integer("stores_under_way", stores_under_way, {1, 65536}, "sector",
            "of stores, sent and not taken up by a slice; what an SM sends behind them waits");
  f.integer("atomics_under_way", atomics_under_way, {1, 65536}, "sector",
            "of atomics on global memory, sent and not taken up by a slice; what an SM sends behind them waits");
}

void FencesSpec::fields(SpecFields& f) {
  f.integer("cta_cycles", cta_cycles, {1, 10000}, "cycle", "MEMBAR of CTA scope to the next instruction");
  f.integer("gpu_cycles", gpu_cycles, {1, 10000}, "cycle", "of GPU scope: its own trip");
  f.integer("system_cycles", system_cycles, {1, 100000}, "cycle", "of system scope");
  f.integer("cluster_errors_cycles", cluster_errors_cycles, {1, 100000}, "cycle",
            "CGAERRBAR, the end of a release to a cluster");
  f.integer("async_cycles", async_cycles, {1, 10000}, "cycle",
            "FENCE.VIEW.ASYNC that waits for no access to shared memory, issue to what waits for it");
  f.integer("interval_cycles", interval_cycles, {1, 1000}, "cycle", "between two memory barriers of an SM");
  f.integer("invalidation_cycles", invalidation_cycles, {0, 10000}, "cycle", "CCTL.IVALL that finds lines in L1");
}

void SharedSpec::fields(SpecFields& f) {
  f.integer("max_per_sm_kib", max_per_sm_kib, {1, 4096}, "KiB", "largest carve-out");
  f.integer("max_per_cta_kib", max_per_cta_kib, {1, 4096}, "KiB", "largest that one CTA may use");
  f.integer("reserved_per_cta_bytes", reserved_per_cta_bytes, {0, 65536}, "byte", "taken by the system for each CTA");
  f.integer("allocation_unit_bytes", allocation_unit_bytes, {1, 65536}, "byte", "granularity of a CTA's allocation");
  f.integer("latency_cycles", latency_cycles, {1, 400}, "cycle", "LDS issue to result, one wavefront");
  f.integer("compare_cycles", compare_cycles, {0, 400}, "cycle", "more for a compare-and-swap");
  f.integer("banks", banks, {1, 64}, "bank", "serve one word each per wavefront");
  f.integer("bank_bytes", bank_bytes, {4, 8}, "byte", "word of a bank");
  f.require(is_power_of_two(banks), "banks", "must be a power of two");
  f.require(is_power_of_two(bank_bytes), "bank_bytes", "must be a power of two");
  f.require(max_per_cta_kib <= max_per_sm_kib, "max_per_cta_kib", "must not exceed shared.max_per_sm_kib");
}

void L1Spec::fields(SpecFields& f) {
  f.integer("size_kib", size_kib, {1, 8192}, "KiB", "data array that L1 and shared memory divide");
  f.integers("carveouts_kib", carveouts_kib, {0, 8192}, "KiB", "shared-memory sizes the driver may choose");
  f.integer("ways", ways, {1, 128}, "way", "lines per set");
  f.integers("set_hash", set_hash, {0, 65535}, "mask",
             "bits of the set's number that each bit of a line's number above them flips; none: no hash");
  f.integer("reserved_lines", reserved_lines, {0, 1024}, "line", "of those that the carve-out leaves, never in use");
  f.integer("kept_hits", kept_hits, {0, 2}, "hit", "the last ones of a set, whose lines stay; 0: least recently used");
  f.integer("latency_cycles", latency_cycles, {1, 400}, "cycle", "LDG issue to result, hit");
  f.integer("tag_banks", tag_banks, {1, 16}, "bank", "look up one line per cycle each");
  f.require(is_power_of_two(tag_banks), "tag_banks", "must be a power of two");
  f.require(set_hash.size() <= 16, "set_hash", "must have at most 16 masks");
  for (const std::int64_t carveout : carveouts_kib)
    f.require(carveout < size_kib, "carveouts_kib", "every carve-out must be smaller than l1.size_kib");
}

void CrossbarSpec::fields(SpecFields& f) {
  f.integer("request_cycles", request_cycles, {1, 2000}, "cycle", "L1 miss to the L2 slice, unloaded");
  f.integer("response_cycles", response_cycles, {1, 2000}, "cycle", "L2 slice to the waiting register, unloaded");
  f.integers(
      "cpc_cycles", cpc_cycles, {0, 200}, "cycle",
      "by how much the way there and back is longer for the SMs of each CPC of a GPC; the mean of all SMs stays");
  f.integer("tpc_step_cycles", tpc_step_cycles, {0, 100}, "cycle",
            "by how much it is longer for a TPC than for the next one of its CPC");
  f.integer("gpc_clock_cycles", gpc_clock_cycles, {0, 2000}, "cycle",
            "of request_cycles and response_cycles, those that grow when the GPC's clock slows down");
  f.integer("sm_read_bytes_per_cycle", sm_read_bytes_per_cycle, {1, 1024}, "byte/cycle", "into one SM");
  f.real(
      "sm_read_disorder", sm_read_disorder, {0, 1000}, "",
      "a line comes into an SM later by up to so many times what is known to wait for the way; 0: in order of arrival");
  f.integer("gpc_read_bytes_per_cycle", gpc_read_bytes_per_cycle, {1, 16384}, "byte/cycle", "into one GPC");
  f.integer("read_request_cycles", read_request_cycles, {1, 100}, "cycle",
            "a read request for a line keeps the SM's way out busy");
  f.integer("write_sector_cycles", write_sector_cycles, {1, 100}, "cycle",
            "a stored sector keeps the SM's way out busy");
  f.integer("write_partial_cycles", write_partial_cycles, {0, 100}, "cycle",
            "more for a line with partly written sectors");
  f.require(!cpc_cycles.empty(), "cpc_cycles", "needs at least one CPC");
}

void RequestCoalescerSpec::fields(SpecFields& f) {
  f.integer("sms_per_request", sms_per_request, {0, 256}, "SM",
            "of one GPC that one merged request serves; 0: no coalescer");
  f.integer("window_cycles", window_cycles, {0, 10000}, "cycle", "after a request in which others surely join it");
  f.integer("spread_cycles", spread_cycles, {0, 10000}, "cycle", "after that in which they join with falling chance");
  f.integer("queue_cycles", queue_cycles, {0, 100000}, "cycle",
            "that requests under way may wait for their GPC's ports and still be joined");
  f.integer("shared_cycles", shared_cycles, {0, 1000}, "cycle", "that an answer which several SMs share comes later");
}

std::int64_t L2Spec::gpcs_beside_first(std::int64_t gpcs) const {
  return partitions == 1 ? gpcs : (gpcs * first_partition_gpcs_pct + 99) / 100;
}

void L2Spec::fields(SpecFields& f) {
  f.real("size_mib", size_mib, {0.125, 4096}, "MiB", "all slices together");
  f.integer("slices", slices, {1, 1024}, "slice", "in all partitions together");
  f.integer("partitions", partitions, {1, 2}, "partition", "halves of the chip, each with its own look-up");
  f.integer("ways", ways, {1, 64}, "way", "lines per set");
  f.choice("replacement", replacement, ChosenReplacement::names(), "which line of a full set a new one replaces");
  f.integer("set_run_mib", set_run_mib, {0, 1024}, "MiB",
            "contiguous memory that fills sets in turn from a place of its own on; 0: as much as fills each once");
  f.integer("latency_cycles", latency_cycles, {1, 2000}, "cycle", "inside a slice, hit");
  f.integer("slice_bytes_per_cycle", slice_bytes_per_cycle, {1, 1024}, "byte/L2 cycle", "out of one slice");
  f.real("send_gap_cycles", send_gap_cycles, {0, 100}, "L2 cycle",
         "a slice sends nothing after what takes it longer than a clock to send");
  f.integer("slice_write_bytes_per_cycle", slice_write_bytes_per_cycle, {1, 4096}, "byte/cycle",
            "of lines that a slice does not have, written into it, per L2 clock");
  f.real("atomic_sector_cycles", atomic_sector_cycles, {0, 100}, "cycle",
         "a sector of an atomic that changes all its words keeps its slice busy, SM clock");
  f.real("atomic_partial_cycles", atomic_partial_cycles, {0, 100}, "cycle", "the same if it changes some of its words");
  f.real("atomic_compare_cycles", atomic_compare_cycles, {0, 100}, "cycle", "the same of a compare-and-swap");
  f.real("atomic_repeat_cycles", atomic_repeat_cycles, {0, 100}, "cycle",
         "between two floating-point atomics on one word");
  f.integer("atomic_latency_cycles", atomic_latency_cycles, {0, 400}, "cycle", "of an atomic beyond a read's");
  f.integer("partial_lines", partial_lines, {0, 64}, "line",
            "of a set that may hold sectors written in part; more are completed and written back; 0: any number");
  f.integers("partition_bits", partition_bits, {7, 46}, "bit",
             "address bits whose parity is the home partition; none: a mixer");
  f.integer("first_partition_gpcs_pct", first_partition_gpcs_pct, {0, 100}, "%",
            "of the GPCs, rounded up: the first in sm.gpcs, which sit beside partition 0");
  f.require(set_run_mib == 0 || is_power_of_two(set_run_mib), "set_run_mib", "must be 0 or a power of two");
  f.require(partitions > 0 && slices % partitions == 0, "slices", "must be a multiple of l2.partitions");
  f.require(slices > 0 && size_mib * 1024 * 1024 / 128 / static_cast<double>(slices) >= static_cast<double>(ways),
            "size_mib", "leaves less than one set per slice");
}

void FabricSpec::fields(SpecFields& f) {
  f.integer("latency_cycles", latency_cycles, {0, 2000}, "cycle", "one way between the partitions, unloaded");
  f.real("bytes_per_cycle", bytes_per_cycle, {1, 65536}, "byte/cycle", "each direction, all slices");
}

void HbmSpec::fields(SpecFields& f) {
  f.real("bandwidth_gbs", bandwidth_gbs, {1, 100000}, "GB/s", "peak of all channels");
  f.integer("channels", channels, {1, 1024}, "channel", "independent channels");
  f.integer("pseudo_channels", pseudo_channels, {1, 64}, "-",
            "of a channel; each has its part of the bus and of the banks");
  f.integer("banks_per_channel", banks_per_channel, {1, 1024}, "bank", "of one channel, all pseudo channels");
  f.integer("row_bytes", row_bytes, {128, 65536}, "byte", "consecutive ones, which one activation serves");
  f.integer("stacks", stacks, {1, 64}, "-",
            "memory stacks, each with as many channels; a refresh closes a bank in all channels of one");
  f.integer("bank_bytes", bank_bytes, {128, 1LL << 30}, "byte",
            "consecutive ones, in the same bank of every pseudo channel");
  f.integer("fetch_bytes", fetch_bytes, {32, 128}, "byte", "smallest transfer");
  f.real("latency_ns", latency_ns, {1, 2000}, "ns", "slice miss to data at the slice, unloaded");
  f.real("row_cycle_ns", row_cycle_ns, {0, 500}, "ns", "between two activations of a bank");
  f.real("activate_ns", activate_ns, {0, 100}, "ns", "between two activations of a channel");
  f.real("burst_gap_ns", burst_gap_ns, {0, 100}, "ns",
         "a channel's bus stands idle before one fetch, half as long before two of a line");
  f.real("refresh_interval_ns", refresh_interval_ns, {100, 1e6}, "ns", "between two refreshes of a bank");
  f.real("refresh_ns", refresh_ns, {0, 10000}, "ns", "a refresh blocks its bank");
  f.real("turnaround_ns", turnaround_ns, {0, 1000}, "ns", "bus idle for one read-write-read turn");
  f.real("write_to_read_ns", write_to_read_ns, {0, 1000}, "ns",
         "of hbm.turnaround_ns, from the last write to the next read; all of it at most");
  f.integer("read_queue", read_queue, {0, 65536}, "line",
            "reads that a channel serves in no order of their arrival; more wait in front of it");
  f.integer("write_batch", write_batch, {1, 4096}, "fetch", "writes that go out in one turn of the bus at most");
  f.require(pseudo_channels < 1 || banks_per_channel % pseudo_channels == 0, "banks_per_channel",
            "must be a multiple of hbm.pseudo_channels");
  f.require(row_bytes % 128 == 0, "row_bytes", "must be a multiple of 128");
  f.require(bank_bytes % 128 == 0, "bank_bytes", "must be a multiple of 128");
  f.require(fetch_bytes == 32 || fetch_bytes == 64 || fetch_bytes == 128, "fetch_bytes", "must be 32, 64 or 128");
  f.require(refresh_ns < refresh_interval_ns, "refresh_ns", "must be smaller than hbm.refresh_interval_ns");
}

void AsyncSpec::fields(SpecFields& f) {
  f.integer("mbarrier_arrival_cycles", mbarrier_arrival_cycles, {1, 1000}, "cycle",
            "an arrival at an mbarrier to where it is counted");
  f.integer("mbarrier_wait_cycles", mbarrier_wait_cycles, {1, 1000}, "cycle",
            "the end of a phase to the result of the try_wait that waits for it");
  f.integer("mbarrier_limit_cycles", mbarrier_limit_cycles, {1, 1000000}, "cycle",
            "after which a try_wait ends without the phase");
  f.integer("bulk_cycles", bulk_cycles, {0, 10000}, "cycle", "issue of a bulk copy to its first request");
  f.integer("tensor_cycles", tensor_cycles, {0, 10000}, "cycle", "issue of a tensor copy to its first request");
  f.real("box_row_cycles", box_row_cycles, {0.01, 1000}, "cycle", "between two lines that a copy asks for");
  f.integer("operand_cycles", operand_cycles, {1, 1000}, "cycle",
            "issue of a bulk or tensor copy to when its registers are free");
  f.integer("read_bytes_per_cycle", read_bytes_per_cycle, {1, 1024}, "byte/cycle",
            "that such copies bring into one SM");
  f.integer("busy_bytes_per_cycle", busy_bytes_per_cycle, {1, 1024}, "byte/cycle",
            "... beside products of warpgroups that read shared memory all the time");
  f.real("store_bytes_per_cycle", store_bytes_per_cycle, {0.01, 10000}, "byte/cycle",
         "that a copy to global memory reads from shared memory");
  f.integer("cluster_cycles", cluster_cycles, {1, 10000}, "cycle", "one way between two SMs of a cluster");
  f.real("cluster_bytes_per_cycle", cluster_bytes_per_cycle, {0.01, 10000}, "byte/cycle", "from one SM to others");
  f.integer("cluster_barrier_cycles", cluster_barrier_cycles, {1, 10000}, "cycle",
            "last arrival at a cluster's barrier to its warps' next issue");
}

void LaunchSpec::fields(SpecFields& f) {
  f.integer("overhead_cycles", overhead_cycles, {0, 1000000}, "cycle",
            "of a launch before the first CTA and after the last");
  f.integer("gpc_end_cycles", gpc_end_cycles, {0, 100000}, "cycle",
            "more behind the last CTA's end, if CTAs run beyond the first TPCs; ends are noted meanwhile");
  f.integer("cta_launch_cycles", cta_launch_cycles, {1, 100000}, "cycle",
            "end of a CTA to the first instruction of the next");
  f.real("warp_interval_cycles", warp_interval_cycles, {0, 1000}, "cycle",
         "between the first instructions of two warps of a CTA");
  f.real("cta_interval_cycles", cta_interval_cycles, {0, 10000}, "cycle",
         "between two CTAs whose ends the dispatcher takes note of");
  f.real("cpc_interval_cycles", cpc_interval_cycles, {0, 10000}, "cycle",
         "between two CPCs of a GPC that begin when a launch does");
  f.real("tpc_interval_cycles", tpc_interval_cycles, {0, 10000}, "cycle",
         "between two CTAs that a TPC starts when a launch begins");
  f.integer("read_bytes", read_bytes, {0, 1000000}, "byte",
            "that a launch reads from HBM besides its code, before any CTA begins; 0: nothing, nor its code");
  f.integer("first_sms", first_sms, {0, 256}, "SM",
            "in TPCs that get CTAs before the GPCs do: the last SMs of the first GPC in sm.gpcs");
}

void MeasuredSpec::fields(SpecFields& f) {
  f.real("fp32_tflops", fp32_tflops, {0, 1e6}, "TFLOP/s", "multiply-adds of FP32; 0 here and below: not measured");
  f.real("fp64_tflops", fp64_tflops, {0, 1e6}, "TFLOP/s", "multiply-adds of FP64, tensor cores apart");
  f.real("tensor_fp16_tflops", tensor_fp16_tflops, {0, 1e6}, "TFLOP/s", "dense FP16 products of tensor cores");
  f.real("shared_gbs", shared_gbs, {0, 1e9}, "GB/s", "loads of shared memory, all SMs");
  f.real("l1_gbs", l1_gbs, {0, 1e9}, "GB/s", "loads that hit in L1, all SMs");
  f.real("l2_gbs", l2_gbs, {0, 1e9}, "GB/s", "loads that hit in L2, each line by one SM");
  f.real("hbm_gbs", hbm_gbs, {0, 1e9}, "GB/s", "reading device memory");
}

void GpuSpec::fields(SpecFields& f) {
  f.text("name", name, "as printed");
  f.integer("compute_capability", compute_capability, {70, 200}, "1", "80 for sm_80");
  f.section("clock", "clock domains", [this](SpecFields& s) { clock.fields(s); });
  f.section("sm", "streaming multiprocessors and their limits", [this](SpecFields& s) { sm.fields(s); });
  f.section("pipes", "execution pipes", [this](SpecFields& s) { pipes.fields(s); });
  f.section("instruction_cache", "code in an SM, cold when a launch begins",
            [this](SpecFields& s) { instruction_cache.fields(s); });
  f.section("constant_cache", "constants in an SM, cold when a launch begins",
            [this](SpecFields& s) { constant_cache.fields(s); });
  f.section("lsu", "load/store pipeline of an SM", [this](SpecFields& s) { lsu.fields(s); });
  f.section("fences", "memory barriers", [this](SpecFields& s) { fences.fields(s); });
  f.section("shared", "shared memory", [this](SpecFields& s) { shared.fields(s); });
  f.section("l1", "L1 data cache", [this](SpecFields& s) { l1.fields(s); });
  f.section("crossbar", "between SMs and L2", [this](SpecFields& s) { crossbar.fields(s); });
  f.section("request_coalescer", "merges equal requests of neighbouring SMs",
            [this](SpecFields& s) { request_coalescer.fields(s); });
  f.section("l2", "L2 cache", [this](SpecFields& s) { l2.fields(s); });
  f.section("fabric", "between the L2 partitions", [this](SpecFields& s) { fabric.fields(s); });
  f.section("hbm", "device memory", [this](SpecFields& s) { hbm.fields(s); });
  f.section("asynchronous", "mbarriers, bulk copies, the network of a cluster",
            [this](SpecFields& s) { asynchronous.fields(s); });
  f.section("launch", "kernel launch and CTA dispatch", [this](SpecFields& s) { launch.fields(s); });
  f.section("measured", "what kernels reach that do nothing else; shown by views, used by no model",
            [this](SpecFields& s) { measured.fields(s); });
  f.require(shared.max_per_sm_kib <= l1.size_kib, "shared", "max_per_sm_kib must not exceed l1.size_kib");
}

}  // namespace tilescope
