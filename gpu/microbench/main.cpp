// tilescope-microbench OUT_PREFIX [NAME...]: runs the microbenchmarks (all, or those named) and writes OUT_PREFIX.csv,
// OUT_PREFIX.traces.csv and OUT_PREFIX.yaml.
// The counted_* ones only mean something under a profiler that counts the kernels named probe_*.
#include <cuda_runtime.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

#include "benchmarks.h"
#include "yaml_fragment.h"

namespace {

using namespace tilescope::gpu;

struct Benchmark {
  const char* name;
  void (*run)(Report&);
};

const Benchmark kBenchmarks[] = {
    {"sm_clock", sm_clock},
    {"latency_global", latency_global},
    {"latency_l2_by_sm", latency_l2_by_sm},
    {"l2_home", l2_home},
    {"latency_l1", latency_l1},
    {"l1_room", l1_room},
    {"arithmetic", arithmetic},
    {"barrier", barrier},
    {"throughput_shared", throughput_shared},
    {"throughput_global", throughput_global},
    {"issue_queue", issue_queue},
    {"succession", succession},
    {"scheduler", scheduler},
    {"bandwidth", bandwidth},
    {"loaded_latency", loaded_latency},
    {"read_waits", read_waits},
    {"far_waits", far_waits},
    {"copy_waits", copy_waits},
    {"waits_beside", waits_beside},
    {"hbm_latency", hbm_latency},
    {"tile_burst", tile_burst},
    {"step_drift", step_drift},
    {"wave_starts", wave_starts},
    {"cta_placement", cta_placement},
    {"mixed_issue", mixed_issue},
    {"register_banks", register_banks},
    {"dispatch_port", dispatch_port},
    {"constant_cache", constant_cache},
    {"special_rate", special_rate},
    {"constant_rate", constant_rate},
    {"issue_depth", issue_depth},
    {"code_loop", code_loop},
    {"code_jumps", code_jumps},
    {"code_warps", code_warps},
    {"cta_start", cta_start},
    {"cta_chain", cta_chain},
    {"cold_burst", cold_burst},
    {"counted_span", counted_span},
    {"behind", behind},
    {"cta_launch", cta_launch},
    {"cta_turn", cta_turn},
    {"latency_atomic", latency_atomic},
    {"throughput_atomic", throughput_atomic},
    {"throughput_shared_atomic", throughput_shared_atomic},
    {"fences", fences},
    {"local_memory", local_memory},
    {"spills", spills},
    {"tensor", tensor},
    {"wgmma", wgmma},
    {"wgmma_shared", wgmma_shared},
    {"wgmma_copies", wgmma_copies},
    {"tensor_clock", tensor_clock},
    {"async_copy", async_copy},
    {"ldmatrix", ldmatrix},
    {"tma_bulk", tma_bulk},
    {"tma_tensor", tma_tensor},
    {"tma_cold", tma_cold},
    {"tma_first", tma_first},
    {"tma_burst", tma_burst},
    {"main_loop", main_loop},
    {"async_fence", async_fence},
    {"tma_store", tma_store},
    {"tma_multicast", tma_multicast},
    {"mbarrier", mbarrier},
    {"cluster_launch", cluster_launch},
    {"cluster_shared", cluster_shared},
    {"fills", fills},
    {"turns", turns},
    {"load_depth", load_depth},
    {"tile_steps", tile_steps},
    {"hit_behind_miss", hit_behind_miss},
    {"beside", beside},
    {"l1_sets", l1_sets},
    {"l1_hash", l1_hash},
    {"l1_policy", l1_policy},
    {"l1_touch", l1_touch},
    {"load_steps", load_steps},
    {"dispatch_mix", dispatch_mix},
    {"uniform_rate", uniform_rate},
    {"read_release", read_release},
    {"short_loop", short_loop},
    {"pipe_pairs", pipe_pairs},
    {"tile_store", tile_store},
    {"tile_turns", tile_turns},
    {"store_and_load", store_and_load},
    {"copies_and_stores", copies_and_stores},
    {"store_burst", store_burst},
    {"load_rate", load_rate},
    {"line_rate", line_rate},
    {"latency_by_slice", latency_by_slice},
    {"l2_replacement", l2_replacement},
    {"l2_sets", l2_sets},
    {"l2_shares", l2_shares},
    {"port_waits", port_waits},
    {"counted_tile_bursts", counted_tile_bursts},
    {"home_rates", home_rates},
    {"load_curve", load_curve},
    {"pass_times", pass_times},
    {"line_waits", line_waits},
    {"slice_shares", slice_shares},
    {"fills_beside_reads", fills_beside_reads},
    {"counted_empty", counted_empty},
    {"counted_coalescer", counted_coalescer},
    {"counted_bursts", counted_bursts},
    {"counted_joined", counted_joined},
    {"counted_l2_capacity", counted_l2_capacity},
    {"counted_strided", counted_strided},
    {"counted_strided_stores", counted_strided_stores},
    {"counted_stores", counted_stores},
    {"counted_store_joins", counted_store_joins},
    {"counted_partial", counted_partial},
    {"counted_parts", counted_parts},
    {"counted_crowd", counted_crowd},
    {"counted_waits", counted_waits},
    {"counted_pairs", counted_pairs},
    {"counted_halves", counted_halves},
    {"counted_merges", counted_merges},
    {"counted_leaving", counted_leaving},
    {"counted_stays", counted_stays},
    {"counted_turnover", counted_turnover},
    {"counted_passes", counted_passes},
    {"counted_streams", counted_streams},
    {"counted_shared", counted_shared},
    {"counted_slices", counted_slices},
    {"counted_steps", counted_steps},
    {"counted_followers", counted_followers},
    {"counted_copies", counted_copies},
    {"counted_copy_maps", counted_copy_maps},
    {"counted_padded", counted_padded},
    {"counted_split", counted_split},
};

const Benchmark& find(const std::string& name) {
  for (const Benchmark& benchmark : kBenchmarks) {
    if (name == benchmark.name) {
      return benchmark;
    }
  }
  std::string names;
  for (const Benchmark& benchmark : kBenchmarks) {
    names += std::string(" ") + benchmark.name;
  }
  throw std::invalid_argument(name + ": no such microbenchmark; there are" + names);
}

// One that fails does not keep the next from running, unless it leaves a context in which nothing runs any more.
bool run_each(const std::vector<Benchmark>& chosen, Report& report) {
  bool all_ran = true;
  for (const Benchmark& benchmark : chosen) {
    std::fprintf(stderr, "%s\n", benchmark.name);
    try {
      benchmark.run(report);
    } catch (const std::runtime_error& error) {
      all_ran = false;
      std::fprintf(stderr, "tilescope-microbench: %s: %s\n", benchmark.name, error.what());
      cudaGetLastError();
      if (cudaDeviceSynchronize() != cudaSuccess) {
        std::fprintf(stderr, "tilescope-microbench: those behind %s cannot run in this process\n", benchmark.name);
        break;
      }
    }
  }
  return all_ran;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) {
      throw std::invalid_argument("usage: tilescope-microbench OUT_PREFIX [NAME...]");
    }
    std::vector<Benchmark> chosen;
    for (int i = 2; i < argc; ++i) {
      chosen.push_back(find(argv[i]));
    }
    if (chosen.empty()) {
      chosen.assign(std::begin(kBenchmarks), std::end(kBenchmarks));
    }
    Report report(argv[1]);
    const bool all_ran = run_each(chosen, report);
    write_yaml_fragment(report, std::string(argv[1]) + ".yaml");
    return all_ran ? 0 : 1;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "tilescope-microbench: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tilescope-microbench: %s\n", error.what());
    return 1;
  }
}
