// What waits behind what on the way out of a sub-partition? Warp 0 does one operation at a time: from before its issue
// until its result is used, in cycles, less two reads of the clock: the mean of kTries. Four other warps of its
// sub-partition (place=same) or of the next one (place=other) meanwhile load or store as fast as they can.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kTries = 64;
constexpr int kTime = 20000;  // cycles that the others go on for

enum class Way { kClock, kS2r, kShuffle, kMufu, kLds, kLdc };
enum class Others { kNone, kLds, kLdsConflict, kLdg, kLdg128, kStg128, kMufu, kShuffle };

struct Words {
  unsigned* cycles;
  float* data;
  unsigned zero;
  unsigned padding[60];
  unsigned words[64];
};

// Not inlined, so that a special register is read every time.
template <Way kWay>
__device__ __noinline__ unsigned once(const Words& p, unsigned x, unsigned shared) {
  const unsigned start = clock_now(x);
  unsigned v = x;
  if constexpr (kWay == Way::kS2r) {
    asm volatile("mov.u32 %0, %%tid.y;" : "=r"(v));
  } else if constexpr (kWay == Way::kShuffle) {
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(v) : "r"(x));
  } else if constexpr (kWay == Way::kMufu) {
    asm volatile("{.reg .f32 a; mov.b32 a, %1; ex2.approx.ftz.f32 a, a; mov.b32 %0, a;}" : "=r"(v) : "r"(x));
  } else if constexpr (kWay == Way::kLds) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(shared) : "memory");
  } else if constexpr (kWay == Way::kLdc) {
    v = p.words[x & p.zero];
  }
  asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(v));
  return clock_now(x) - start;
}

template <Way kWay, Others kOthers>
__global__ void __launch_bounds__(512) behind(const __grid_constant__ Words p, int others, float* sink) {
  __shared__ float words[1024];
  const int warp = static_cast<int>(threadIdx.x / 32);
  const unsigned lane = threadIdx.x & 31;
  words[threadIdx.x] = 0.0F, words[threadIdx.x + 512] = 0.0F;
  __syncthreads();
  const unsigned start = clock_now(lane);
  if (warp == 0) {
    while (clock_now(lane) - start < 4000) {
    }
    unsigned sum = 0, most = 0;
    for (int i = 0; i < kTries + 4; ++i) {
      const unsigned took = once<kWay>(p, lane, shared_address(&words[lane]));
      sum += i < 4 ? 0 : took, most = i < 4 ? 0 : max(most, took);
    }
    if (lane == 0) {
      p.cycles[0] = sum;
      p.cycles[1] = most;
    }
  } else if (warp % 4 == others) {
    float all = 0;
    const unsigned at = shared_address(&words[kOthers == Others::kLdsConflict ? lane * 32 : lane]);
    float* const line = p.data + warp * 1024 + lane * 4;
    while (clock_now(lane) - start < kTime) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        float v = 0;
        if constexpr (kOthers == Others::kLds || kOthers == Others::kLdsConflict) {
          asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v) : "r"(at) : "memory");
        } else if constexpr (kOthers == Others::kLdg) {
          asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(line + i * 128) : "memory");
        } else if constexpr (kOthers == Others::kLdg128) {
          float4 w;
          asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                       : "=f"(w.x), "=f"(w.y), "=f"(w.z), "=f"(w.w)
                       : "l"(line + i * 128)
                       : "memory");
          v = w.x + w.y + w.z + w.w;
        } else if constexpr (kOthers == Others::kStg128) {
          asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(line + i * 128), "f"(all) : "memory");
        } else if constexpr (kOthers == Others::kMufu) {
          asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(all + static_cast<float>(i)));
        } else if constexpr (kOthers == Others::kShuffle) {
          asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=f"(v) : "f"(all + static_cast<float>(i)));
        }
        all += v;
      }
    }
    sink[threadIdx.x] = all;
  }
}

template <Way kWay, Others kOthers>
void ask(Report& report, const Recorder<float>& data, const char* way, const char* others) {
  Recorder<unsigned> cycles(2);
  Recorder<float> sink(512);
  for (const int place : {0, 1}) {
    if (kOthers == Others::kNone && place == 1) {
      continue;
    }
    Words p = {};
    p.cycles = cycles.device();
    p.data = data.device();
    for (int pass = 0; pass < 2; ++pass) {
      behind<kWay, kOthers><<<1, 512>>>(p, place, sink.device());
      finish("behind");
    }
    const std::string the_case = std::string("op=") + way + ";others=" + others +
                                 (kOthers == Others::kNone ? ""
                                  : place == 0             ? ";place=same"
                                                           : ";place=other");
    report.scalar("behind", the_case, "cycles", static_cast<double>(cycles.host()[0]) / kTries, "cycle");
    report.scalar("behind", the_case, "most", cycles.host()[1], "cycle");
  }
}

template <Way kWay>
void ask_each(Report& report, const Recorder<float>& data, const char* way) {
  ask<kWay, Others::kNone>(report, data, way, "none");
  ask<kWay, Others::kLds>(report, data, way, "LDS");
  ask<kWay, Others::kLdsConflict>(report, data, way, "LDS_32_way");
  ask<kWay, Others::kLdg>(report, data, way, "LDG");
  ask<kWay, Others::kLdg128>(report, data, way, "LDG.128");
  ask<kWay, Others::kStg128>(report, data, way, "STG.128");
  ask<kWay, Others::kMufu>(report, data, way, "MUFU");
  ask<kWay, Others::kShuffle>(report, data, way, "SHFL");
}

}  // namespace

void behind(Report& report) {
  const Recorder<float> data(32 * 1024 + 1024);
  ask_each<Way::kClock>(report, data, "none");
  ask_each<Way::kS2r>(report, data, "S2R");
  ask_each<Way::kShuffle>(report, data, "SHFL");
  ask_each<Way::kMufu>(report, data, "MUFU");
  ask_each<Way::kLds>(report, data, "LDS");
  ask_each<Way::kLdc>(report, data, "LDC");
}

}  // namespace tilescope::gpu
