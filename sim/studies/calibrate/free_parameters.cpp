#include "sim/studies/calibrate/free_parameters.h"

#include <algorithm>

namespace tilescope::calibrate {

const std::vector<FreeParameter>& free_parameters() {
  static const std::vector<FreeParameter> all = {
      {"clock.l2_mhz", 500, 3000, false, "a quarter to one and a half times the SM clocks of the modelled GPUs",
       "reads that hit in L2 from all SMs"},
      {"pipes.special_latency_cycles", 8, 80, false, "an ALU's latency doubled, to four special functions in a row",
       "kernels of one wave that do little after S2R"},
      {"pipes.constant_latency_cycles", 8, 120, false, "an ALU's latency doubled, to an L1.5 constant miss",
       "kernels of one wave that do little after LDC"},
      {"pipes.branch_cycles", 2, 24, false, "one issue and its decode, to three times what stall reasons show on H200",
       "a loop of few instructions in one warp"},
      {"pipes.barrier_cycles", 2, 60, false, "a fifth to five times the H200's",
       "CTAs that do little between their barriers"},
      {"pipes.barrier_arrival_cycles", 0, 10, false, "none, to five times the H200's",
       "CTAs of many warps that do little between their barriers"},
      {"lsu.pipeline_cycles", 2, 24, false, "part of the L1 latency, which must stay larger",
       "loads that hit in L1 with few warps"},
      {"shared.latency_cycles", 12, 60, false, "half to twice the published 23 to 30 cycles",
       "dependent shared-memory loads"},
      {"l1.latency_cycles", 16, 80, false, "half to twice the published 32 to 40 cycles",
       "a pointer_chase that fits in L1"},
      {"crossbar.request_cycles", 30, 300, false, "a share of the published L2 latency of 212 to 280 cycles",
       "a pointer_chase that fits in the near L2 partition"},
      {"crossbar.response_cycles", 30, 300, false, "a share of the published L2 latency of 212 to 280 cycles",
       "a pointer_chase that fits in the near L2 partition"},
      {"crossbar.sm_read_bytes_per_cycle", 32, 256, false, "one sector to two lines a cycle",
       "one CTA that reads from L2 as fast as it can"},
      {"crossbar.gpc_read_bytes_per_cycle", 128, 2048, false, "one line a cycle to a line for each of 16 SMs",
       "reads that hit in L2 from all SMs"},
      {"request_coalescer.window_cycles", 0, 300, true, "no merging of neighbours, to more than a near hit takes",
       "SMs that read the same lines; L2 sectors read"},
      {"request_coalescer.spread_cycles", 0, 300, true, "a sharp end, to more than a near hit takes",
       "SMs that read the same lines some cycles apart; L2 sectors read"},
      {"l2.latency_cycles", 10, 250, false, "nothing to all of the published near latency",
       "pointer chases that hit in the near and in the far partition"},
      {"fabric.latency_cycles", 5, 250, false, "next door, to the whole published far latency less the near one",
       "a pointer_chase over more than the near L2 partition"},
      {"fabric.bytes_per_cycle", 200, 8000, false, "a tenth of to twice the bandwidth of L2",
       "reads from all SMs over more than one L2 partition holds"},
      {"hbm.latency_ns", 50, 400, false, "a DRAM access alone, to the published latencies with nothing else in them",
       "a pointer_chase over more than L2 holds"},
      {"hbm.row_cycle_ns", 20, 120, false, "half to three times the usual tRC of DRAM",
       "reads of many rows of few banks, more than L2 holds"},
      {"hbm.activate_ns", 0.2, 10, false, "a sixth of what the H200 shows, to the tRRD of DDR memory",
       "scattered reads of 64 bytes over much more than L2 holds"},
      {"hbm.refresh_ns", 0, 600, false, "no refresh, to 15 % of an interval of 3,900 ns",
       "reads of much more than L2 holds"},
      {"hbm.turnaround_ns", 0, 80, false, "none, to a row miss and its write recovery",
       "a copy of much more than L2 holds"},
      {"hbm.write_batch", 4, 512, false, "a line or two, to more than a channel's row",
       "copies and reads of much more than L2 holds"},
      {"launch.overhead_cycles", 200, 20000, false, "0.1 to 10 us at 2 GHz", "a very small kernel"},
      {"launch.cta_launch_cycles", 20, 4000, false, "a pipeline's depth, to 2 us", "many more CTAs than fit at once"},
      {"launch.cta_interval_cycles", 0.1, 50, false, "ten CTAs a cycle, to a CTA in 50 cycles",
       "many CTAs that do next to nothing"},
  };
  return all;
}

const FreeParameter* find_free_parameter(std::string_view key) {
  const auto& all = free_parameters();
  const auto found = std::find_if(all.begin(), all.end(), [&](const FreeParameter& p) { return p.key == key; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tilescope::calibrate
