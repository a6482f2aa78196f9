// What do SMs of one GPC get that read the same lines as fast as they can, and how many of their requests become one?
// The lines are in L2. 16 bytes a lane, past L1.
//   sms: of the largest GPC, the first ones by number (each two are a TPC), or, of=tpcs, the first of each TPC.
//   warps: of each SM; depth: loads that a warp has under way, of four lines each.
//   readers=all: every SM reads all lines in the same order; one: each tile is read by one warp, as many in all.
//   skew: cycles by which each SM in turn begins later than the one before. pace: cycles from one turn of a warp's
//   loads to the next, by the clock; 0: as soon as it has what it asked for. rate: bytes a cycle of all SMs, from the
//   first start to the last end. Trace rows: row = SM's rank, value = its end.
// For ncu --cache-control none: l1tex__m_xbar2l1tex_read_sectors and lts__t_sectors_srcunit_tex_op_read.
#include <algorithm>

#include "benchmarks.h"
#include "gpc_map.h"
#include "sm_set.cuh"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kTiles = 8192;  // of 512 bytes, 4 MiB in all

template <int kDepth>
__global__ void probe_followers(const uint4* data, const int* rank_of_sm, int readers, bool shared, int passes,
                                unsigned skew, int pace, int* here, unsigned long long* agreed, long long* span,
                                unsigned* sink) {
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  const int warps = static_cast<int>(blockDim.x) / 32, warp = static_cast<int>(threadIdx.x) / 32;
  __shared__ long long begin;
  if (threadIdx.x == 0) {
    begin = agreed_start(rank, readers, here, agreed);
  }
  __syncthreads();
  const long long start = begin + skew * rank;
  while (clock64_now() < start) {
  }
  long long next = start;
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    for (int tile = (shared ? warp : warp * readers + rank) * kDepth; tile < kTiles;
         tile += (shared ? warps : warps * readers) * kDepth) {
      if (pace > 0) {
        while (clock64_now() < next) {
        }
        next += pace;
      }
      uint4 v[kDepth];
#pragma unroll
      for (int i = 0; i < kDepth; ++i) {
        v[i] = load_past_l1(data + (tile + i) * 32 + threadIdx.x % 32);
      }
#pragma unroll
      for (int i = 0; i < kDepth; ++i) {
        sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span[2 * rank] = start;
    span[2 * rank + 1] = clock64_now();
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

}  // namespace

void counted_followers(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  const std::vector<int>& gpc = largest_gpc(gpcs);
  const Recorder<uint4> data(kTiles * 32);
  const Recorder<long long> span(2 * static_cast<std::size_t>(sm_count()));
  const Recorder<unsigned> sink(1);
  for (const auto kernel : {probe_followers<1>, probe_followers<4>}) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
          "cudaFuncSetAttribute");
  }
  const auto run = [&](const std::vector<int>& sms, const char* of, bool shared, int warps, int depth, unsigned skew,
                       int pace) {
    const SmSet set(sms);
    const Recorder<int> here(1);
    const Recorder<unsigned long long> agreed(1);
    const int n = set.size();
    const int passes = std::max(1, (shared ? 1 : n) * (warps * depth >= 64 ? 4 : 1));
    const std::string the_case = std::string("of=") + of + ";sms=" + std::to_string(n) +
                                 ";readers=" + (shared ? "all" : "one") + ";warps=" + std::to_string(warps) +
                                 ";depth=" + std::to_string(depth) + ";skew=" + std::to_string(skew) +
                                 ";pace=" + std::to_string(pace);
    (depth == 1 ? probe_followers<1> : probe_followers<4>)<<<sm_count(), 32 * warps, kOneCtaPerSm>>>(
        data.device(), set.ranks(), n, shared, passes, skew, pace, here.device(), agreed.device(), span.device(),
        sink.device());
    finish("probe_followers");
    report.launch("counted_followers", the_case);
    const std::vector<long long> when = span.host();
    long long begin = when[0], end = 0;
    for (int r = 0; r < n; ++r) {
      begin = std::min(begin, when[2 * r]);
      end = std::max(end, when[2 * r + 1]);
    }
    for (int r = 0; r < n; ++r) {
      report.trace("counted_followers", the_case, r, 0, when[2 * r + 1] - begin);
    }
    const double bytes = static_cast<double>(passes) * kTiles * 512 * (shared ? n : 1);
    report.scalar("counted_followers", the_case, "rate", bytes / static_cast<double>(end - begin), "B/cycle");
  };
  std::vector<int> all, tpcs;
  for (int i = 0; i < sm_count(); ++i) {
    all.push_back(i);
  }
  for (std::size_t i = 0; i < gpc.size(); i += 2) {
    tpcs.push_back(gpc[i]);
  }
  run(all, "gpu", true, 32, 4, 0, 0);  // brings the lines into both partitions
  const auto first = [](const std::vector<int>& sms, std::size_t n) {
    return std::vector<int>(sms.begin(), sms.begin() + static_cast<std::ptrdiff_t>(std::min(n, sms.size())));
  };
  for (const std::size_t n : {2, 4, 8, 18}) {  // bursts
    for (const int warps : {4, 8, 16, 24, 32}) {
      for (const unsigned skew : {0U, 20U}) {
        run(first(gpc, n), "gpc", true, warps, 4, skew, 3000);
      }
    }
  }
  for (const std::size_t n : {2, 4, 8, 12, 18}) {
    for (const int warps : {2, 8, 12, 16, 20, 24, 28, 32}) {
      for (const int depth : {1, 4}) {
        run(first(gpc, n), "gpc", true, warps, depth, 0, 0);
        if (n == 2 || n == 8) {
          run(first(tpcs, n), "tpcs", true, warps, depth, 0, 0);
        }
      }
      if (n == 2 || n == 18) {
        run(first(gpc, n), "gpc", true, warps, 4, 50, 0);
        run(first(gpc, n), "gpc", false, warps, 4, 0, 0);
      }
    }
  }
}

}  // namespace tilescope::gpu
