// How much of what SMs read together comes from L2 once for several of them, when nobody keeps them in step:
// readers=all, every SM reads every line of `mib` MiB that L2 holds, `passes` times; readers=one, each line has one
// reader. of=gpc: `sms` SMs of the largest GPC; of=tpc: one of each of its pairs; of=gpu: all SMs.
// For ncu --cache-control none: the first launch brings the lines into L2.
// l1tex__m_xbar2l1tex_read_sectors counts what the SMs get, lts__t_sectors_srcunit_tex_op_read what L2 is asked for.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "gpc_map.h"

namespace tilescope::gpu {
namespace {

constexpr int kThreads = 1024;
constexpr int kUnroll = 4;
constexpr int kTile = 32 * kUnroll;  // elements of 16 bytes: 2 KiB for a warp
constexpr int kMostMib = 16;
constexpr std::size_t kMib = 1 << 20;

__device__ uint4 load(const uint4* address) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(address));
  return v;
}

__global__ void __launch_bounds__(kThreads) probe_shared(const uint4* data, int tiles, int passes, bool shared,
                                                         const int* rank_of_sm, int readers, unsigned* sink) {
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  const int warp = threadIdx.x / 32;
  const int first = shared ? warp : warp * readers + rank;
  const int step = shared ? kThreads / 32 : kThreads / 32 * readers;
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    for (int tile = first; tile < tiles; tile += step) {
      const uint4* const from = data + static_cast<std::size_t>(tile) * kTile + threadIdx.x % 32;
      uint4 v[kUnroll];
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        v[i] = load(from + i * 32);
      }
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
      }
    }
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

}  // namespace

void counted_shared(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  const std::vector<int>& gpc =
      *std::max_element(gpcs.begin(), gpcs.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const Recorder<uint4> data(kMostMib * kMib / sizeof(uint4));
  const Recorder<unsigned> sink(1);
  check(cudaFuncSetAttribute(probe_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const auto count = [&](const std::vector<int>& sms, bool shared, const char* of, int mib) {
    std::vector<int> ranks(sm_count(), -1);
    for (std::size_t i = 0; i < sms.size(); ++i) {
      ranks[sms[i]] = static_cast<int>(i);
    }
    const Recorder<int> rank_of_sm(ranks.size());
    check(cudaMemcpy(rank_of_sm.device(), ranks.data(), ranks.size() * sizeof(int), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    const int passes = mib >= kMostMib ? 4 : 16;
    probe_shared<<<sm_count(), kThreads, kOneCtaPerSm>>>(
        data.device(), static_cast<int>(mib * kMib / (kTile * sizeof(uint4))), passes, shared, rank_of_sm.device(),
        static_cast<int>(sms.size()), sink.device());
    finish("probe_shared");
    report.launch("counted_shared", std::string("of=") + of + ";sms=" + std::to_string(sms.size()) +
                                        ";readers=" + (shared ? "all" : "one") + ";mib=" + std::to_string(mib) +
                                        ";passes=" + std::to_string(passes));
  };
  count(gpc, false, "gpc", kMostMib);
  for (const int sms : {1, 2, 4, 6, 8, 10, 12, 14, 16, 18}) {
    if (sms <= static_cast<int>(gpc.size())) {
      const std::vector<int> some(gpc.begin(), gpc.begin() + sms);
      count(some, true, "gpc", kMostMib);
      count(some, false, "gpc", kMostMib);
    }
  }
  std::vector<int> pairs;
  for (std::size_t i = 0; i < gpc.size(); i += 2) {
    pairs.push_back(gpc[i]);
  }
  count(pairs, true, "tpc", kMostMib);
  std::vector<int> all;
  for (int i = 0; i < sm_count(); ++i) {
    all.push_back(i);
  }
  for (const int mib : {1, 2, 8, kMostMib}) {
    count(all, true, "gpu", mib);
    count(all, false, "gpu", mib);
  }
}

}  // namespace tilescope::gpu
