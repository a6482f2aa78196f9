// tilescope-microbench OUT_PREFIX [NAME...]: runs the microbenchmarks (all, or those named) and writes OUT_PREFIX.csv,
// OUT_PREFIX.traces.csv and OUT_PREFIX.yaml.
// The counted_* ones only mean something under a profiler that counts the kernels named probe_*.
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
    {"arithmetic", arithmetic},
    {"barrier", barrier},
    {"throughput_shared", throughput_shared},
    {"throughput_global", throughput_global},
    {"issue_queue", issue_queue},
    {"succession", succession},
    {"scheduler", scheduler},
    {"bandwidth", bandwidth},
    {"loaded_latency", loaded_latency},
    {"hbm_latency", hbm_latency},
    {"tile_burst", tile_burst},
    {"mixed_issue", mixed_issue},
    {"register_banks", register_banks},
    {"dispatch_port", dispatch_port},
    {"cta_launch", cta_launch},
    {"latency_atomic", latency_atomic},
    {"throughput_atomic", throughput_atomic},
    {"throughput_shared_atomic", throughput_shared_atomic},
    {"fences", fences},
    {"local_memory", local_memory},
    {"counted_empty", counted_empty},
    {"counted_coalescer", counted_coalescer},
    {"counted_bursts", counted_bursts},
    {"counted_l2_capacity", counted_l2_capacity},
    {"counted_strided", counted_strided},
    {"counted_stores", counted_stores},
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
    for (const Benchmark& benchmark : chosen) {
      std::fprintf(stderr, "%s\n", benchmark.name);
      benchmark.run(report);
    }
    write_yaml_fragment(report, std::string(argv[1]) + ".yaml");
    return 0;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "tilescope-microbench: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tilescope-microbench: %s\n", error.what());
    return 1;
  }
}
