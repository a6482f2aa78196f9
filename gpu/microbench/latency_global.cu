// How long does one global load take, by working set? One thread follows pointers in random order, one per 128 B line.
#include <algorithm>
#include <numeric>
#include <random>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kLine = 128;

template <bool kL1>
__device__ unsigned long long follow(unsigned long long pointer) {
  unsigned long long next;
  if (kL1) {
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(pointer) : "memory");
  } else {
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(pointer) : "memory");
  }
  return next;
}

template <bool kL1>
__global__ void chase(unsigned long long pointer, int warm_steps, int steps, int sm, int* claims, long long* result) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  for (int i = 0; i < warm_steps; ++i) {
    pointer = follow<kL1>(pointer);
  }
  const long long start = clock64_now();
#pragma unroll 16
  for (int i = 0; i < steps; ++i) {
    pointer = follow<kL1>(pointer);
  }
  const long long stop = clock64_now();
  result[0] = stop - start;
  result[1] = static_cast<long long>(pointer);
}

// A random cycle through all lines of the buffer: each line begins with the address of the next.
void write_cycle(const Recorder<char>& buffer, std::size_t lines) {
  std::vector<unsigned> order(lines);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 random(1);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<unsigned long long> words(lines * kLine / 8);
  const auto base = reinterpret_cast<unsigned long long>(buffer.device());
  for (std::size_t i = 0; i < lines; ++i) {
    words[order[i] * kLine / 8] = base + order[(i + 1) % lines] * kLine;
  }
  check(cudaMemcpy(buffer.device(), words.data(), lines * kLine, cudaMemcpyHostToDevice), "cudaMemcpy");
}

template <bool kL1>
void measure(Report& report, const Recorder<char>& buffer, std::size_t bytes) {
  constexpr int kSteps = 4096;
  const int lines = static_cast<int>(bytes / kLine);
  Recorder<long long> result(2);
  Recorder<int> claims(1);
  chase<kL1><<<4 * sm_count(), 1>>>(reinterpret_cast<unsigned long long>(buffer.device()), 2 * lines, kSteps, 0,
                                    claims.device(), result.device());
  finish("chase");
  report.scalar("latency_global", std::string("cache=") + (kL1 ? "l1" : "l2") + ";bytes=" + std::to_string(bytes),
                "latency", static_cast<double>(result.host()[0]) / kSteps, "cycle");
}

}  // namespace

void latency_global(Report& report) {
  for (std::size_t bytes = 1024; bytes <= (256u << 20); bytes *= 2) {
    for (const std::size_t size : {bytes, bytes + bytes / 2}) {
      if (size > (256u << 20) || (size > 512 * 1024 && size < (16u << 20) && size != bytes)) {
        continue;
      }
      const Recorder<char> buffer(size);
      write_cycle(buffer, size / kLine);
      measure<true>(report, buffer, size);
      measure<false>(report, buffer, size);
    }
  }
}

}  // namespace tilescope::gpu
