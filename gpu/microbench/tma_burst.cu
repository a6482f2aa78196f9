// How a burst of tensor copies that begins a tiled product comes in. The thread of a CTA asks at once for the first
// stages of its tile, each 128 rows of 128 bytes of A and as many of B, and then waits for one stage after the other.
// All CTAs begin together.
//   data: cold, L2 has other lines, clean; dirty, the same, written; resident, the CTAs have read them.
//   ctas: one to an SM. tiles: own, each CTA has rows of its own; shared, as of a product 18 tiles high, columns of
//   tiles first. stages: asked for.
//   cluster: each CTA asks for its share of a stage's rows, for all CTAs of its cluster, which have the same tile.
//   stage0, stage1, ...: cycles until a stage is there; asked: until all are asked for. Means of the CTAs and of
//   kLaunches launches (three of the H200 in gpu/measured).
#include <string>

#include "../common/tensor_map.h"
#include "benchmarks.h"
#include "hopper.cuh"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kMostStages = 6;
constexpr int kRows = 128;
constexpr int kBoxBytes = kRows * 128;
constexpr int kSharedBytes = 2 * kMostStages * kBoxBytes + 1024;
constexpr int kPitch = 1280;  // bytes
[[maybe_unused]] constexpr int kTilesHigh = 18;
constexpr int kLaunches = 8;
constexpr std::size_t kOtherBytes = 256U << 20U;

struct Arrivals {
  unsigned asked, stage[kMostStages];
};

__global__ void burst(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
                      const char* a, const char* b, bool shared_tiles, int stages, bool resident, Arrivals* arrivals,
                      unsigned* sink) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long barriers[kMostStages];
  const unsigned shared = aligned_shared();
  const auto barrier = [&](int stage) { return shared_address(barriers + stage); };
  const int tile = static_cast<int>(blockIdx.x);
  const int a_row = (shared_tiles ? tile % kTilesHigh : tile) * kRows;
  const int b_row = (shared_tiles ? tile / kTilesHigh : tile) * kRows;
  if (resident) {
    unsigned sum = 0;
    for (int i = 0; i < kRows * stages; ++i) {
      for (const char* row :
           {a + std::size_t{kPitch} * (a_row + i % kRows), b + std::size_t{kPitch} * (b_row + i % kRows)}) {
        sum ^= load_word_past_l1(row + i / kRows * 128 + threadIdx.x * 4);
      }
    }
    if (sum == 0x12345678U) {
      *sink = sum;
    }
  }
  __syncwarp();
  if (threadIdx.x != 0) {
    return;
  }
  for (int stage = 0; stage < stages; ++stage) {
    mbarrier_init(barrier(stage), 1);
  }
  mbarrier_publish();
  const long long begin = ((globaltimer_now() >> 16) + 2) << 16;
  while (globaltimer_now() < begin) {
  }
  const unsigned start = clock_now(shared);
  for (int stage = 0; stage < stages; ++stage) {
    mbarrier_arrive_expect(barrier(stage), 2 * kBoxBytes);
    const auto ask = [&](const CUtensorMap& map, int row, int half) {
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
          "[%4];" ::"r"(shared + (2 * stage + half) * kBoxBytes),
          "l"(&map), "r"(stage * 64), "r"(row), "r"(barrier(stage))
          : "memory");
    };
    ask(a_map, a_row, 0);
    ask(b_map, b_row, 1);
  }
  Arrivals& mine = arrivals[blockIdx.x];
  mine.asked = clock_now(shared) - start;
  for (int stage = 0; stage < stages; ++stage) {
    while (!mbarrier_try_wait(barrier(stage), 0)) {
    }
    mine.stage[stage] = clock_now(shared) - start;
  }
#endif
}

// The same for the clusters' own tiles. Lines are in L2 where the launch before has read them and nothing else.
__global__ void burst_to_cluster(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
                                 int cluster, int stages, Arrivals* arrivals) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long barriers[kMostStages];
  const unsigned shared = aligned_shared();
  const auto barrier = [&](int stage) { return shared_address(barriers + stage); };
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < stages; ++stage) {
      mbarrier_init(barrier(stage), 1);
      mbarrier_arrive_expect(barrier(stage), 2 * kBoxBytes);
    }
    mbarrier_publish();
  }
  cluster_sync();
  if (threadIdx.x == 0) {
    const long long begin = ((globaltimer_now() >> 16) + 2) << 16;
    while (globaltimer_now() < begin) {
    }
    const int rank = static_cast<int>(cluster_rank()), rows = kRows / cluster;
    const int row = static_cast<int>(blockIdx.x) / cluster * kRows + rank * rows;
    const auto all = static_cast<unsigned short>((1 << cluster) - 1);
    const unsigned start = clock_now(shared);
    for (int stage = 0; stage < stages; ++stage) {
      const auto ask = [&](const CUtensorMap& map, int half) {
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
            "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared + (2 * stage + half) * kBoxBytes + rank * rows * 128),
            "l"(&map), "r"(stage * 64), "r"(row), "r"(barrier(stage)), "h"(all)
            : "memory");
      };
      ask(a_map, 0);
      ask(b_map, 1);
    }
    Arrivals& mine = arrivals[blockIdx.x];
    mine.asked = clock_now(shared) - start;
    for (int stage = 0; stage < stages; ++stage) {
      while (!mbarrier_try_wait(barrier(stage), 0)) {
      }
      mine.stage[stage] = clock_now(shared) - start;
    }
  }
  __syncwarp();
  cluster_sync();
#endif
}

// launch(arrivals, n) is the n-th launch; the first brings the code and does not count.
template <class Launch>
void report_means(Report& report, const std::string& the_case, int ctas, int stages, Launch&& launch) {
  double asked = 0;
  double there[kMostStages] = {};
  const Recorder<Arrivals> arrivals(ctas);
  for (int n = 0; n <= kLaunches; ++n) {
    launch(arrivals, n);
    finish("tma_burst");
    for (const Arrivals& one : arrivals.host()) {
      const double weight = n == 0 ? 0 : 1.0 / (ctas * kLaunches);
      asked += one.asked * weight;
      for (int stage = 0; stage < stages; ++stage) {
        there[stage] += one.stage[stage] * weight;
      }
    }
  }
  report.scalar("tma_burst", the_case, "asked", asked, "cycle");
  for (int stage = 0; stage < stages; ++stage) {
    report.scalar("tma_burst", the_case, ("stage" + std::to_string(stage)).c_str(), there[stage], "cycle");
  }
}

void to_clusters(Report& report, const Recorder<char>& a, const Recorder<char>& b) {
  allow_shared_memory(burst_to_cluster, kSharedBytes);
  for (const int cluster : {1, 2, 4, 8}) {
    const CUtensorMap a_map = matrix_map(a.device(), sm_count() * kRows, kPitch / 2, kRows / cluster, 64, 128);
    const CUtensorMap b_map = matrix_map(b.device(), sm_count() * kRows, kPitch / 2, kRows / cluster, 64, 128);
    for (const char* data : {"cold", "resident"}) {
      for (const int ctas : {cluster, 96}) {
        for (const int stages : {1, 2, 4, kMostStages}) {
          const std::string the_case = std::string("data=") + data + ";ctas=" + std::to_string(ctas) +
                                       ";cluster=" + std::to_string(cluster) + ";stages=" + std::to_string(stages);
          report_means(report, the_case, ctas, stages, [&](const Recorder<Arrivals>& arrivals, int) {
            if (data[0] == 'c') {
              flush_l2();
            }
            launch_clusters(burst_to_cluster, ctas, cluster, 32, kSharedBytes, a_map, b_map, cluster, stages,
                            arrivals.device());
          });
        }
      }
    }
  }
}

}  // namespace

void tma_burst(Report& report) {
  if (!has_hopper("tma_burst")) {
    return;
  }
  const int sms = sm_count();
  const Recorder<char> a(std::size_t{kPitch} * kRows * sms);
  const Recorder<char> b(std::size_t{kPitch} * kRows * sms);
  const Recorder<char> other(kOtherBytes);
  const Recorder<unsigned> sink(1);
  const CUtensorMap a_map = matrix_map(a.device(), sms * kRows, kPitch / 2, kRows, 64, 128);
  const CUtensorMap b_map = matrix_map(b.device(), sms * kRows, kPitch / 2, kRows, 64, 128);
  allow_shared_memory(burst, kSharedBytes);
  for (const char* data : {"cold", "dirty", "resident"}) {
    for (const int ctas : {1, sms / 4, sms}) {
      for (const bool shared_tiles : {false, true}) {
        for (const int stages : {1, 2, 4, kMostStages}) {
          const std::string the_case = std::string("data=") + data + ";ctas=" + std::to_string(ctas) +
                                       ";tiles=" + (shared_tiles ? "shared" : "own") +
                                       ";stages=" + std::to_string(stages);
          report_means(report, the_case, ctas, stages, [&](const Recorder<Arrivals>& arrivals, int n) {
            flush_l2();
            if (data[0] == 'd') {
              check(cudaMemset(other.device(), n, kOtherBytes), "cudaMemset");
            }
            burst<<<ctas, 32, kSharedBytes>>>(a_map, b_map, a.device(), b.device(), shared_tiles, stages,
                                              data[0] == 'r', arrivals.device(), sink.device());
          });
        }
      }
    }
  }
  to_clusters(report, a, b);
}

}  // namespace tilescope::gpu
