// How long do a shared-memory load and an L1 hit take, by width, by lanes and by bank conflict (ways=0: all lanes read
// the same place)? Every lane follows a pointer to itself.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSteps = 512;

template <int kWidth>
__global__ void chase_shared(int ways, int sm, int* claims, int* result) {
  __shared__ alignas(16) unsigned words[32 * 32];
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const int lane = threadIdx.x;
  // `ways` distinct words in each of 32 / ways banks (32-bit loads); wider loads lie `ways` times their width apart.
  const int index = ways == 0     ? 0
                    : kWidth == 4 ? lane % (32 / ways) + lane / (32 / ways) * 32
                                  : lane * ways * kWidth / 4;
  unsigned pointer = shared_address(&words[index]);
  words[index] = pointer;
  __syncthreads();
  unsigned y, z, w;
  const unsigned start = clock_now();
#pragma unroll 16
  for (int i = 0; i < kSteps; ++i) {
    if (kWidth == 4) {
      asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(pointer)::"memory");
    } else if (kWidth == 8) {
      asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%0];" : "+r"(pointer), "=r"(y)::"memory");
    } else {
      asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%0];"
                   : "+r"(pointer), "=r"(y), "=r"(z), "=r"(w)::"memory");
    }
  }
  const unsigned stop = clock_now();
  if (lane == 0) {
    result[0] = static_cast<int>(stop - start);
  }
  result[1 + lane] = static_cast<int>(pointer);
}

__global__ void chase_l1(unsigned long long* words, int pitch_words, int sm, int* claims, int* result) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const int lane = threadIdx.x;
  auto pointer = reinterpret_cast<unsigned long long>(&words[lane * pitch_words]);
  words[lane * pitch_words] = pointer;
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(pointer)::"memory");
  }
  const unsigned start = clock_now();
#pragma unroll 16
  for (int i = 0; i < kSteps; ++i) {
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(pointer)::"memory");
  }
  const unsigned stop = clock_now();
  if (lane == 0) {
    result[0] = static_cast<int>(stop - start);
  }
  result[1 + lane] = static_cast<int>(pointer);
}

template <int kWidth>
void measure_shared(Report& report, int lanes, int ways) {
  Recorder<int> claims(1);
  Recorder<int> result(33);
  chase_shared<kWidth><<<4 * sm_count(), lanes>>>(ways, 0, claims.device(), result.device());
  finish("chase_shared");
  report.scalar("latency_l1",
                "space=shared;bits=" + std::to_string(8 * kWidth) + ";lanes=" + std::to_string(lanes) +
                    ";ways=" + std::to_string(ways),
                "latency", static_cast<double>(result.host()[0]) / kSteps, "cycle");
}

}  // namespace

void latency_l1(Report& report) {
  for (const int lanes : {1, 32}) {
    measure_shared<4>(report, lanes, 1);
    measure_shared<8>(report, lanes, 1);
    measure_shared<16>(report, lanes, 1);
  }
  for (const int ways : {2, 4, 8, 16, 32}) {
    measure_shared<4>(report, 32, ways);
  }
  for (const int ways : {0, 2, 4}) {
    measure_shared<8>(report, 32, ways);
    measure_shared<16>(report, 32, ways);
  }
  const Recorder<unsigned long long> words(32 * 64);
  for (const int lanes : {1, 32}) {
    for (const int pitch_words : {1, 2, 4, 8, 16, 17}) {
      Recorder<int> claims(1);
      Recorder<int> result(33);
      chase_l1<<<4 * sm_count(), lanes>>>(words.device(), pitch_words, 0, claims.device(), result.device());
      finish("chase_l1");
      report.scalar(
          "latency_l1",
          "space=global;bits=64;lanes=" + std::to_string(lanes) + ";pitch_bytes=" + std::to_string(8 * pitch_words),
          "latency", static_cast<double>(result.host()[0]) / kSteps, "cycle");
    }
  }
}

}  // namespace tilescope::gpu
