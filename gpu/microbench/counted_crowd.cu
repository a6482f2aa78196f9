// How many lines does a GPC remember for requests that become one? Two SMs of a GPC read one sector of the same lines
// in bursts, one behind the other by a delay, while others (the crowd) read lines of their own, all cold. What two ask
// L2 for is lts__t_sectors_srcunit_tex_op_read less what the crowd asks for: sms * lines * kSteps.
//
// sms: of the crowd, of the same GPC (of=same) or of another one (of=other). lines: that each of them asks for at once,
// when the first of the two does. spread: cycles by which the second of the two is behind the first.
#include <algorithm>
#include <string>

#include "benchmarks.h"
#include "gpc_map.h"
#include "line_reader.cuh"
#include "sm_set.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kWarps = 16, kSteps = 32, kStepCycles = 8000;
constexpr int kPair = 2, kPairLinesPerWarp = 4;
constexpr int kMostLinesPerWarp = 16, kMostCrowd = 16;
constexpr int kPairLines = kSteps * kWarps * kPairLinesPerWarp;

template <int kLinesPerWarp>
__global__ void probe_crowd(const float* data, const int* rank_of_sm, int readers, int spread, int* ready,
                            unsigned long long* agreed, float* sink) {
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  __shared__ long long start;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  if (threadIdx.x == 0) {
    start = agreed_start(rank, readers, ready, agreed);
  }
  __syncthreads();
  const bool of_pair = rank < kPair;
  const int per_step = kWarps * (of_pair ? kPairLinesPerWarp : kLinesPerWarp);
  const float* from = data + lane + warp * (of_pair ? kPairLinesPerWarp : kLinesPerWarp) * kLineFloats;
  if (!of_pair) {
    from += (kPairLines + static_cast<std::size_t>(rank - kPair) * kSteps * per_step) * kLineFloats;
  }
  long long next = start + (rank == 1 ? spread : 0);
  float sum = 0.0f;
  for (int step = 0; step < kSteps; ++step) {
    while (clock64_now() < next) {
    }
    if (lane < kSectorFloats) {
      sum += of_pair ? read_lines<kPairLinesPerWarp>(from) : read_lines<kLinesPerWarp>(from);
    }
    __syncthreads();
    next += kStepCycles;
    from += per_step * kLineFloats;
  }
  sink[rank * blockDim.x + threadIdx.x] = sum;
}

template <int kLinesPerWarp>
void launch(Report& report, const std::vector<int>& sms, const char* of, int spread) {
  static const Recorder<float> data((kPairLines + kMostCrowd * kSteps * kWarps * kMostLinesPerWarp) * kLineFloats);
  static const Recorder<float> sink(1024 * 512);
  const SmSet set(sms);
  const Recorder<int> ready(1);
  const Recorder<unsigned long long> agreed(1);
  check(cudaFuncSetAttribute(probe_crowd<kLinesPerWarp>, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  probe_crowd<kLinesPerWarp><<<sm_count(), kWarps * 32, kOneCtaPerSm>>>(
      data.device(), set.ranks(), static_cast<int>(sms.size()), spread, ready.device(), agreed.device(), sink.device());
  finish("probe_crowd");
  report.launch("counted_crowd", std::string("of=") + of + ";sms=" + std::to_string(sms.size() - kPair) + ";lines=" +
                                     std::to_string(kWarps * kLinesPerWarp) + ";spread=" + std::to_string(spread));
}

}  // namespace

void counted_crowd(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  const std::vector<int>& gpc = largest_gpc(gpcs);
  const std::vector<int>& other = &gpc == &gpcs.front() ? gpcs.back() : gpcs.front();
  for (const std::size_t crowd : {0U, 1U, 2U, 4U, 8U, 14U}) {
    for (const bool same : {true, false}) {
      std::vector<int> sms{gpc[0], gpc[2]};
      const std::vector<int>& from = same ? gpc : other;
      for (std::size_t i = 0; i < from.size() && sms.size() < crowd + kPair; ++i) {
        if (std::find(sms.begin(), sms.end(), from[i]) == sms.end()) {
          sms.push_back(from[i]);
        }
      }
      for (const int spread : {0, 50, 100, 200, 300}) {
        launch<4>(report, sms, same ? "same" : "other", spread);
        launch<16>(report, sms, same ? "same" : "other", spread);
      }
    }
  }
}

}  // namespace tilescope::gpu
