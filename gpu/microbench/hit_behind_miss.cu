// Whether a load whose line is in L1 waits for loads before it whose lines are not: one warp asks for lines that are in
// L2, and some cycles later another (or the same) asks for lines that are in L1.
//   latency: from the issue of the first hit to when the last has its data; miss_latency: of the loads that miss.
// misses: loads before it, each of `miss_lines` lines that are in L2 (0: they are in L1 too); hits: loads that hit, of
// `hit_lines` lines each; warp: of the hits: same, same_sub (of the same sub-partition), other_sub; delay: cycles
// between the two.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kMost = 8;        // loads of each kind
constexpr int kLineWords = 32;  // of 4 bytes
constexpr int kMissWords = 64 << 10;

// When `v` is there. The exit, which never happens, keeps the clock behind it.
__device__ inline unsigned clock_after(unsigned v) {
  unsigned t;
  asm volatile("{.reg .pred p; setp.eq.u32 p, %1, 305419896; @p exit; mov.u32 %0, %%clock;}"
               : "=r"(t)
               : "r"(v)
               : "memory");
  return t;
}
__device__ inline unsigned load(const unsigned* from) {
  unsigned v;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
  return v;
}
template <int kCount>
__device__ inline unsigned loads(const unsigned* from, int stride) {
  unsigned v[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    v[i] = load(from + i * stride);
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    sum |= v[i];
  }
  return sum;
}
__device__ inline void wait_until(unsigned begin, unsigned cycles) {
  while (clock_now(begin | 1U) - begin < cycles) {
  }
}

template <int kMisses, int kHits>
__global__ void __launch_bounds__(256)
    probe_hit_behind_miss(const unsigned* data, int miss_lines, int hit_lines, int of_hits, int delay, int sm,
                          int* claims, unsigned* cycles) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned* const hit = data + lane % hit_lines * kLineWords;
  const int spread = miss_lines > 0 ? lane % miss_lines * kLineWords : 0;
  const unsigned* const cold = data + kMost * kMost * kLineWords;
  unsigned sum = 0;
  for (int pass = 0; pass < 4; ++pass) {  // lines of each pass are new to L1, and in L2 since the launch before
    const unsigned* const miss = miss_lines > 0 ? cold + pass * kMissWords + spread : hit;
    const int stride = miss_lines > 0 ? 32 * kLineWords : hit_lines * kLineWords;
    __syncthreads();
    sum |= loads<kHits>(hit, hit_lines * kLineWords);
    __syncthreads();
    const unsigned begin = clock_now(sum & 1U);
    if (warp == 0) {
      wait_until(begin, 400);
      const unsigned start = clock_now(begin | 1U);
      unsigned v[kMisses + 1] = {};
#pragma unroll
      for (int i = 0; i < kMisses; ++i) {
        v[i] = load(miss + i * stride);
      }
      if (of_hits == 0) {
        const unsigned hits = loads<kHits>(hit, hit_lines * kLineWords);
        const unsigned there = clock_after(hits);
        cycles[0] = there - start;
        sum |= hits;
      }
#pragma unroll
      for (int i = 0; i < kMisses; ++i) {
        sum |= v[i];
      }
      cycles[1] = clock_after(sum) - start;
    } else if (warp == of_hits) {
      wait_until(begin, 400 + delay);
      const unsigned start = clock_now(begin | 1U);
      const unsigned hits = loads<kHits>(hit, hit_lines * kLineWords);
      cycles[0] = clock_after(hits) - start;
      sum |= hits;
    }
  }
  cycles[2] = sum;
}

template <int kMisses, int kHits>
void measure(Report& report, const Recorder<unsigned>& data, int miss_lines, int hit_lines, int of_hits, int delay) {
  Recorder<int> claims(1);
  Recorder<unsigned> cycles(3);
  unsigned least = ~0U, least_miss = ~0U;
  for (int repeat = 0; repeat < 4; ++repeat) {
    claims.clear();
    probe_hit_behind_miss<kMisses, kHits><<<8 * sm_count(), 256>>>(data.device(), miss_lines, hit_lines, of_hits, delay,
                                                                   0, claims.device(), cycles.device());
    finish("hit_behind_miss");
    if (repeat > 0) {
      least = std::min(least, cycles.host()[0]);
      least_miss = std::min(least_miss, cycles.host()[1]);
    }
  }
  const char* const warp = of_hits == 0 ? "same" : of_hits == 4 ? "same_sub" : "other_sub";
  const std::string the_case = "misses=" + std::to_string(kMisses) + ";miss_lines=" + std::to_string(miss_lines) +
                               ";hits=" + std::to_string(kHits) + ";hit_lines=" + std::to_string(hit_lines) +
                               ";warp=" + warp + ";delay=" + std::to_string(delay);
  report.scalar("hit_behind_miss", the_case, "latency", least, "cycle");
  report.scalar("hit_behind_miss", the_case, "miss_latency", least_miss, "cycle");
}

template <int kMisses, int kHits>
void measure_all(Report& report, const Recorder<unsigned>& data) {
  for (const int miss_lines : {0, 1, 8, 32}) {
    for (const int hit_lines : {1, 4}) {
      measure<kMisses, kHits>(report, data, miss_lines, hit_lines, 0, 0);
      for (const int of_hits : {4, 1}) {
        for (const int delay : {40, 100}) {
          measure<kMisses, kHits>(report, data, miss_lines, hit_lines, of_hits, delay);
        }
      }
    }
  }
}

}  // namespace

void hit_behind_miss(Report& report) {
  const Recorder<unsigned> data(1 << 20);
  measure_all<1, 1>(report, data);
  measure_all<8, 1>(report, data);
  measure_all<8, 8>(report, data);
}

}  // namespace tilescope::gpu
