// What a cp.async costs the SM's data stage, by the lines that its lanes read and by the banks that they write.
//   bytes: of a lane; l1: allocates in L1 (.ca) or not (.cg); lines: that the 32 lanes read, with as many neighbours
//   each; order=line: neighbours in a line are neighbouring lanes; order=column: lane i reads line i modulo lines.
//   write=row: lanes write neighbouring places; write=column: lane i writes the place that it has when rows and columns
//   of the copied tile are exchanged, rows of 32 places and one of padding.
//   state=l1: the lines are in L1; l2: they come from L2.
//   cycles: of a copy, kWarps warps on one SM. For ncu: l1tex__data_pipe_lsu_wavefronts and its parts.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kWarps = 8;
constexpr int kRounds = 32;
constexpr int kGroup = 8;
constexpr unsigned kLine = 128;

template <int kBytes, bool kPastL1>
__global__ void __launch_bounds__(kWarps * 32) probe_copies(const char* data, int lines, bool column, bool transposed,
                                                            bool walks, int sm, int* claims, int* cycles) {
  extern __shared__ __align__(128) char tile[];
  __shared__ Span span;
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  begin_span(span);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int in_line = 32 / lines;
  const int line = column ? lane % lines : lane / in_line, place = column ? lane / lines : lane % in_line;
  const char* from = data + (warp * 32 + line) * kLine + place * kBytes;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + warp * (33 * 8 * 16) +
                      (transposed ? (place * 33 + line) * kBytes : lane * kBytes);
  const unsigned start = clock_now();
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      if constexpr (kPastL1) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
      } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(kBytes) : "memory");
      }
      from += walks ? kWarps * 32 * kLine : 0;
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  end_span(span, start, clock_now(), cycles);
}

}  // namespace

void counted_copies(Report& report) {
  const Recorder<char> data(static_cast<std::size_t>(kWarps) * 32 * kLine * kGroup * (kRounds + 1));
  Recorder<int> claims(1);
  const Recorder<int> cycles(1);
  const auto run = [&](auto kernel, int bytes, bool past_l1, int lines, bool column, bool transposed, bool walks) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
          "cudaFuncSetAttribute");
    claims.clear();
    kernel<<<4 * sm_count(), kWarps * 32, kOneCtaPerSm>>>(data.device(), lines, column, transposed, walks, 0,
                                                          claims.device(), cycles.device());
    finish("probe_copies");
    const std::string the_case = "bytes=" + std::to_string(bytes) + ";l1=" + (past_l1 ? "no" : "yes") +
                                 ";lines=" + std::to_string(lines) + ";order=" + (column ? "column" : "line") +
                                 ";write=" + (transposed ? "column" : "row") + ";state=" + (walks ? "l2" : "l1");
    report.launch("counted_copies", the_case);
    report.scalar("counted_copies", the_case, "cycles",
                  cycles.host()[0] / static_cast<double>(kWarps * kRounds * kGroup), "cycle");
  };
  for (const bool walks : {false, true}) {
    for (const bool column : {false, true}) {
      for (const bool transposed : {false, true}) {
        for (const int lines : {1, 2, 4, 8, 16, 32}) {
          run(probe_copies<4, false>, 4, false, lines, column, transposed, walks);
          if (lines >= 2) {
            run(probe_copies<8, false>, 8, false, lines, column, transposed, walks);
          }
          if (lines >= 4) {
            run(probe_copies<16, false>, 16, false, lines, column, transposed, walks);
            run(probe_copies<16, true>, 16, true, lines, column, transposed, walks);
          }
        }
      }
    }
  }
}

}  // namespace tilescope::gpu
