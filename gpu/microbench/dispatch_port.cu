// What keeps the dispatch port of a sub-partition beyond a cycle per instruction? Cycles of a sub-partition per loop
// iteration of a warp, of loops with FFMAs and ...
//   loads=a;wide=b: a + b LDGs that hit L1; the addresses of b of them come from an IMAD.WIDE each, those of a from
//                   immediates. One IMAD.WIDE more moves the pointer of the a.
//   access=...:     kGroups groups of one shared-memory access and `ffma` FFMAs; access=none has the FFMAs alone, so
//                   that what is above it is due to the accesses. operands=same: all FFMAs multiply the same two
//                   registers; fresh: others each time.
// ptxas mixes the instructions of an iteration as it likes, but removes none.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 64;
constexpr int kGroups = 8;
constexpr int kSubPartitions = 4;
constexpr int kPitch = 32;  // words between a warp's loads: one line each

// `zero` is 0, which the compiler does not know: the loads stay in the loop and the pointer moves by IMAD.WIDE.
template <int kImmediate, int kWide, int kFfmas>
__global__ void __launch_bounds__(1024) load_global(const float* data, int zero, float x, int* cycles, float* sink) {
  constexpr int kLoads = kImmediate + kWide;
  __shared__ Span span;
  begin_span(span);
  const float* near = data + threadIdx.x % 32;
  const float* far = near + kImmediate * kPitch;
  float sum[4] = {1, 2, 3, 4};
  unsigned start = 0;
  unsigned stop = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {  // the first one brings code and data into the caches
    __syncthreads();
    __syncthreads();  // a warp reads the clock while it waits for the one before it
    start = clock_now();
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
      float value[kLoads];
#pragma unroll
      for (int i = 0; i < kImmediate; ++i) {
        value[i] = __ldg(near + i * kPitch);
      }
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
        value[kImmediate + i] = __ldg(far);
        far += zero;
      }
#pragma unroll
      for (int f = 0; f < kFfmas; ++f) {  // all values are used: a load whose result nobody reads would be removed
        float& s = sum[f % 4];
        s = kLoads > 16 ? fmaf(value[f % 16], value[(f % 16 + 16) % kLoads], s) : fmaf(value[f % 16], s, x);
      }
      near += zero;
    }
    stop = clock_now();
  }
  sink[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
  end_span(span, start, stop, cycles);
}

enum class Access { kNone, kLds32, kLds64, kLds128, kLds128Broadcast, kSts32, kSts128 };

template <Access kAccess>
constexpr int kWords = kAccess == Access::kLds64                                ? 2
                       : kAccess == Access::kLds32 || kAccess == Access::kSts32 ? 1
                                                                                : 4;

template <Access kAccess>
__device__ void access(unsigned at, float4& v) {
  if constexpr (kAccess == Access::kLds32) {
    asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v.x) : "r"(at) : "memory");
  } else if constexpr (kAccess == Access::kLds64) {
    asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(at) : "memory");
  } else if constexpr (kAccess == Access::kLds128 || kAccess == Access::kLds128Broadcast) {
    asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(at)
                 : "memory");
  } else if constexpr (kAccess == Access::kSts32) {
    asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(at), "f"(v.x) : "memory");
  } else if constexpr (kAccess == Access::kSts128) {
    asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                 : "memory");
  }
}

template <Access kAccess, bool kFresh, int kFfmas>
__global__ void __launch_bounds__(1024) access_shared(const float* data, int* cycles, float* sink) {
  __shared__ alignas(16) float words[32 * 4];
  __shared__ Span span;
  begin_span(span);
  const int lane = threadIdx.x % 32;
  const unsigned at = shared_address(&words[kAccess == Access::kLds128Broadcast ? 0 : lane * kWords<kAccess>]);
  const float4 stored = reinterpret_cast<const float4*>(data)[lane];
  float4 value[kGroups] = {};
  float factor[8];
  float sum[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    factor[i] = data[threadIdx.x + i];
    sum[i] = static_cast<float>(i);
    words[(lane + i * 32) % 128] = 0;
    value[i] = stored;
  }
  unsigned start = 0;
  unsigned stop = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    __syncthreads();  // a warp reads the clock while it waits for the one before it
    start = clock_now();
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        access<kAccess>(at, value[g]);
#pragma unroll
        for (int f = g * kFfmas; f < (g + 1) * kFfmas; ++f) {
          asm volatile("fma.rn.f32 %0, %1, %2, %0;"
                       : "+f"(sum[f % 8])
                       : "f"(factor[kFresh ? f * 3 % 8 : 0]), "f"(factor[kFresh ? (f * 5 + 1) % 8 : 1]));
        }
      }
    }
    stop = clock_now();
  }
  float total = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    total += sum[i] + value[i].x;
  }
  sink[threadIdx.x] = total;
  end_span(span, start, stop, cycles);
}

// `launch(warps, cycles, sink)` runs one CTA.
template <class Launch>
void measure(Report& report, const std::string& the_case, const Launch& launch) {
  const Recorder<int> cycles(1);
  const Recorder<float> sink(1024);
  for (const int warps : {4, 8, 16, 32}) {
    launch(warps, cycles.device(), sink.device());
    finish("dispatch_port");
    report.scalar("dispatch_port", the_case + ";warps=" + std::to_string(warps), "per_iteration",
                  static_cast<double>(cycles.host()[0]) * kSubPartitions / (kRounds * warps), "cycle");
  }
}

template <int kImmediate, int kWide, int kFfmas>
void measure_global(Report& report, const Recorder<float>& data) {
  const std::string the_case =
      "loads=" + std::to_string(kImmediate) + ";wide=" + std::to_string(kWide) + ";ffma=" + std::to_string(kFfmas);
  measure(report, the_case, [&](int warps, int* cycles, float* sink) {
    load_global<kImmediate, kWide, kFfmas><<<1, 32 * warps>>>(data.device(), 0, 1.5F, cycles, sink);
  });
}

template <Access kAccess, bool kFresh, int... kFfmas>
void measure_shared(Report& report, const Recorder<float>& data, const char* name) {
  const auto one = [&](auto kernel, int ffmas) {
    const std::string the_case =
        std::string("access=") + name + ";operands=" + (kFresh ? "fresh" : "same") + ";ffma=" + std::to_string(ffmas);
    measure(report, the_case,
            [&](int warps, int* cycles, float* sink) { kernel<<<1, 32 * warps>>>(data.device(), cycles, sink); });
  };
  (one(access_shared<kAccess, kFresh, kFfmas>, kFfmas), ...);
}

}  // namespace

void dispatch_port(Report& report) {
  const Recorder<float> data(64 * kPitch);
  measure_global<32, 0, 16>(report, data);
  measure_global<16, 16, 16>(report, data);
  measure_global<0, 16, 16>(report, data);
  measure_global<16, 0, 64>(report, data);
  measure_global<0, 16, 64>(report, data);
  measure_shared<Access::kNone, false, 1, 2, 4, 8, 16>(report, data, "none");
  measure_shared<Access::kSts32, false, 0, 1, 2, 4, 8, 16>(report, data, "sts32");
  measure_shared<Access::kSts128, false, 0, 1, 2, 4, 8, 16>(report, data, "sts128");
  measure_shared<Access::kNone, true, 2, 8>(report, data, "none");
  measure_shared<Access::kLds32, true, 2, 8>(report, data, "lds32");
  measure_shared<Access::kLds64, true, 2, 8>(report, data, "lds64");
  measure_shared<Access::kLds128, true, 2, 8>(report, data, "lds128");
  measure_shared<Access::kLds128Broadcast, true, 2, 8>(report, data, "lds128_broadcast");
}

}  // namespace tilescope::gpu
