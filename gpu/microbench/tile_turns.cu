// How CTAs that share an SM share it, when their steps are those of a tiled product: load a tile of A and one of B from
// L2, wait, store them in shared memory, meet, multiply, meet. Every CTA notes its SM, its start and its end.
//   end_i: when the i-th CTA of an SM to end has ended, cycles from the SM's first start on, mean of all SMs; one
//   round. later: how long CTAs last that start beside one that runs, median; phase: how far that one is then; six
//   rounds.
// tile=32: two CTAs of 1,024 threads on an SM; tile=16: eight of 256. ctas: of an SM at most. global, stores, barriers:
// whether a step has these instructions; without any of them the words of the tiles are read once and spilled, so that
// its steps store to local memory and load from it. steps: of a CTA.
#include <algorithm>
#include <map>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "distribution.h"

namespace tilescope::gpu {
namespace {

constexpr int kColumnsOfTiles = 24;
constexpr int kFields = 3;  // SM, start, end

template <int T, bool kGlobal, bool kStores, bool kBarriers>
__global__ void __launch_bounds__(T* T) probe_tile_turns(const float* __restrict__ a, const float* __restrict__ b,
                                                         float* __restrict__ c, int n, int k, unsigned* notes) {
  __shared__ float sA[T][T];
  __shared__ float sB[T][T];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * T + ty;
  const int col = blockIdx.x * T + tx;
  const auto meet = [] {
    if constexpr (kBarriers) {
      __syncthreads();
    } else {
      asm volatile("" ::: "memory");
    }
  };
  const unsigned start = clock_now();
  float a_value = static_cast<float>(tx), b_value = static_cast<float>(ty), sum = 0.0f;
  sA[ty][tx] = a_value;
  sB[ty][tx] = b_value;
  __syncthreads();
#pragma unroll 1
  for (int k0 = 0; k0 < k; k0 += T) {
    if constexpr (kGlobal) {
      a_value = a[row * k + k0 + tx];
      b_value = b[(k0 + ty) * n + col];
    }
    if constexpr (kStores) {
      sA[ty][tx] = a_value;
      sB[ty][tx] = b_value;
    } else if constexpr (kGlobal) {
      sum += a_value + b_value;
    }
    meet();
#pragma unroll
    for (int i = 0; i < T; ++i) {
      sum += sA[ty][i] * sB[i][tx];
    }
    meet();
  }
  c[row * n + col] = sum;
  __syncthreads();
  if (tx == 0 && ty == 0) {
    unsigned* const own = notes + (blockIdx.y * gridDim.x + blockIdx.x) * kFields;
    own[0] = static_cast<unsigned>(sm_id());
    own[1] = start;
    own[2] = clock_now();
  }
}

struct Cta {
  unsigned start, end;
};
using Sms = std::map<unsigned, std::vector<Cta>>;

template <int T, bool kGlobal, bool kStores, bool kBarriers>
Sms run(const Recorder<float>& a, const Recorder<float>& b, const Recorder<float>& c, int ctas_of_sm, int rounds,
        int steps) {
  const int rows = (ctas_of_sm * rounds * sm_count() + kColumnsOfTiles - 1) / kColumnsOfTiles;
  const Recorder<unsigned> notes(static_cast<std::size_t>(rows) * kColumnsOfTiles * kFields);
  const int shared = ctas_of_sm == 1 ? kOneCtaPerSm : 0;
  const auto kernel = &probe_tile_turns<T, kGlobal, kStores, kBarriers>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  for (int pass = 0; pass < 2; ++pass) {  // the second finds its code and its data in L2
    kernel<<<dim3(kColumnsOfTiles, rows), dim3(T, T), shared>>>(a.device(), b.device(), c.device(), kColumnsOfTiles * T,
                                                                steps * T, notes.device());
    finish("tile_turns");
  }
  Sms sms;
  const std::vector<unsigned> all = notes.host();
  for (std::size_t i = 0; i < all.size(); i += kFields) {
    sms[all[i]].push_back({all[i + 1], all[i + 2]});
  }
  for (auto& [sm, own] : sms) {
    std::sort(own.begin(), own.end(),
              [](const Cta& x, const Cta& y) { return static_cast<int>(x.start - y.start) < 0; });
  }
  return sms;
}

template <int T, bool kGlobal, bool kStores, bool kBarriers>
void measure(Report& report, const Recorder<float>& a, const Recorder<float>& b, const Recorder<float>& c) {
  const int most = T == 32 ? 2 : 8;
  for (const int steps : {32, 64}) {
    for (const int ctas : {1, most}) {
      const std::string name = "tile=" + std::to_string(T) + ";global=" + std::to_string(kGlobal) +
                               ";stores=" + std::to_string(kStores) + ";barriers=" + std::to_string(kBarriers) +
                               ";steps=" + std::to_string(steps) + ";ctas=" + std::to_string(ctas);
      std::vector<double> ends(ctas);
      int full = 0;
      for (auto& [sm, own] : run<T, kGlobal, kStores, kBarriers>(a, b, c, ctas, 1, steps)) {
        if (own.size() != ends.size()) continue;
        const unsigned first = own[0].start;
        std::sort(own.begin(), own.end(),
                  [](const Cta& x, const Cta& y) { return static_cast<int>(x.end - y.end) < 0; });
        for (std::size_t i = 0; i < ends.size(); ++i) ends[i] += own[i].end - first;
        ++full;
      }
      for (std::size_t i = 0; i < ends.size(); ++i) {
        report.scalar("tile_turns", name, ("end_" + std::to_string(i)).c_str(), ends[i] / full, "cycle");
      }
      if (ctas != 2) continue;
      std::vector<double> later, phase;
      for (auto& [sm, own] : run<T, kGlobal, kStores, kBarriers>(a, b, c, ctas, 6, steps)) {
        for (std::size_t i = 3; i + 1 < own.size(); ++i) {
          later.push_back(own[i].end - own[i].start);
          phase.push_back(static_cast<double>(own[i].start - own[i - 1].start) /
                          static_cast<double>(own[i - 1].end - own[i - 1].start));
        }
      }
      report.scalar("tile_turns", name, "later", median(later), "cycle");
      report.scalar("tile_turns", name, "phase", median(phase), "");
    }
  }
}

}  // namespace

void tile_turns(Report& report) {
  const std::size_t words = std::size_t{1} << 24;
  const Recorder<float> a(words), b(words), c(words);
  measure<32, true, true, true>(report, a, b, c);
  measure<32, false, true, true>(report, a, b, c);
  measure<32, false, false, true>(report, a, b, c);
  measure<32, false, false, false>(report, a, b, c);
  measure<32, true, false, true>(report, a, b, c);
  measure<32, true, false, false>(report, a, b, c);
  measure<16, true, true, true>(report, a, b, c);
  measure<16, false, true, true>(report, a, b, c);
  measure<16, false, false, true>(report, a, b, c);
}

}  // namespace tilescope::gpu
