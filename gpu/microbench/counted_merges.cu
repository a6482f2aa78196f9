// For how long does an SM take a load's sectors into the request that another sector of the line has made?
//
// counted_merges: each warp of one SM loads the first sector of each of its lines and directly behind it, 4 cycles
// later, the second one. lts__t_requests_srcunit_tex counts requests; `asked` are made if none become one, and one for
// each 64 KB of the data besides. op: ca, LDG.STRONG.SM; nc, LDG.CONSTANT. lines: of a load. between: loads of as many
// other lines before the second one, which takes it 4 cycles further. warps: of the SM, all at once. gap: cycles from
// one reading of the clock to the other, mean, of one warp. Nobody has read the lines; their pages are known.
//
// line_rate: how many lines one SM asks L2 for in a cycle, none of which is in L1: loads of a word from each of
// `lines`, eight of them under way in each warp. op: ca, through L1; cg, past it. sectors: of each line.
#include <string>

#include "benchmarks.h"
#include "line_reader.cuh"
#include "sm_set.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 32, kRoundCycles = 6000;
constexpr int kMostWarps = 32, kMostLines = 32;
constexpr int kAllLines = 2 * kRounds * kMostWarps * kMostLines;

template <Op kOp, int kLines, int kBetween>
__global__ void probe_merges(const float* data, int sm, int* claims, float* sink, unsigned* gap) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const int warps = static_cast<int>(blockDim.x) / 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float sum = know_pages(data, kAllLines);
  long long next = clock64_now() + kRoundCycles;
  unsigned waited = 0;
  constexpr int kLanes = 32 / kLines;  // of each line
  const float* from =
      data + (warp * (1 + kBetween) * kLines + lane / kLanes) * kLineFloats + lane % kLanes % kSectorFloats;
  for (int round = 0; round < kRounds; ++round, from += warps * (1 + kBetween) * kLines * kLineFloats) {
    begin_round(next);
    const unsigned begin = clock_now();
    const float first = load_word<kOp>(from);
    float other = 0.0f;
    if constexpr (kBetween != 0) {
      other = load_word<kOp>(from + kLines * kLineFloats);
    }
    const float second = load_word<kOp>(from + kSectorFloats);
    waited += clock_now() - begin;
    sum += first + second + other;
    __syncthreads();
    next += kRoundCycles;
  }
  sink[threadIdx.x] = sum;
  if (lane == 0) {
    atomicAdd(gap, waited);
  }
}

template <Op kOp, int kLines, int kBetween>
void count_merges(Report& report, const float* data, float* sink) {
  for (const int warps : {1, 4, 16, kMostWarps}) {
    const Recorder<int> claims(1);
    const Recorder<unsigned> gap(1);
    check(cudaFuncSetAttribute(probe_merges<kOp, kLines, kBetween>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               kOneCtaPerSm),
          "cudaFuncSetAttribute");
    probe_merges<kOp, kLines, kBetween>
        <<<2 * sm_count(), 32 * warps, kOneCtaPerSm>>>(data, 0, claims.device(), sink, gap.device());
    finish("probe_merges");
    const std::string the_case = std::string("op=") + (kOp == Op::ca ? "ca" : "nc") +
                                 ";lines=" + std::to_string(kLines) + ";between=" + std::to_string(kBetween) +
                                 ";warps=" + std::to_string(warps);
    report.launch("counted_merges", the_case);
    report.scalar("counted_merges", the_case, "asked", kRounds * warps * (2 + kBetween) * kLines, "request");
    if (warps == 1) {
      report.scalar("counted_merges", the_case, "gap", static_cast<double>(gap.host()[0]) / (kRounds * warps), "cycle");
    }
  }
}

constexpr int kUnderWay = 8;

template <bool kPastL1>
__global__ void probe_line_rate(const float* data, int lines, int sectors, int loads, int sm, int* claims, float* sink,
                                int* cycles) {
  constexpr Op kOp = kPastL1 ? Op::cg : Op::ca;
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  __shared__ Span span;
  const int warps = static_cast<int>(blockDim.x) / 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int lanes = 32 / lines;  // of each line
  const float* from = data + (warp * lines + lane / lanes) * kLineFloats + lane % lanes % sectors * kSectorFloats;
  float sum = 0.0f;
  for (int i = 0; i < loads; ++i) {
    sum += load_word<Op::cg>(from + i * warps * lines * kLineFloats);
  }
  begin_span(span);
  const unsigned start = clock_now(threadIdx.x);
  for (int i = 0; i < loads; i += kUnderWay) {
    float v[kUnderWay];
#pragma unroll
    for (int k = 0; k < kUnderWay; ++k) {
      v[k] = load_word<kOp>(from + (i + k) * warps * lines * kLineFloats);
    }
#pragma unroll
    for (int k = 0; k < kUnderWay; ++k) {
      sum += v[k];
    }
  }
  sink[threadIdx.x] = sum;
  end_span(span, start, clock_now(threadIdx.x), cycles);
}

template <bool kPastL1>
void rate(Report& report, const float* data, float* sink) {
  for (const int sectors : {1, 2, 4}) {
    for (const int lines : {1, 2, 4, 8, 16, 32}) {
      if (32 / lines < sectors) {
        continue;
      }
      for (const int warps : {4, 16, kMostWarps}) {
        const int loads = kRounds * (kMostLines / lines) * (kMostWarps / warps);
        const Recorder<int> claims(1);
        const Recorder<int> cycles(1);
        check(cudaFuncSetAttribute(probe_line_rate<kPastL1>, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
              "cudaFuncSetAttribute");
        probe_line_rate<kPastL1><<<2 * sm_count(), 32 * warps, kOneCtaPerSm>>>(data, lines, sectors, loads, 0,
                                                                               claims.device(), sink, cycles.device());
        finish("probe_line_rate");
        report.scalar("line_rate",
                      std::string("op=") + (kPastL1 ? "cg" : "ca") + ";lines=" + std::to_string(lines) +
                          ";sectors=" + std::to_string(sectors) + ";warps=" + std::to_string(warps),
                      "lines_per_cycle", static_cast<double>(loads) * warps * lines / cycles.host()[0], "line/cycle");
      }
    }
  }
}

}  // namespace

void counted_merges(Report& report) {
  const Recorder<float> data(static_cast<std::size_t>(kAllLines) * kLineFloats);
  const Recorder<float> sink(32 * kMostWarps);
  count_merges<Op::ca, 1, 0>(report, data.device(), sink.device());
  count_merges<Op::ca, 2, 0>(report, data.device(), sink.device());
  count_merges<Op::ca, 4, 0>(report, data.device(), sink.device());
  count_merges<Op::ca, 16, 0>(report, data.device(), sink.device());
  count_merges<Op::ca, 32, 0>(report, data.device(), sink.device());
  count_merges<Op::ca, 1, 1>(report, data.device(), sink.device());
  count_merges<Op::ca, 4, 1>(report, data.device(), sink.device());
  count_merges<Op::nc, 1, 0>(report, data.device(), sink.device());
  count_merges<Op::nc, 4, 0>(report, data.device(), sink.device());
  count_merges<Op::nc, 1, 1>(report, data.device(), sink.device());
  count_merges<Op::nc, 4, 1>(report, data.device(), sink.device());
}

void line_rate(Report& report) {
  const Recorder<float> data(static_cast<std::size_t>(kAllLines) * kLineFloats);
  const Recorder<float> sink(32 * kMostWarps);
  rate<false>(report, data.device(), sink.device());
  rate<true>(report, data.device(), sink.device());
}

}  // namespace tilescope::gpu
