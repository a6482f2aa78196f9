// Requests for two sectors of a line, one soon after the other: which become one, of one SM and of two that do the
// same? lts__t_requests_srcunit_tex counts requests, lts__t_sectors_srcunit_tex_op_read their sectors. An SM asks for
// `asked` sectors with as many requests if none become one.
//
// op: ca, through L1; cg, past it. lines: of a load. by=warp: each warp loads a sector of each of its lines, then
// others of other lines (`between` loads of one each) or waits (`delay` additions that wait for one another), then the
// next sector of the first lines. by=next: of two warps with consecutive numbers one loads the first and one the second
// sector; by=fourth: of a warp and the fourth behind it, which share a sub-partition. warps: of each SM, all at once.
// sms: of one GPC, of different TPCs. spread: cycles by which the second of two is behind the first. state=near: an SM
// has read all lines before, past L1, a request each, on top of the counts; state=cold: nobody has. clock=1: the
// clock is read before each of the two loads of a warp, which keeps them some cycles apart; gap: cycles between, mean.
// counted_halves: the same for other sectors than a line's first two, `first` and `second`.
#include <string>
#include <utility>

#include "benchmarks.h"
#include "gpc_map.h"
#include "line_reader.cuh"
#include "sm_set.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 32, kRoundCycles = 8000;
constexpr int kMostWarps = 32;
constexpr int kPairLines = 4, kOtherLines = 8;
constexpr int kLinesOfTurn = kPairLines + kOtherLines;
constexpr int kAllLines = kRounds * kMostWarps * kLinesOfTurn;

enum class By { warp, next, fourth };

struct Pairs {
  int lines, warps, spread;
  bool read_before;
  int first = 0, second = 1;  // sectors
};

template <bool kPastL1, int kBetween, int kDelay, bool kClock = true, By kBy = By::warp>
__global__ void probe_pairs(const float* data, const int* rank_of_sm, int readers, Pairs ask, int* ready,
                            unsigned long long* agreed, float* sink, long long nothing, unsigned* gap) {
  constexpr Op kOp = kPastL1 ? Op::cg : Op::ca;
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  __shared__ long long start;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  float sum = 0.0f;
  if (ask.read_before && rank == 0) {
    for (int line = warp; line < kAllLines; line += ask.warps) {
      sum += load_word<Op::cg>(data + line * kLineFloats + lane);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    start = agreed_start(rank, readers, ready, agreed);
  }
  __syncthreads();
  long long next = start + rank * ask.spread;
  unsigned waited = 0;
  const int turn = kBy == By::warp ? warp : kBy == By::next ? warp / 2 : warp / 8 * 4 + warp % 4;
  const int sector = kBy == By::warp ? 0 : kBy == By::next ? warp % 2 : warp / 4 % 2;
  const float* from = data + (turn * kLinesOfTurn * kLineFloats + (ask.first + sector) * kSectorFloats);
  for (int round = 0; round < kRounds; ++round, from += ask.warps * kLinesOfTurn * kLineFloats) {
    const float* const pair = from + lane / kSectorFloats * kLineFloats + lane % kSectorFloats;
    while (clock64_now() < next) {
    }
    if (lane < ask.lines * kSectorFloats) {
      float v[kBetween + 2];
      const unsigned begin = kClock ? clock_now() : 0;
      v[0] = load_word<kOp>(pair);
#pragma unroll
      for (int i = 0; i < kBetween; ++i) {
        v[i + 2] = load_word<kOp>(from + (kPairLines + i) * kLineFloats + lane % kSectorFloats);
      }
      const float* second = pair + (ask.second - ask.first) * kSectorFloats;
#pragma unroll
      for (int i = 0; i < kDelay; ++i) {
        asm volatile("add.s64 %0, %0, %1;" : "+l"(second) : "l"(nothing));
      }
      if constexpr (kClock) {
        waited += clock_now() - begin;
      }
      v[1] = 0.0f;
      if constexpr (kBy == By::warp) {
        v[1] = load_word<kOp>(second);
      }
      for (const float x : v) {
        sum += x;
      }
    }
    __syncthreads();
    next += kRoundCycles;
  }
  sink[rank * blockDim.x + threadIdx.x] = sum;
  if (lane == 0) {
    atomicAdd(gap, waited);
  }
}

template <bool kPastL1, int kBetween, int kDelay, bool kClock = true, By kBy = By::warp>
void launch(Report& report, const std::vector<int>& sms, const Pairs& ask) {
  static const Recorder<float> data(static_cast<std::size_t>(kAllLines) * kLineFloats);
  static const Recorder<float> sink(2 * 32 * kMostWarps);
  const SmSet set(sms);
  const Recorder<int> ready(1);
  const Recorder<unsigned long long> agreed(1);
  const Recorder<unsigned> gap(1);
  check(cudaFuncSetAttribute(probe_pairs<kPastL1, kBetween, kDelay, kClock, kBy>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  probe_pairs<kPastL1, kBetween, kDelay, kClock, kBy><<<sm_count(), 32 * ask.warps, kOneCtaPerSm>>>(
      data.device(), set.ranks(), set.size(), ask, ready.device(), agreed.device(), sink.device(), 0, gap.device());
  finish("probe_pairs");
  const std::string the_case = std::string("op=") + (kPastL1 ? "cg" : "ca") + ";lines=" + std::to_string(ask.lines) +
                               ";between=" + std::to_string(kBetween) + ";delay=" + std::to_string(kDelay) + ";by=" +
                               (kBy == By::warp   ? "warp"
                                : kBy == By::next ? "next"
                                                  : "fourth") +
                               ";warps=" + std::to_string(ask.warps) + ";sms=" + std::to_string(set.size()) +
                               ";clock=" + (kClock ? "1" : "0") + ";spread=" + std::to_string(ask.spread) +
                               ";state=" + (ask.read_before ? "near" : "cold") +
                               (ask.first == 0 && ask.second == 1
                                    ? ""
                                    : ";first=" + std::to_string(ask.first) + ";second=" + std::to_string(ask.second));
  const char* const benchmark = ask.first == 0 && ask.second == 1 ? "counted_pairs" : "counted_halves";
  report.launch(benchmark, the_case);
  report.scalar(benchmark, the_case, "asked", kRounds * ask.warps * ((kBy == By::warp ? 2 : 1) * ask.lines + kBetween),
                "sector");
  report.scalar(benchmark, the_case, "gap", static_cast<double>(gap.host()[0]) / (kRounds * ask.warps * set.size()),
                "cycle");
}

template <bool kPastL1, int kBetween, bool kClock>
void all(Report& report, const std::vector<int>& pair) {
  for (const int lines : {1, 2, 4}) {
    for (const int warps : {1, 4, 16, 32}) {
      launch<kPastL1, kBetween, 0, kClock>(report, {pair[0]}, {lines, warps, 0, true});
      if (lines == 2 || warps == 4) {
        continue;
      }
      for (const int spread : {0, 5, 10, 20, 40}) {
        launch<kPastL1, kBetween, 0, kClock>(report, pair, {lines, warps, spread, true});
      }
      for (const int spread : {0, 10, 40, 100, 200}) {
        launch<kPastL1, kBetween, 0, kClock>(report, pair, {lines, warps, spread, false});
      }
    }
  }
}

template <bool kPastL1, int... kDelays>
void delayed(Report& report, const std::vector<int>& pair, std::integer_sequence<int, kDelays...>) {
  for (const int warps : {4, 16}) {
    (launch<kPastL1, 0, kDelays>(report, {pair[0]}, {1, warps, 0, true}), ...);
  }
  for (const int spread : {0, 5, 10, 20}) {
    (launch<kPastL1, 0, kDelays>(report, pair, {1, 4, spread, true}), ...);
  }
}

template <int... kDelays>
void apart(Report& report, const std::vector<int>& pair, std::integer_sequence<int, kDelays...>) {
  for (const int lines : {1, 4}) {
    for (const int warps : {1, 4, 16}) {
      (launch<false, 0, kDelays, false>(report, {pair[0]}, {lines, warps, 0, true}), ...);
    }
  }
}

template <By kBy>
void by_two(Report& report, const std::vector<int>& pair) {
  for (const int warps : {8, 16, 32}) {
    launch<false, 0, 0, false, kBy>(report, {pair[0]}, {1, warps, 0, true});
    launch<false, 0, 0, false, kBy>(report, {pair[0]}, {4, warps, 0, true});
    launch<true, 0, 0, false, kBy>(report, {pair[0]}, {4, warps, 0, true});
    launch<false, 0, 0, false, kBy>(report, pair, {4, warps, 0, true});
  }
}

template <int kDelay>
void of_halves(Report& report, const std::vector<int>& pair) {
  for (const auto& [first, second] :
       {std::pair{0, 2}, std::pair{0, 3}, std::pair{1, 2}, std::pair{1, 3}, std::pair{2, 3}}) {
    for (const bool near : {true, false}) {
      launch<true, 0, kDelay>(report, {pair[0]}, {1, 4, 0, near, first, second});
      for (const int spread : {0, 5, 10}) {
        launch<true, 0, kDelay>(report, pair, {1, 4, spread, near, first, second});
      }
    }
  }
}

// Two SMs, far enough apart in the list of a GPC's to belong to different TPCs.
std::vector<int> pair_of_largest() {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  const std::vector<int>& gpc = largest_gpc(gpcs);
  return {gpc[0], gpc[2]};
}

}  // namespace

void counted_halves(Report& report) {
  const std::vector<int> pair = pair_of_largest();
  of_halves<2>(report, pair);
  of_halves<5>(report, pair);
  of_halves<16>(report, pair);
}

void counted_pairs(Report& report) {
  const std::vector<int> pair = pair_of_largest();
  all<false, 0, false>(report, pair);
  all<false, 0, true>(report, pair);
  all<false, 2, true>(report, pair);
  all<false, 8, true>(report, pair);
  all<true, 0, false>(report, pair);
  all<true, 0, true>(report, pair);
  all<true, 2, true>(report, pair);
  using Delays = std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48>;
  delayed<false>(report, pair, Delays{});
  delayed<true>(report, pair, Delays{});
  apart(report, pair, std::integer_sequence<int, 1, 2, 3, 4, 6, 8>{});
  by_two<By::next>(report, pair);
  by_two<By::fourth>(report, pair);
}

}  // namespace tilescope::gpu
