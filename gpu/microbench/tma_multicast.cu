// Bulk copies from L2 into the shared memory of every CTA of a cluster: each CTA fetches its share of a tile and sends
// it to all (copy=multicast), or each fetches the whole tile (copy=plain). kStages tiles are in flight; a stage is
// filled again when all CTAs of the cluster have seen it full. As many clusters as are resident run at once.
//   received_by_sm: bytes of tiles per cycle that reach the shared memory of an SM. latency: cycles of a round with one
//   stage: the copy, the wait for it and the cluster agreeing that the stage is empty.
#include <algorithm>

#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

[[maybe_unused]] constexpr int kMostStages = 4;
constexpr int kSharedBytes = 200 * 1024;
constexpr std::size_t kBytes = 16 << 20;

__global__ void warm(const char* data) {
  for (std::size_t i = 32 * (blockIdx.x * std::size_t{256} + threadIdx.x); i < kBytes; i += 32 * 256 * gridDim.x) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(data + i) : "memory");
  }
}

#ifdef TILESCOPE_SM90A
__device__ inline void bulk_multicast(unsigned shared, const void* global, unsigned bytes, unsigned barrier,
                                      unsigned short ctas) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
      "%4;" ::"r"(shared),
      "l"(global), "r"(bytes), "r"(barrier), "h"(ctas)
      : "memory");
}
#endif

__global__ void stream(const char* data, unsigned bytes, int stages, int rounds, int cluster, bool multicast,
                       int* cycles, int* failures) {
#ifdef TILESCOPE_SM90A
  __shared__ alignas(8) unsigned long long words[2 * kMostStages];
  const unsigned shared = aligned_shared();
  const unsigned full = shared_address(words);
  const unsigned empty = full + 8 * kMostStages;
  const unsigned rank = cluster_rank();
  for (int i = 0; i < stages; ++i) {
    mbarrier_init(full + 8 * i, 1);
    mbarrier_init(empty + 8 * i, cluster);
    mbarrier_arrive_expect(full + 8 * i, bytes);
  }
  mbarrier_publish();
  cluster_sync();  // every CTA expects the first tiles
  const unsigned share = multicast ? bytes / cluster : bytes;
  const unsigned mine = multicast ? rank * share : 0;
  unsigned offset = blockIdx.x / cluster * 131072U % kBytes;
  const auto issue = [&](int stage) {
    const unsigned to = shared + stage * bytes + mine;
    if (multicast) {
      bulk_multicast(to, data + offset + mine, share, full + 8 * stage,
                     static_cast<unsigned short>((1 << cluster) - 1));
    } else {
      bulk_load(to, data + offset, bytes, full + 8 * stage);
    }
    offset = (offset + bytes) % kBytes;
  };
  const unsigned start = clock_now();
  for (int i = 0; i < stages; ++i) {
    issue(i);
  }
  int stage = 0;
  unsigned parity = 0;
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    if (!mbarrier_wait(full + 8 * stage, parity, failures)) {
      break;  // on to the cluster's barrier, where the others wait
    }
    if (i + stages < rounds) {
      mbarrier_arrive_expect(full + 8 * stage, bytes);
      for (int peer = 0; peer < cluster; ++peer) {
        mbarrier_arrive_cluster(cluster_address(empty + 8 * stage, peer));
      }
      if (!mbarrier_wait(empty + 8 * stage, parity, failures)) {
        break;
      }
      issue(stage);
    }
    stage = stage + 1 == stages ? 0 : stage + 1;
    parity ^= stage == 0 ? 1 : 0;
  }
  cycles[blockIdx.x] = static_cast<int>(clock_now() - start);
  cluster_sync();  // no CTA ends while another one writes to it
#endif
}

void measure(Report& report, const Recorder<char>& data, int cluster, unsigned bytes, int stages, bool multicast) {
  const int ctas = resident_ctas(stream, cluster, 1, kSharedBytes);
  const int rounds = static_cast<int>((2 << 20) / bytes);
  const Recorder<int> cycles(ctas);
  const Failures failures;
  for (int pass = 0; pass < 2; ++pass) {
    warm<<<256, 256>>>(data.device());
    launch_clusters(stream, ctas, cluster, 1, kSharedBytes, data.device(), bytes, stages, rounds, cluster, multicast,
                    cycles.device(), failures.device());
    failures.finish("stream");
  }
  const std::vector<int> all = cycles.host();
  const double longest = *std::max_element(all.begin(), all.end());
  const std::string the_case = "cluster=" + std::to_string(cluster) + ";copy=" + (multicast ? "multicast" : "plain") +
                               ";bytes=" + std::to_string(bytes) + ";stages=" + std::to_string(stages);
  report.scalar("tma_multicast", the_case, "received_by_sm", static_cast<double>(rounds) * bytes / longest, "B/cycle");
  report.scalar("tma_multicast", the_case, "ctas", ctas, "");
  if (stages == 1) {
    report.scalar("tma_multicast", the_case, "latency", longest / rounds, "cycle");
  }
}

}  // namespace

void tma_multicast(Report& report) {
  if (!has_hopper("tma_multicast")) {
    return;
  }
  const Recorder<char> data(kBytes);
  allow_shared_memory(stream, kSharedBytes);
  for (const int cluster : {1, 2, 4, 8}) {
    for (const unsigned bytes : {2048, 8192, 16384, 32768}) {
      for (const int stages : {1, 2, 4}) {
        measure(report, data, cluster, bytes, stages, false);
        if (cluster > 1) {
          measure(report, data, cluster, bytes, stages, true);
        }
      }
    }
  }
}

}  // namespace tilescope::gpu
