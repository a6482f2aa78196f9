// When does a CTA leave its SM that stores or reduces? For sm__cycles_active.
//
// counted_leaving: a CTA of `warps` warps on each of `sms` SMs. Each warp stores or reduces a word of each lane `times`
// times and ends. op, and where the words lie:
//   store, red: to each of `lines` lines, in a row, which nobody else touches, 128 / lines bytes of each
//   red_words:  to 32 of 256 words, which all share
//   red_same:   to the same word, all
// issued: cycles from a warp's first to its last, mean; last: of the slowest warp.
#include <algorithm>
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

enum class Op { store, red, red_words, red_same };

constexpr int kMostTimes = 32, kMostWarps = 8;
constexpr unsigned kLineWords = 32, kWords = 256;

template <Op kOp, unsigned kLines>
__global__ void probe_leaving(unsigned* data, int times, unsigned* issued) {
  const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const unsigned warp = blockIdx.x * warps + threadIdx.x / 32;
  const std::size_t own = static_cast<std::size_t>(warp) * kMostTimes * kLines * kLineWords;
  const unsigned start = clock_now(lane);
#pragma unroll 1
  for (int i = 0; i < times; ++i) {
    constexpr unsigned kLanes = 32 / kLines;  // of each line
    unsigned* to = data + own + (i * kLines + lane / kLanes) * kLineWords + lane % kLanes;
    if (kOp == Op::red_words) {
      to = data + (lane * 8 + i + warp) % kWords;
    } else if (kOp == Op::red_same) {
      to = data;
    }
    if (kOp == Op::store) {
      asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(i) : "memory");
    } else {
      asm volatile("red.global.add.u32 [%0], %1;" ::"l"(to), "r"(i + 1) : "memory");
    }
  }
  const unsigned stop = clock_now(lane);
  if (lane == 0) {
    issued[warp] = stop - start;
  }
}

template <Op kOp, unsigned kLines>
void measure(Report& report, const Recorder<unsigned>& data, const Recorder<unsigned>& issued) {
  static const char* const names[] = {"store", "red", "red_words", "red_same"};
  const std::string op = names[static_cast<int>(kOp)];
  for (const int sms : {1, sm_count()}) {
    for (const int warps : {1, kMostWarps}) {
      for (const int times : {1, 2, 4, 8, 16, kMostTimes}) {
        probe_leaving<kOp, kLines><<<sms, 32 * warps>>>(data.device(), times, issued.device());
        finish("probe_leaving");
        const std::string name =
            "op=" + op + (kOp == Op::store || kOp == Op::red ? ";lines=" + std::to_string(kLines) : "") +
            ";sms=" + std::to_string(sms) + ";warps=" + std::to_string(warps) + ";times=" + std::to_string(times);
        report.launch("counted_leaving", name);
        std::vector<unsigned> all = issued.host();
        all.resize(static_cast<std::size_t>(sms) * warps);
        double sum = 0;
        for (const unsigned one : all) {
          sum += one;
        }
        report.scalar("counted_leaving", name, "issued", sum / static_cast<double>(all.size()), "cycle");
        report.scalar("counted_leaving", name, "last", *std::max_element(all.begin(), all.end()), "cycle");
      }
    }
  }
}

}  // namespace

void counted_leaving(Report& report) {
  const std::size_t warps = static_cast<std::size_t>(sm_count()) * kMostWarps;
  const Recorder<unsigned> data(warps * kMostTimes * 32 * kLineWords);
  const Recorder<unsigned> issued(warps);
  measure<Op::store, 1>(report, data, issued);
  measure<Op::store, 4>(report, data, issued);
  measure<Op::store, 32>(report, data, issued);
  measure<Op::red, 1>(report, data, issued);
  measure<Op::red, 4>(report, data, issued);
  measure<Op::red, 32>(report, data, issued);
  measure<Op::red_words, 1>(report, data, issued);
  measure<Op::red_same, 1>(report, data, issued);
}

}  // namespace tilescope::gpu
