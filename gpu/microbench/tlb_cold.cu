// What does the first touch of a page cost? One warp of each SM (or of one) waits for two loads in each of kPages pages
// of 2 MiB: lines that nobody else reads. Launches follow one another; each comes to other lines.
//   visit=first: pages that no kernel has read yet; visit=second: the launch after it, the same pages;
//   visit=after_flush: a third launch, behind one that fills L2 from elsewhere.
// Trace: row = SM, index = 2 * page + load, value = cycles.
#include <algorithm>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kPages = 48;
constexpr std::size_t kPage = 2U << 20U;
constexpr int kLoads = 2;
constexpr int kLine = 128;

__global__ void __launch_bounds__(32) touch(const char* data, int sms, int salt, unsigned* cycles) {
  __shared__ volatile unsigned arrived;
  const int sm = sm_id();
  if (sm >= sms) {
    return;
  }
  for (int i = 0; i < kPages * kLoads; ++i) {
    const char* const from =
        data + (i / kLoads) * kPage + ((static_cast<std::size_t>(sm) * 8 + salt) * kLoads + i % kLoads) * 5 * kLine;
    const unsigned start = clock_now();
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
    arrived = v;
    const unsigned stop = clock_now();
    if (threadIdx.x == 0 && arrived == 0) {
      cycles[sm * kPages * kLoads + i] = stop - start;
    }
  }
}

double median(std::vector<unsigned> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

}  // namespace

void tlb_cold(Report& report) {
  check(cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm), "cudaFuncSetAttribute");
  int salt = 0;
  for (const int sms : {1, sm_count()}) {
    const Recorder<char> data(kPages * kPage);
    for (const char* visit : {"first", "second", "after_flush"}) {
      if (std::string(visit) == "after_flush") {
        flush_l2();
      }
      const Recorder<unsigned> cycles(static_cast<std::size_t>(sm_count()) * kPages * kLoads);
      touch<<<sm_count(), 32, kOneCtaPerSm>>>(data.device(), sms, salt++, cycles.device());
      finish("tlb_cold");
      const std::vector<unsigned> seen = cycles.host();
      const std::string name = "sms=" + std::to_string(sms) + ";visit=" + visit;
      for (int load = 0; load < kLoads; ++load) {
        for (const bool start : {true, false}) {
          std::vector<unsigned> chosen;
          for (int sm = 0; sm < sms; ++sm) {
            for (int page = start ? 0 : 1; page < (start ? 1 : kPages); ++page) {
              chosen.push_back(seen[(sm * kPages + page) * kLoads + load]);
            }
          }
          report.scalar("tlb_cold", name + ";page=" + (start ? "first" : "later") + ";load=" + std::to_string(load),
                        "p50", median(chosen), "cycle");
        }
      }
      for (int sm = 0; sm<sms; sm += sms> 1 ? 11 : 1) {
        for (int i = 0; i < kPages * kLoads; ++i) {
          report.trace("tlb_cold", name, sm, i, seen[sm * kPages * kLoads + i]);
        }
      }
    }
  }
}

}  // namespace tilescope::gpu
