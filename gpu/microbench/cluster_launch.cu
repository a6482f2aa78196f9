// Clusters of 1, 2, 4 and 8 CTAs: what launching them costs, where they land, and what their barrier costs.
//   launch: microseconds per launch of an empty kernel, 50 launches one behind the other.
//   barrier: cycles of arriving on the cluster's barrier and waiting, kBarriers in a row, by threads of a CTA;
//     order=release: with the fence that makes what was written before visible to the cluster.
//   Trace rows of cluster=C;ctas=N: row = CTA, index 0: SM, 1: start (globaltimer, ns), 2: its rank in the cluster.
#include <algorithm>

#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kBarriers = 64;
constexpr int kLaunches = 50;

__global__ void empty() {}

__global__ void place(long long* notes) {
#ifdef TILESCOPE_SM90A
  const long long start = globaltimer_now();
  const long long begin = clock64_now();
  while (clock64_now() - begin < 5000) {
  }
  long long* const mine = notes + 3 * blockIdx.x;
  mine[0] = sm_id();
  mine[1] = start;
  mine[2] = cluster_rank();
#endif
}

template <bool kRelease>
__global__ void barriers(int* cycles) {
#ifdef TILESCOPE_SM90A
  cluster_sync();
  for (int pass = 0; pass < 2; ++pass) {
    const unsigned start = clock_now();
#pragma unroll 1
    for (int i = 0; i < kBarriers; ++i) {
      if constexpr (kRelease) {
        cluster_sync();
      } else {
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
      }
    }
    cycles[blockIdx.x] = static_cast<int>(clock_now() - start);
  }
#endif
}

void measure_launch(Report& report, int cluster) {
  for (const int ctas : {cluster, 128, 1024, 8192}) {
    StopWatch watch;
    double ms = 0;
    for (int pass = 0; pass < 2; ++pass) {
      ms = watch.time_ms([&] {
        for (int i = 0; i < kLaunches; ++i) {
          launch_clusters(empty, ctas, cluster, 128, 0);
        }
      });
    }
    report.scalar("cluster_launch", "cluster=" + std::to_string(cluster) + ";ctas=" + std::to_string(ctas), "launch",
                  1e3 * ms / kLaunches, "us");
  }
}

void measure_places(Report& report, int cluster) {
  allow_shared_memory(place, kOneCtaPerSm);
  const int ctas = resident_ctas(place, cluster, 128, kOneCtaPerSm);
  const Recorder<long long> notes(3 * static_cast<std::size_t>(ctas));
  for (int pass = 0; pass < 2; ++pass) {
    launch_clusters(place, ctas, cluster, 128, kOneCtaPerSm, notes.device());
    finish("place");
  }
  const std::vector<long long> all = notes.host();
  const std::string the_case = "cluster=" + std::to_string(cluster) + ";ctas=" + std::to_string(ctas);
  long long first = all[1];
  for (int cta = 0; cta < ctas; ++cta) {
    first = std::min(first, all[3 * cta + 1]);
  }
  for (int cta = 0; cta < ctas; ++cta) {
    report.trace("cluster_launch", the_case, cta, 0, all[3 * cta]);
    report.trace("cluster_launch", the_case, cta, 1, all[3 * cta + 1] - first);
    report.trace("cluster_launch", the_case, cta, 2, all[3 * cta + 2]);
  }
  report.scalar("cluster_launch", "cluster=" + std::to_string(cluster), "resident_ctas", ctas, "");
}

template <bool kRelease>
void measure_barrier(Report& report, int cluster) {
  for (const int threads : {32, 128, 256, 512, 1024}) {
    for (const int ctas : {cluster, 64}) {
      const Recorder<int> cycles(ctas);
      launch_clusters(barriers<kRelease>, ctas, cluster, threads, 0, cycles.device());
      finish("barriers");
      std::vector<int> all = cycles.host();
      std::sort(all.begin(), all.end());
      report.scalar("cluster_launch",
                    "cluster=" + std::to_string(cluster) + ";ctas=" + std::to_string(ctas) +
                        ";threads=" + std::to_string(threads) + ";order=" + (kRelease ? "release" : "relaxed"),
                    "barrier", static_cast<double>(all[all.size() / 2]) / kBarriers, "cycle");
    }
  }
}

}  // namespace

void cluster_launch(Report& report) {
  if (!has_hopper("cluster_launch")) {
    return;
  }
  for (const int cluster : {1, 2, 4, 8}) {
    measure_launch(report, cluster);
    measure_places(report, cluster);
    measure_barrier<false>(report, cluster);
    measure_barrier<true>(report, cluster);
  }
}

}  // namespace tilescope::gpu
