// Which requests for parts of lines become one? As counted_bursts, whose launches read whole lines: SMs of one GPC read
// the same lines in bursts, all at once or some behind the others by a delay. Here each of them asks for some of a
// line's sectors alone, and more lines may be under way. l1tex__m_xbar2l1tex_read_sectors counts what the SMs get,
// lts__t_sectors_srcunit_tex_op_read what L2 is asked for. state=near: an SM first reads all lines, alone, on top of
// both counts; state=cold: nobody does.
//
// sectors: of a line, which one warp reads with one instruction; odd: of SMs of odd rank. turn=1: the SM of rank r
// begins at sector r mod 4, so that neighbours want different ones; turn=0: at the first. lines: that an SM asks for at
// once. spread: rank r of n starts a step spread * r / (n - 1) cycles behind rank 0.
#include <string>
#include <utility>

#include "benchmarks.h"
#include "gpc_map.h"
#include "line_reader.cuh"
#include "sm_set.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kLines = 8192;
constexpr int kWarps = 16;
constexpr int kStepCycles = 6000;

struct Parts {
  int sectors, odd, turn, spread;
  bool read_before;
};

template <int kLinesPerWarp>
__global__ void probe_parts(const float* data, const int* rank_of_sm, int readers, Parts ask, int* ready,
                            unsigned long long* agreed, float* sink) {
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  __shared__ long long start;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  float sum = 0.0f;
  if (ask.read_before && rank == 0) {
    for (int line = warp; line < kLines; line += kWarps) {
      sum += read_lines<1>(data + line * kLineFloats + lane);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    start = agreed_start(rank, readers, ready, agreed);
  }
  __syncthreads();
  const bool asks = lane < (rank % 2 == 0 ? ask.sectors : ask.odd) * kSectorFloats;
  const float* const from =
      data + warp * kLinesPerWarp * kLineFloats + (lane + ask.turn * rank * kSectorFloats) % kLineFloats;
  long long next = start + (readers > 1 ? ask.spread * rank / (readers - 1) : 0);
  for (int line = 0; line < kLines; line += kWarps * kLinesPerWarp) {
    while (clock64_now() < next) {
    }
    if (asks) {
      sum += read_lines<kLinesPerWarp>(from + line * kLineFloats);
    }
    __syncthreads();
    next += kStepCycles;
  }
  sink[rank * blockDim.x + threadIdx.x] = sum;
}

template <int kLinesPerWarp>
void launch(Report& report, const std::vector<int>& sms, const Parts& ask) {
  static const Recorder<float> data(kLines * kLineFloats);
  static const Recorder<float> sink(1024 * 512);
  const SmSet set(sms);
  const Recorder<int> ready(1);
  const Recorder<unsigned long long> agreed(1);
  check(cudaFuncSetAttribute(probe_parts<kLinesPerWarp>, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  probe_parts<kLinesPerWarp><<<sm_count(), kWarps * 32, kOneCtaPerSm>>>(
      data.device(), set.ranks(), static_cast<int>(sms.size()), ask, ready.device(), agreed.device(), sink.device());
  finish("probe_parts");
  report.launch("counted_parts", "sectors=" + std::to_string(ask.sectors) + ";odd=" + std::to_string(ask.odd) +
                                     ";turn=" + std::to_string(ask.turn) +
                                     ";lines=" + std::to_string(kWarps * kLinesPerWarp) +
                                     ";sms=" + std::to_string(sms.size()) + ";spread=" + std::to_string(ask.spread) +
                                     ";state=" + (ask.read_before ? "near" : "cold"));
}

}  // namespace

void counted_parts(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  const std::vector<int>& gpc = largest_gpc(gpcs);
  const auto first = [&](std::size_t count) { return std::vector<int>(gpc.begin(), gpc.begin() + count); };
  const std::vector<int> pair{gpc[0], gpc[2]};
  for (const int sectors : {1, 2, 4}) {
    for (const int turn : {0, 1}) {
      if (turn != 0 && sectors == 4) {
        continue;
      }
      for (const int spread : {0, 30, 60, 120}) {
        launch<4>(report, pair, {sectors, sectors, turn, spread, true});
        launch<16>(report, pair, {sectors, sectors, turn, spread, true});
      }
      for (const int spread : {0, 100, 200, 400, 800}) {
        launch<4>(report, pair, {sectors, sectors, turn, spread, false});
        launch<16>(report, pair, {sectors, sectors, turn, spread, false});
      }
      for (const std::size_t count : {4U, 8U, 16U}) {
        for (const int spread : {0, 200, 800}) {
          launch<4>(report, first(count), {sectors, sectors, turn, spread, true});
          launch<4>(report, first(count), {sectors, sectors, turn, spread, false});
          launch<16>(report, first(count), {sectors, sectors, turn, spread, false});
        }
      }
    }
  }
  // Some of what the other one asks for, or more than that.
  for (const auto& [even, odd] :
       {std::pair{4, 1}, std::pair{1, 4}, std::pair{4, 2}, std::pair{2, 1}, std::pair{1, 2}}) {
    for (const int spread : {0, 15, 30}) {
      launch<4>(report, pair, {even, odd, 0, spread, true});
    }
    for (const int spread : {0, 30, 100, 200}) {
      launch<4>(report, pair, {even, odd, 0, spread, false});
    }
  }
}

}  // namespace tilescope::gpu
