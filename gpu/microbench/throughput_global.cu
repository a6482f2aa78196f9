// Cycles per global load or store of one SM, by distinct 128 B lines in the request and by width: the L1 tag and data
// stages when every load hits, the path to L2 when none does. banks=spread: the lanes' 32-bit words lie in 32 different
// banks; banks=same: one word of each line's first, all in one bank if every lane has its own line; banks=contiguous:
// lanes side by side, 32 to 128 bits each.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

enum class Access { kHitL1, kHitL2, kStore };

constexpr int kRounds = 16;
constexpr int kUnroll = 8;

template <Access kAccess, int kWords>
__device__ void access(const float* address, float (&v)[4]) {
  if constexpr (kAccess == Access::kStore) {
    if constexpr (kWords == 1) {
      asm volatile("st.global.f32 [%0], %1;" ::"l"(address), "f"(v[0]) : "memory");
    } else if constexpr (kWords == 2) {
      asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(address), "f"(v[0]), "f"(v[1]) : "memory");
    } else {
      asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(address), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3])
                   : "memory");
    }
  } else if constexpr (kAccess == Access::kHitL1) {
    if constexpr (kWords == 1) {
      asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v[0]) : "l"(address) : "memory");
    } else if constexpr (kWords == 2) {
      asm volatile("ld.global.ca.v2.f32 {%0, %1}, [%2];" : "=f"(v[0]), "=f"(v[1]) : "l"(address) : "memory");
    } else {
      asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                   : "l"(address)
                   : "memory");
    }
  } else if constexpr (kWords == 1) {
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v[0]) : "l"(address) : "memory");
  } else if constexpr (kWords == 2) {
    asm volatile("ld.global.cg.v2.f32 {%0, %1}, [%2];" : "=f"(v[0]), "=f"(v[1]) : "l"(address) : "memory");
  } else {
    asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                 : "l"(address)
                 : "memory");
  }
}

// A lane's request i lies at lane_offset + i * kPitch words; a round moves on by `step` words, which is zero where the
// same lines are to be read again (the compiler does not know and cannot drop the loads). A warp's rounds begin at warp
// * warp_pitch.
template <Access kAccess, int kWords, int kPitch>
__global__ void __launch_bounds__(1024) stream(const float* data, int lines, bool same_bank, int step, int warp_pitch,
                                               int sm, int* claims, int* cycles, float* sink) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  __shared__ Span span;
  begin_span(span);
  const int lane = threadIdx.x % 32;
  const int lane_offset = kWords > 1 ? lane * kWords : lane % lines * 32 + (same_bank ? lane / lines : lane);
  float sum = 0.0f;
  unsigned start = 0;
  unsigned stop = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the first pass brings the lines in
    const float* address = data + threadIdx.x / 32 * warp_pitch + lane_offset;
    __syncthreads();
    __syncthreads();  // a warp reads the clock while it waits for the one before it
    start = clock_now();
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
      float value[kUnroll][4] = {};
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        access<kAccess, kWords>(address + i * kPitch, value[i]);
      }
#pragma unroll
      for (int i = 0; i < kUnroll; ++i) {
        sum += value[i][0];
      }
      address += step;
    }
    stop = clock_now();
  }
  sink[threadIdx.x] = sum;
  end_span(span, start, stop, cycles);
}

template <Access kAccess, int kWords, int kLines>
void measure(Report& report, const char* name, const Recorder<float>& data, const char* banks) {
  constexpr int kPitch = kLines * 32;  // words: the next request's lines follow this one's
  const bool again = kAccess == Access::kHitL1;
  for (const int warps : {1, 4, 8, 16, 32}) {
    Recorder<int> claims(1);
    Recorder<int> cycles(1);
    Recorder<float> sink(1024);
    stream<kAccess, kWords, kPitch><<<4 * sm_count(), 32 * warps>>>(
        data.device(), kLines, std::string(banks) == "same", again ? 0 : kUnroll * kPitch,
        again ? 0 : kRounds * kUnroll * kPitch, 0, claims.device(), cycles.device(), sink.device());
    finish("stream");
    report.scalar("throughput_global",
                  std::string("access=") + name + ";bits=" + std::to_string(32 * kWords) + ";banks=" + banks +
                      ";lines=" + std::to_string(kLines) + ";warps=" + std::to_string(warps),
                  "cycles_per_request", static_cast<double>(cycles.host()[0]) / (kRounds * kUnroll * warps), "cycle");
  }
}

template <Access kAccess>
void measure_all(Report& report, const char* name, const Recorder<float>& data) {
  for (const char* const banks : {"spread", "same"}) {
    measure<kAccess, 1, 1>(report, name, data, banks);
    measure<kAccess, 1, 2>(report, name, data, banks);
    measure<kAccess, 1, 4>(report, name, data, banks);
    measure<kAccess, 1, 8>(report, name, data, banks);
    measure<kAccess, 1, 16>(report, name, data, banks);
    measure<kAccess, 1, 32>(report, name, data, banks);
  }
  measure<kAccess, 2, 2>(report, name, data, "contiguous");
  measure<kAccess, 4, 4>(report, name, data, "contiguous");
}

}  // namespace

void throughput_global(Report& report) {
  const Recorder<float> data(static_cast<std::size_t>(32 * kRounds * kUnroll + 64) * 32 *
                             32);  // 16 MiB, which stays in L2
  measure_all<Access::kHitL1>(report, "l1_hit", data);
  measure_all<Access::kHitL2>(report, "l2_hit", data);
  measure_all<Access::kStore>(report, "store", data);
}

}  // namespace tilescope::gpu
