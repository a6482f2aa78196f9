// When does each SM begin its first CTA of a launch? Every CTA notes the time as soon as it runs; an SM's start is that
// of its first one, less that of the first in the whole launch. The timer moves in steps of 32 ns; means of many
// launches are finer, as launches begin anywhere between two steps.
//   ctas: of 128 threads, with all the shared memory of an SM where they come in clusters. cluster: of so many. spread:
//   standard deviation over the SMs. last: of the latest SM, whose mean that is.
// Traces: row is the SM's place in its GPC, plus 100 times the number of the GPC; of clusters, the cluster; value the
// mean start in picoseconds.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "gpc_map.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kLaunches = 96;

struct Note {
  int sm;
  long long start;
};

__global__ void probe_cta_start(Note* notes) {
  const long long start = globaltimer_now();
  if (threadIdx.x == 0) {
    notes[blockIdx.x] = {sm_id(), start};
  }
  const long long until = clock64_now() + 3000;  // no CTA ends before the last has begun
  while (clock64_now() < until) {
  }
}

// Clusters of `size`, as many as there may be at once, one CTA to an SM.
void clusters(Report& report, int size, int ctas) {
  check(cudaFuncSetAttribute(probe_cta_start, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const Recorder<Note> notes(static_cast<std::size_t>(ctas));
  std::vector<double> sums(static_cast<std::size_t>(ctas / size));
  double last = 0, within = 0;
  for (int launch = 0; launch <= kLaunches; ++launch) {
    flush_l2();
    launch_clusters(probe_cta_start, ctas, size, 128, kOneCtaPerSm, notes.device());
    finish("probe_cta_start");
    if (launch == 0) {
      continue;
    }
    const std::vector<Note> all = notes.host();
    long long begin = all[0].start, end = all[0].start;
    for (const Note& note : all) {
      begin = std::min(begin, note.start), end = std::max(end, note.start);
    }
    last += static_cast<double>(end - begin) / kLaunches;
    for (std::size_t cluster = 0; cluster < sums.size(); ++cluster) {
      long long first = all[cluster * size].start, latest = first;
      for (int rank = 0; rank < size; ++rank) {
        first = std::min(first, all[cluster * size + rank].start);
        latest = std::max(latest, all[cluster * size + rank].start);
      }
      sums[cluster] += static_cast<double>(first - begin) / kLaunches;
      within += static_cast<double>(latest - first) / kLaunches / static_cast<double>(sums.size());
    }
  }
  const std::string the_case = "cluster=" + std::to_string(size) + ";ctas=" + std::to_string(ctas);
  report.scalar("cta_start", the_case, "last", last, "ns");
  report.scalar("cta_start", the_case, "within_cluster", within, "ns");
  for (std::size_t cluster = 0; cluster < sums.size(); ++cluster) {
    report.trace("cta_start", the_case, static_cast<int>(cluster), 0, std::llround(1000 * sums[cluster]));
  }
}

}  // namespace

void cta_start(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  for (const int each : {1, 4, 12}) {
    const int ctas = each * sm_count();
    const Recorder<Note> notes(static_cast<std::size_t>(ctas));
    std::vector<double> sums(static_cast<std::size_t>(sm_count()));
    for (int launch = 0; launch <= kLaunches; ++launch) {
      flush_l2();
      probe_cta_start<<<ctas, 128>>>(notes.device());
      finish("probe_cta_start");
      if (launch == 0) {
        continue;  // brings the code
      }
      std::map<int, long long> first;
      long long begin = 0;
      for (const Note& note : notes.host()) {
        const auto [at, is_new] = first.emplace(note.sm, note.start);
        at->second = std::min(at->second, note.start);
        begin = begin == 0 ? note.start : std::min(begin, note.start);
      }
      for (const auto& [sm, start] : first) {
        sums[static_cast<std::size_t>(sm)] += static_cast<double>(start - begin) / kLaunches;
      }
    }
    double mean = 0, squares = 0, last = 0;
    for (const double one : sums) {
      mean += one / sm_count(), squares += one * one / sm_count(), last = std::max(last, one);
    }
    const std::string the_case = "ctas=" + std::to_string(ctas);
    report.scalar("cta_start", the_case, "spread", std::sqrt(squares - mean * mean), "ns");
    report.scalar("cta_start", the_case, "last", last, "ns");
    for (std::size_t gpc = 0; gpc < gpcs.size(); ++gpc) {
      for (std::size_t place = 0; place < gpcs[gpc].size(); ++place) {
        report.trace("cta_start", the_case, static_cast<int>(gpc * 100 + place), 0,
                     std::llround(1000 * sums[static_cast<std::size_t>(gpcs[gpc][place])]));
      }
    }
  }
  clusters(report, 2, 128);
  clusters(report, 4, 96);
  clusters(report, 8, 96);
  clusters(report, 8, 120);
}

}  // namespace tilescope::gpu
