// How fast does a launch stream through arrays that are in HBM alone? Threads load `loads` times 16 bytes from each of
// `inputs` arrays, a CTA's accesses side by side, add them up, and store as much to `outputs` arrays: another one, or
// with in_place the first input. Behind a flush. active: cycles from an SM's first CTA's start to its last one's end,
// mean over SMs; loaded: from its first start until the data of the median and of the last of its CTAs are there.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

struct Note {
  unsigned sm;
  long long start, loaded, end;
};

template <int kInputs, int kLoads, int kOutputs, bool kInPlace>
__global__ void __launch_bounds__(128)
    stream(const float4* __restrict__ a, const float4* __restrict__ b, float4* out, Note* notes) {
  const long long start = clock64_now();
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kLoads * 128 + threadIdx.x;
  float4 v[kLoads], w[kLoads];
  const float4* const from = kInPlace ? out : a;
#pragma unroll
  for (int i = 0; i < kLoads && kInputs > 0; ++i) {
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v[i].x), "=f"(v[i].y), "=f"(v[i].z), "=f"(v[i].w)
                 : "l"(from + first + i * 128)
                 : "memory");
    if (kInputs > 1) {
      asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(w[i].x), "=f"(w[i].y), "=f"(w[i].z), "=f"(w[i].w)
                   : "l"(b + first + i * 128)
                   : "memory");
    }
  }
  float sum = 1.0F;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    if (kInputs == 0) {
      v[i] = {1.0F, 2.0F, 3.0F, 4.0F};
    }
    if (kInputs > 1) {
      v[i].x += w[i].x, v[i].y += w[i].y, v[i].z += w[i].z, v[i].w += w[i].w;
    }
    sum += v[i].x + v[i].y + v[i].z + v[i].w;
  }
  asm volatile("add.f32 %0, %0, %0;" : "+f"(sum)::"memory");
  const long long loaded = clock64_now() + (sum == -3.0F ? 1 : 0);
#pragma unroll
  for (int i = 0; i < kLoads && kOutputs > 0; ++i) {
    out[first + i * 128] = v[i];
  }
  if (threadIdx.x == 0) {
    notes[blockIdx.x] = {static_cast<unsigned>(sm_id()), start, loaded, clock64_now()};
  }
}

template <int kInputs, int kLoads, int kOutputs, bool kInPlace>
void ask(Report& report, const Recorder<float4>& arrays, std::size_t each) {
  for (const int ctas : {132, 396, 792, 1584, 2112}) {
    if (static_cast<std::size_t>(ctas) * kLoads * 128 > each) {
      continue;
    }
    Recorder<Note> notes(static_cast<std::size_t>(ctas));
    std::vector<double> actives, medians, lasts;
    for (int pass = 0; pass < 7; ++pass) {
      flush_l2();
      stream<kInputs, kLoads, kOutputs, kInPlace>
          <<<ctas, 128>>>(arrays.device(), arrays.device() + each, arrays.device() + 2 * each, notes.device());
      finish("stream");
      std::vector<std::vector<Note>> of(static_cast<std::size_t>(sm_count()));
      for (const Note& note : notes.host()) {
        of[note.sm].push_back(note);
      }
      double active = 0, median = 0, last = 0;
      int sms = 0;
      for (std::vector<Note>& here : of) {
        if (here.empty()) {
          continue;
        }
        long long first = here[0].start, end = 0;
        std::vector<long long> loaded;
        for (const Note& note : here) {
          first = std::min(first, note.start), end = std::max(end, note.end);
        }
        for (const Note& note : here) {
          loaded.push_back(note.loaded - first);
        }
        std::sort(loaded.begin(), loaded.end());
        ++sms, active += static_cast<double>(end - first);
        median += static_cast<double>(loaded[loaded.size() / 2]), last += static_cast<double>(loaded.back());
      }
      actives.push_back(active / sms), medians.push_back(median / sms), lasts.push_back(last / sms);
    }
    const auto middle = [](std::vector<double> of) {
      std::sort(of.begin() + 1, of.end());  // the first pass loads the code
      return of[1 + (of.size() - 1) / 2];
    };
    const std::string the_case = "inputs=" + std::to_string(kInputs) + ";loads=" + std::to_string(kLoads) +
                                 ";outputs=" + std::to_string(kOutputs) + ";in_place=" + (kInPlace ? "1" : "0") +
                                 ";ctas=" + std::to_string(ctas);
    report.scalar("cold_burst", the_case, "active", middle(actives), "cycle");
    report.scalar("cold_burst", the_case, "loaded_median", middle(medians), "cycle");
    report.scalar("cold_burst", the_case, "loaded", middle(lasts), "cycle");
  }
}

}  // namespace

void cold_burst(Report& report) {
  constexpr std::size_t kEach = std::size_t{2112} * 4 * 128;  // float4 of an array
  const Recorder<float4> arrays(3 * kEach);
  ask<1, 1, 0, false>(report, arrays, kEach);
  ask<1, 2, 0, false>(report, arrays, kEach);
  ask<1, 4, 0, false>(report, arrays, kEach);
  ask<2, 2, 0, false>(report, arrays, kEach);
  ask<2, 4, 0, false>(report, arrays, kEach);
  ask<1, 2, 1, false>(report, arrays, kEach);
  ask<1, 4, 1, false>(report, arrays, kEach);
  ask<1, 4, 1, true>(report, arrays, kEach);
  ask<2, 2, 1, false>(report, arrays, kEach);
  ask<2, 4, 1, false>(report, arrays, kEach);
  ask<0, 4, 1, false>(report, arrays, kEach);
}

}  // namespace tilescope::gpu
