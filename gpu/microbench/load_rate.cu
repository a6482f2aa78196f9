// How often an SM, and how often one of its sub-partitions, takes a load that finds its data near: cycles_per_load of
// the whole SM in long loops with an FADD that takes
// the result of the round before and f FFMAs beside each load.
//   load: ldg32, ldg64, ldg128 (lanes side by side); ldg32_lines=4 (8 lanes to a line, 32 banks), ldg128_broadcast (one
//   address); lds likewise; ldg_lds: one after the other.
//   parts: sub-partitions that have warps; warps: in all.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 256;
constexpr int kGroups = 8;   // of a load and its FFMAs, per round
constexpr int kPitch = 128;  // words from a load of global memory to the next

__device__ void load32(const float* from, float4& v) {
  asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v.x) : "l"(from) : "memory");
}
__device__ void load64(const float* from, float4& v) {
  asm volatile("ld.global.ca.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(from) : "memory");
}
__device__ void load128(const float* from, float4& v) {
  asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(from)
               : "memory");
}
__device__ void shared32(unsigned from, float4& v) {
  asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(v.x) : "r"(from) : "memory");
}
__device__ void shared64(unsigned from, float4& v) {
  asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(from) : "memory");
}
__device__ void shared128(unsigned from, float4& v) {
  asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(from)
               : "memory");
}

struct Ldg32 {
  static constexpr const char* kName = "ldg32";
  __device__ static int word(int lane) { return lane; }
  __device__ static void load(const float* global, unsigned, int, float4& v) { load32(global, v); }
};
struct Ldg32Lines4 : Ldg32 {
  static constexpr const char* kName = "ldg32_lines4";
  __device__ static int word(int lane) { return lane % 4 * 32 + lane; }
};
struct Ldg64 : Ldg32 {
  static constexpr const char* kName = "ldg64";
  __device__ static int word(int lane) { return lane * 2; }
  __device__ static void load(const float* global, unsigned, int, float4& v) { load64(global, v); }
};
struct Ldg128 : Ldg32 {
  static constexpr const char* kName = "ldg128";
  __device__ static int word(int lane) { return lane * 4; }
  __device__ static void load(const float* global, unsigned, int, float4& v) { load128(global, v); }
};
struct Ldg128Broadcast : Ldg128 {
  static constexpr const char* kName = "ldg128_broadcast";
  __device__ static int word(int) { return 0; }
};
struct Lds32 : Ldg32 {
  static constexpr const char* kName = "lds32";
  __device__ static void load(const float*, unsigned shared, int, float4& v) { shared32(shared, v); }
};
struct Lds64Broadcast : Ldg128Broadcast {
  static constexpr const char* kName = "lds64_broadcast";
  __device__ static void load(const float*, unsigned shared, int, float4& v) { shared64(shared, v); }
};
struct Lds128 : Ldg128 {
  static constexpr const char* kName = "lds128";
  __device__ static void load(const float*, unsigned shared, int, float4& v) { shared128(shared, v); }
};
struct Lds128Broadcast : Ldg128Broadcast {
  static constexpr const char* kName = "lds128_broadcast";
  __device__ static void load(const float*, unsigned shared, int, float4& v) { shared128(shared, v); }
};
struct LdgLds : Ldg32 {
  static constexpr const char* kName = "ldg_lds";
  __device__ static void load(const float* global, unsigned shared, int g, float4& v) {
    if (g % 2 == 0) {
      load32(global, v);
    } else {
      shared32(shared, v);
    }
  }
};

template <class Load, int kFmas>
__global__ void __launch_bounds__(1024) rate(const float* data, int step, int parts, int* cycles, float* sink) {
  __shared__ alignas(16) float words[1024];
  __shared__ Span span;
  words[threadIdx.x % 1024] = 0;
  const int lane = threadIdx.x % 32;
  const float* global = data + Load::word(lane);
  const unsigned shared = shared_address(&words[Load::word(lane)]);
  float4 value[kGroups] = {};
  float sum[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const float x = static_cast<float>(lane);
  const float y = static_cast<float>(parts);
  for (int at = 0; at < kGroups * kPitch; at += 128) {  // brings in the lines
    load128(data + at + lane * 4, value[0]);
    sum[0] += value[0].x;
  }
  begin_span(span);
  unsigned start = 0;
  unsigned stop = 0;
  if (threadIdx.x / 32 % 4 < parts) {
    start = clock_now();
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        // Without it, and without a step that it does not know, the assembler would drop loads.
        asm volatile("add.f32 %0, %0, %1;" : "+f"(sum[g]) : "f"(value[g].x));
        Load::load(global + g * kPitch, shared, g, value[g]);
#pragma unroll
        for (int f = 0; f < kFmas; ++f) {
          asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum[(g * kFmas + f) % 8]) : "f"(x), "f"(y));
        }
      }
      global += step;
    }
    stop = clock_now();
  }
  float total = 0;
  for (int i = 0; i < 8; ++i) {
    total += sum[i] + value[i].x;
  }
  if (total == 0.123F) {
    *sink = total;
  }
  if (threadIdx.x / 32 % 4 < parts) {
    atomicMin(&span.first, start);
    atomicMax(&span.last, stop);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *cycles = static_cast<int>(span.last - span.first);
  }
}

template <class Load, int kFmas>
void measure(Report& report, const Recorder<float>& data) {
  const Recorder<float> sink(1);
  for (const int parts : {1, 2, 4}) {
    for (const int of_part : {1, 2, 4, 8}) {
      const Recorder<int> cycles(1);
      for (int repeat = 0; repeat < 2; ++repeat) {
        rate<Load, kFmas><<<1, of_part * 4 * 32>>>(data.device(), 0, parts, cycles.device(), sink.device());
        finish("load_rate");
      }
      report.scalar("load_rate",
                    std::string("load=") + Load::kName + ";ffma=" + std::to_string(kFmas) +
                        ";parts=" + std::to_string(parts) + ";warps=" + std::to_string(of_part * parts),
                    "cycles_per_load", static_cast<double>(cycles.host()[0]) / (kRounds * kGroups * of_part * parts),
                    "cycle");
    }
  }
}

template <class Load>
void measure_all(Report& report, const Recorder<float>& data) {
  measure<Load, 0>(report, data);
  measure<Load, 1>(report, data);
  measure<Load, 2>(report, data);
  measure<Load, 4>(report, data);
  measure<Load, 8>(report, data);
  measure<Load, 16>(report, data);
}
// ... and whether its registers find a cycle in which they can be written.
template <class Load>
void measure_writes(Report& report, const Recorder<float>& data) {
  measure<Load, 24>(report, data);
  measure<Load, 28>(report, data);
  measure<Load, 36>(report, data);
  measure<Load, 44>(report, data);
}

}  // namespace

void load_rate(Report& report) {
  const Recorder<float> data(kGroups * kPitch);
  measure_all<Ldg32>(report, data);
  measure_all<Ldg32Lines4>(report, data);
  measure_all<Ldg64>(report, data);
  measure_all<Ldg128>(report, data);
  measure_all<Ldg128Broadcast>(report, data);
  measure_all<Lds32>(report, data);
  measure_all<Lds64Broadcast>(report, data);
  measure_all<Lds128>(report, data);
  measure_all<Lds128Broadcast>(report, data);
  measure_all<LdgLds>(report, data);
  measure_writes<Lds32>(report, data);
  measure_writes<Lds64Broadcast>(report, data);
  measure_writes<Lds128Broadcast>(report, data);
}

}  // namespace tilescope::gpu
