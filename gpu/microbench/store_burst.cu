// How many stores leave an SM before those ahead of them hold it up. Eight warps of an SM store `count` times each, all
// chosen SMs from one moment on, into lines of their own that L2 has.
//   cycles: of an SM from its first store on until its last has issued, mean of the SMs; longest: of the slowest.
// piece: bytes of each line that a store touches, 4 a lane: 128 (one line), 32 (4 lines, whole sectors), 4 (32 lines).
// sms: that store, one in each TPC first.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kWarps = 8;
constexpr unsigned kWarpBytes = 16 << 10;
constexpr unsigned kLine = 128;
constexpr int kGroup = 4;

template <unsigned kPiece>
__global__ void __launch_bounds__(kWarps * 32) store_burst(char* data, int count, int* arrived, int* cycles) {
  __shared__ Span span;
  const unsigned lane = threadIdx.x % 32;
  constexpr unsigned kLanes = kPiece / 4;
  constexpr unsigned kLines = 32 / kLanes;
  char* const own = data + (blockIdx.x * kWarps + threadIdx.x / 32) * kWarpBytes;
  const unsigned offset = lane / kLanes * kLine + lane % kLanes * 4;
  for (unsigned at = 0; at < kWarpBytes; at += kLine) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(own + at + lane * 4), "r"(0) : "memory");
  }
  __threadfence();
  begin_span(span);
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
  unsigned at = 0;
  const unsigned start = clock_now(threadIdx.x);
#pragma unroll 1
  for (int i = 0; i < count; i += kGroup) {
#pragma unroll
    for (int j = 0; j < kGroup; ++j) {
      asm volatile("st.global.u32 [%0], %1;" ::"l"(own + ((at + j * kLines * kLine) & (kWarpBytes - 1)) + offset),
                   "r"(i)
                   : "memory");
    }
    at += kGroup * kLines * kLine;
  }
  const unsigned stop = clock_now(threadIdx.x);
  end_span(span, start, stop, cycles + blockIdx.x);
}

template <unsigned kPiece>
void measure(Report& report) {
  const auto kernel = &store_burst<kPiece>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const Recorder<char> data(static_cast<std::size_t>(sm_count()) * kWarps * kWarpBytes);
  const Recorder<int> cycles(static_cast<std::size_t>(sm_count()));
  Recorder<int> arrived(1);
  for (const int sms : {1, sm_count() / 8, sm_count() / 2, sm_count()}) {
    for (const int count : {4, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512}) {
      for (int repeat = 0; repeat < 2; ++repeat) {
        arrived.clear();
        kernel<<<sms, kWarps * 32, kOneCtaPerSm>>>(data.device(), count, arrived.device(), cycles.device());
        finish("store_burst");
      }
      std::vector<int> all = cycles.host();
      all.resize(static_cast<std::size_t>(sms));
      double sum = 0;
      for (const int one : all) {
        sum += one;
      }
      const std::string name = "piece=" + std::to_string(kPiece) + ";sms=" + std::to_string(sms) +
                               ";stores=" + std::to_string(count * kWarps);
      report.scalar("store_burst", name, "cycles", sum / sms, "cycle");
      report.scalar("store_burst", name, "longest", *std::max_element(all.begin(), all.end()), "cycle");
    }
  }
}

}  // namespace

void store_burst(Report& report) {
  measure<128>(report);
  measure<32>(report);
  measure<4>(report);
}

}  // namespace tilescope::gpu
