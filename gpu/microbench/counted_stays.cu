// Which of the lines that a load has missed can another load still join, a few cycles later?
//
// counted_stays: one warp of one SM loads the first sector of each of `lines` lines and then the second sector of the
// one line `line`. lts__t_requests_srcunit_tex counts requests; `asked` are made if none become one, and one for each
// 64 KB of the data besides. Nobody has read the lines; their pages are known. The assembler moves the first load
// behind whatever the source puts between the two, so that they are a few cycles apart whatever `operations` and `fill`
// are: by the stall counts of the machine code (CUDA 13.0) 4 with neither, 5 with operations=1, 9 with fill=1.
// gap: cycles from one reading of the clock to the other, mean.
#include <algorithm>
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "line_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 32, kRoundCycles = 6000;
constexpr int kMostLines = 32;
constexpr int kAllLines = kRounds * kMostLines;

// `nothing` is zero, `turns` one.
template <int kLines, int kOperations, int kFill>
__global__ void probe_stays(const float* data, int line, int turns, int sm, int* claims, int nothing, float* sink,
                            unsigned* gap) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  const int warps = static_cast<int>(blockDim.x) / 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float sum = know_pages(data, kAllLines);
  long long next = clock64_now() + kRoundCycles;
  unsigned waited = 0;
  int later = kSectorFloats, beside[4] = {lane, lane, lane, lane};
  constexpr int kLanes = 32 / kLines;  // of each line
  const float* from = data + (warp * kLines + lane / kLanes) * kLineFloats + lane % kLanes % kSectorFloats;
  const float* again = data + (warp * kLines + line) * kLineFloats + lane % kSectorFloats;
  for (int round = 0; round < kRounds; ++round) {
    begin_round(next);
    const unsigned begin = clock_now();
    const float first = load_word<Op::ca>(from);
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
      for (int i = 0; i < kFill; ++i) {
        asm volatile("xor.b32 %0, %0, %1;" : "+r"(beside[i % 4]) : "r"(nothing) : "memory");
      }
#pragma unroll
      for (int i = 0; i < kOperations; ++i) {
        if (i % 2 == 0) {
          asm volatile("xor.b32 %0, %0, %1;" : "+r"(later) : "r"(nothing) : "memory");
        } else {
          asm volatile("add.s32 %0, %0, %1;" : "+r"(later) : "r"(nothing) : "memory");
        }
      }
    }
    const float second = load_word<Op::ca>(again + later);
    waited += clock_now() - begin;
    sum += first + second;
    later += __float_as_int(sum) == 1 ? 1 : 0;
    __syncthreads();
    next += kRoundCycles;
    from += warps * kLines * kLineFloats;
    again += warps * kLines * kLineFloats;
  }
  sink[threadIdx.x] = sum + static_cast<float>(beside[0] + beside[1] + beside[2] + beside[3]);
  if (lane == 0) {
    atomicAdd(gap, waited);
  }
}

template <int kLines, int kOperations, int kFill>
void count_stays(Report& report, const float* data, float* sink) {
  check(cudaFuncSetAttribute(probe_stays<kLines, kOperations, kFill>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kOneCtaPerSm),
        "cudaFuncSetAttribute");
  // Of each four that are looked up together the first one, and the last of all.
  for (int line = 0, after = -1; line != after; after = line, line = std::min(line + 4, kLines - 1)) {
    const Recorder<int> claims(1);
    const Recorder<unsigned> gap(1);
    probe_stays<kLines, kOperations, kFill>
        <<<2 * sm_count(), 32, kOneCtaPerSm>>>(data, line, 1, 0, claims.device(), 0, sink, gap.device());
    finish("probe_stays");
    const std::string the_case = "lines=" + std::to_string(kLines) + ";operations=" + std::to_string(kOperations) +
                                 ";fill=" + std::to_string(kFill) + ";line=" + std::to_string(line);
    report.launch("counted_stays", the_case);
    report.scalar("counted_stays", the_case, "asked", kRounds * (kLines + 1), "request");
    report.scalar("counted_stays", the_case, "gap", static_cast<double>(gap.host()[0]) / kRounds, "cycle");
  }
}

template <int kLines>
void count_all_stays(Report& report, const float* data, float* sink) {
  count_stays<kLines, 0, 0>(report, data, sink);
  count_stays<kLines, 1, 0>(report, data, sink);
  count_stays<kLines, 0, 1>(report, data, sink);
}

}  // namespace

void counted_stays(Report& report) {
  const Recorder<float> data(static_cast<std::size_t>(kAllLines) * kLineFloats);
  const Recorder<float> sink(32);
  count_all_stays<1>(report, data.device(), sink.device());
  count_all_stays<4>(report, data.device(), sink.device());
  count_all_stays<8>(report, data.device(), sink.device());
  count_all_stays<16>(report, data.device(), sink.device());
  count_all_stays<32>(report, data.device(), sink.device());
}

}  // namespace tilescope::gpu
