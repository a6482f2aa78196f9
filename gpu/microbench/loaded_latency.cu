// Latency of dependent loads against how much all SMs ask for: every warp follows its own random chain through L2 or
// HBM.
//
//   line:  a warp reads one 128-byte line            rows: a warp reads 8 rows of 64 bytes, 4 KiB apart (a GEMM's tile
//   of A)
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kLoads = 256;
constexpr std::size_t kRow = 4096;

__device__ unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

// `data` holds zeros; what was loaded still decides, for the compiler, where the next load goes.
template <bool kRows>
__global__ void __launch_bounds__(1024) chase(const char* data, unsigned blocks, unsigned salt, long long* cycles) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  unsigned at = mix(warp + 1 + salt);
  const long long start = clock64_now();
  for (int i = 0; i < kLoads; ++i) {
    const std::size_t block = at % blocks;
    const char* const from = kRows ? data + (block / 64 * 8 + lane / 4) * kRow + block % 64 * 64 + lane % 4 * 16
                                   : data + block * 128 + lane * 4;
    unsigned v;
    if (kRows) {
      unsigned y, z, w;
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(y), "=r"(z), "=r"(w) : "l"(from));
      v |= y | z | w;
    } else {
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(from));
    }
    at = mix(at + i + __shfl_sync(0xffffffffU, v, 0));
  }
  const long long stop = clock64_now();
  if (lane == 0) {
    cycles[warp] = stop - start + (at == 0x12345678U);  // the chain must not be dead code
  }
}

template <bool kRows>
void measure(Report& report, const Recorder<uint4>& data, std::size_t bytes, const char* level) {
  for (const int warps : {1, 2, 4, 8, 16, 32, 64}) {
    const int threads = warps > 32 ? 1024 : warps * 32;
    const int ctas = sm_count() * warps * 32 / threads;
    const Recorder<long long> cycles(static_cast<std::size_t>(sm_count()) * warps);
    const auto blocks = static_cast<unsigned>(bytes / (kRows ? 512 : 128));
    // A launch that followed the chains of the last would find them in L2.
    const auto launch = [&](unsigned salt) {
      chase<kRows><<<ctas, threads>>>(reinterpret_cast<const char*>(data.device()), blocks, salt, cycles.device());
      finish("chase");
    };
    launch(0x1234567U * warps);
    launch(0x7654321U * warps);
    double sum = 0;
    for (const long long c : cycles.host()) {
      sum += static_cast<double>(c);
    }
    const double latency = sum / kLoads / (sm_count() * warps);
    const std::string the_case =
        std::string("level=") + level + ";shape=" + (kRows ? "rows" : "line") + ";warps=" + std::to_string(warps);
    report.scalar("loaded_latency", the_case, "latency", latency, "cycle");
    report.scalar("loaded_latency", the_case, "rate", sm_count() * warps * (kRows ? 512 : 128) / latency, "B/cycle");
  }
}

}  // namespace

void loaded_latency(Report& report) {
  constexpr std::size_t kMiB = 1 << 20;
  const Recorder<uint4> data(4096 * kMiB / sizeof(uint4));
  measure<false>(report, data, 16 * kMiB, "l2");
  measure<true>(report, data, 16 * kMiB, "l2");
  measure<false>(report, data, 4096 * kMiB, "hbm");
  measure<true>(report, data, 4096 * kMiB, "hbm");
}

}  // namespace tilescope::gpu
