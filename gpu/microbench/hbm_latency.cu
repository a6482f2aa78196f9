// How is the latency of a load from L2 or HBM distributed? One warp (of one SM, or of each) waits for one load at a
// time, whose lanes share out 1 to 32 lines of 128 bytes:
//   shape=random: lines anywhere          shape=rows: lines 4 KiB apart, the first of them anywhere
// level=l2: in 16 MiB that all SMs have read before; level=hbm: in 512 MiB after a flush. With 32 lines a load, all SMs
// together come back to lines that are in L2 by then, but hardly to all 32 of a load.
#include "benchmarks.h"
#include "device_probe.cuh"
#include "distribution.h"

namespace tilescope::gpu {
namespace {

constexpr int kLoads = 512;
constexpr unsigned kLine = 128;
constexpr unsigned kRowLines = 4096 / kLine;
constexpr unsigned kL2Lines = (16U << 20U) / kLine;
constexpr unsigned kHbmLines = (512U << 20U) / kLine;

__device__ unsigned mix(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352dU;
  x = (x ^ x >> 15) * 0x846ca68bU;
  return x ^ x >> 16;
}

// `of` is a power of two. Different salts, different lines.
template <bool kRows>
__global__ void __launch_bounds__(32)
    wait_for_loads(const char* data, unsigned of, int lines, unsigned salt, unsigned* cycles) {
  volatile __shared__ unsigned arrived[32];
  const unsigned lane = threadIdx.x;
  const unsigned mine = lane * lines / 32;
  unsigned at = mix(salt + blockIdx.x);
  for (int i = 0; i < kLoads; ++i) {
    at = mix(at + i);
    const unsigned line = kRows ? at + mine * kRowLines : mix(at + mine);
    const char* const from = data + static_cast<std::size_t>(line & (of - 1)) * kLine;
    __syncwarp();
    const unsigned start = clock_now();
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
    arrived[lane] = v;  // can only be stored once it is there, and the clock is not read before
    const unsigned stop = clock_now();
    at += arrived[0];  // `data` holds zeros
    if (lane == 0) {
      cycles[blockIdx.x * kLoads + i] = stop - start;
    }
  }
}

template <bool kRows>
void measure(Report& report, const Recorder<char>& data, const char* level, unsigned of, int sms) {
  for (const int lines : {1, 2, 4, 8, 16, 32}) {
    const Recorder<unsigned> cycles(static_cast<std::size_t>(sm_count()) * kLoads);
    unsigned salt = 1;
    const auto launch = [&](auto kernel, int ctas, int lines_per_load) {
      kernel<<<ctas, 32>>>(data.device(), of, lines_per_load, salt, cycles.device());
      finish("hbm_latency");
      salt = salt * 1664525U + 1013904223U;
    };
    if (of == kL2Lines) {
      launch(wait_for_loads<false>, sm_count(), 32);  // every line some ten times over
    } else {
      launch(wait_for_loads<kRows>, sms, 1);  // fills the instruction caches
      flush_l2();
    }
    launch(wait_for_loads<kRows>, sms, lines);
    std::vector<unsigned> seen = cycles.host();
    seen.resize(static_cast<std::size_t>(sms) * kLoads);
    const std::string the_case = std::string("level=") + level + ";sms=" + std::to_string(sms) +
                                 ";shape=" + (kRows ? "rows" : "random") + ";lines=" + std::to_string(lines);
    report_distribution(report, "hbm_latency", the_case, std::move(seen), {1, 10, 25, 50, 75, 90, 99});
  }
}

}  // namespace

void hbm_latency(Report& report) {
  const Recorder<char> data(static_cast<std::size_t>(kHbmLines) * kLine);
  for (const int sms : {1, sm_count()}) {
    measure<false>(report, data, "l2", kL2Lines, sms);
    measure<true>(report, data, "l2", kL2Lines, sms);
    measure<false>(report, data, "hbm", kHbmLines, sms);
    measure<true>(report, data, "hbm", kHbmLines, sms);
  }
}

}  // namespace tilescope::gpu
