// How far apart do the SMs of a GPC run the steps of a GEMM that they share tiles in? One CTA to an SM; every step it
// loads its tiles of A (kBm x 8) and B (8 x 128) from a cold L2, waits for them at a barrier and pauses. A's lines last
// for four steps, and device memory hands out two sectors, so every other step waits for A from device memory
// (a=fetched), the others find it in L2 (a=hit); B comes from device memory in each step.
//   step: cycles from barrier to barrier, mean of all CTAs; spread: standard deviation of when the SMs of a GPC pass
//   the barrier, mean of all GPCs, steps 16 to the last but one. The clocks of one GPC's SMs agree.
#include <algorithm>
#include <cmath>
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "gpc_map.h"

namespace tilescope::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kK = 1024;
constexpr int kBk = 8;
constexpr int kBn = 128;
constexpr int kSteps = kK / kBk;
constexpr int kFirst = 16;  // step that counts: the launch is forgotten
constexpr unsigned kPause = 1300;

template <int kBm>
__global__ void __launch_bounds__(kThreads) drift(const float* a, const float* b, int n, unsigned* passed, int* sms) {
  extern __shared__ volatile float arrived[];
  const int cta = blockIdx.y * gridDim.x + blockIdx.x;
  const int thread = threadIdx.x;
  const bool of_a = thread < kBm * kBk / 4;
  const float* from_a = a + (blockIdx.y * kBm + thread / (kBk / 4)) * kK + thread % (kBk / 4) * 4;
  const float* from_b =
      b + static_cast<std::size_t>(thread / (kBn / 4)) * n + blockIdx.x * kBn + thread % (kBn / 4) * 4;
  if (thread == 0) {
    sms[cta] = sm_id();
  }
  for (int step = 0; step < kSteps; ++step) {
    float sum = sum_of_four(from_b);
    if (of_a) {
      sum += sum_of_four(from_a);
    }
    arrived[thread] = sum;  // can only be stored once all is there
    __syncthreads();
    const unsigned now = clock_now();
    if (thread == 0) {
      passed[cta * kSteps + step] = now;
    }
    from_a += kBk;
    from_b += static_cast<std::size_t>(kBk) * n;
    while (clock_now() - now < kPause) {
    }
  }
}

template <int kBm>
void measure(Report& report, const std::vector<std::vector<int>>& gpcs, int m, int n) {
  static const Recorder<float> a(2048 * kK);
  static const Recorder<float> b(2048 * kK);
  const dim3 grid(n / kBn, m / kBm);
  const int ctas = grid.x * grid.y;
  const Recorder<unsigned> passed(ctas * kSteps);
  const Recorder<int> sms(ctas);
  check(cudaFuncSetAttribute(drift<kBm>, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  for (int launch = 0; launch < 2; ++launch) {  // the first fills the instruction caches
    flush_l2();
    drift<kBm><<<grid, kThreads, kOneCtaPerSm>>>(a.device(), b.device(), n, passed.device(), sms.device());
    finish("step_drift");
  }
  const std::vector<unsigned> when = passed.host();
  const std::vector<int> sm_of_cta = sms.host();
  for (const int parity : {0, 1}) {
    double length = 0, spread = 0;
    int lengths = 0, spreads = 0;
    for (int step = kFirst + parity; step < kSteps - 1; step += 2) {
      for (const std::vector<int>& gpc : gpcs) {
        double sum = 0, squares = 0;
        int members = 0;
        unsigned origin = 0;
        for (int cta = 0; cta < ctas; ++cta) {
          if (std::find(gpc.begin(), gpc.end(), sm_of_cta[cta]) == gpc.end()) {
            continue;
          }
          const unsigned now = when[cta * kSteps + step];
          origin = members == 0 ? now : origin;
          const double late = static_cast<int>(now - origin);
          sum += late;
          squares += late * late;
          ++members;
          length += now - when[cta * kSteps + step - 1];
          ++lengths;
        }
        if (members > 1) {
          spread += std::sqrt(std::max(0.0, squares / members - sum / members * (sum / members)));
          ++spreads;
        }
      }
    }
    const std::string the_case = "tile=" + std::to_string(kBm) + "x128x8;m=" + std::to_string(m) +
                                 ";n=" + std::to_string(n) + ";a=" + (parity == 0 ? "fetched" : "hit");
    report.scalar("step_drift", the_case, "step", length / lengths, "cycle");
    report.scalar("step_drift", the_case, "spread", spread / spreads, "cycle");
  }
}

}  // namespace

void step_drift(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  measure<128>(report, gpcs, 1408, 1536);
  measure<128>(report, gpcs, 1152, 1024);
  measure<64>(report, gpcs, 2048, 512);
  measure<64>(report, gpcs, 512, 2048);
}

}  // namespace tilescope::gpu
