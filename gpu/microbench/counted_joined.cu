// When does an SM get a line that another SM of its GPC has just asked for? Under a profiler the counters tell whether
// the two became one request, as in counted_coalescer; here each SM also notes its clock before and after its load.
//   delay: SM b loads each line a fixed time after SM a. Lines are in L2 (state=near) or not (state=cold). first and
//   second: how long a's and b's loads take, cycles, mean of all lines.
//   pace: ranks 0 to n-1 begin `offset` cycles apart from one another and then go from line to line on their own: load,
//   wait, pause. apart: standard deviation of when they have the step's lines, mean of the steps from `from` on to
//   twice as many. The clocks of one GPC's SMs agree.
// late, behind: by how much the second asks and has its line later.
#include <algorithm>
#include <cmath>
#include <string>

#include "benchmarks.h"
#include "gpc_map.h"
#include "sm_set.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kLines = 4096;
constexpr int kStepCycles = 3000;
constexpr int kPause = 600;

enum class Pacing { by_clock, free };

// One CTA of `warps` warps per SM; a step is one line for every warp.
template <Pacing pacing>
__global__ void probe_joined(const float* data, const int* rank_of_sm, int readers, int offset, bool read_before,
                             int* ready, unsigned long long* agreed, int* before, int* after, float* sink) {
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  __shared__ long long start;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int steps = kLines / warps;
  float sum = 0.0f;
  const auto read = [&](int line) {
    float v;
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(data + line * 32 + lane) : "memory");
    return v;
  };
  if (rank == 0 && read_before) {
    for (int line = warp; line < kLines; line += warps) {
      sum += read(line);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    start = agreed_start(rank, readers, ready, agreed);
  }
  __syncthreads();
  const long long origin = start;
  // Instructions and addresses are translated by a first round that nobody looks at.
  for (int round = 0; round < 2; ++round) {
    const int first = round == 0 ? steps - 2 : 0;
    long long next = origin + round * 20000 + offset * rank;
    for (int step = first; step < steps; ++step) {
      if (pacing == Pacing::by_clock || step == first) {
        while (clock64_now() < next) {
        }
        next += kStepCycles;
      }
      const long long asked = clock64_now();
      const float v = read(step * warps + warp);
      long long there;
      asm volatile("{.reg .pred p; setp.neu.f32 p, %1, 0f7F800000; @p mov.u64 %0, %%clock64;}"
                   : "=l"(there)
                   : "f"(v)
                   : "memory");
      sum += v;
      if (warps > 1) {
        __syncthreads();
        there = clock64_now();
      }
      if (round == 1 && threadIdx.x == 0) {
        before[rank * kLines + step] = static_cast<int>(asked - origin);
        after[rank * kLines + step] = static_cast<int>(there - origin);
      }
      if (pacing == Pacing::free) {
        while (clock64_now() < there + kPause) {
        }
      }
    }
  }
  sink[rank * blockDim.x + threadIdx.x] = sum;
}

struct Times {
  std::vector<int> before, after;
};

template <Pacing pacing>
Times launch(Report& report, const std::string& the_case, const std::vector<int>& sms, int warps, int offset,
             bool read_before) {
  static const Recorder<float> data(kLines * 32);
  static const Recorder<float> sink(1024 * 512);
  static const Recorder<int> before(kLines * 32), after(kLines * 32);
  const SmSet set(sms);
  const Recorder<int> ready(1);
  const Recorder<unsigned long long> agreed(1);
  check(cudaFuncSetAttribute(probe_joined<pacing>, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  flush_l2();
  probe_joined<pacing><<<sm_count(), warps * 32, kOneCtaPerSm>>>(
      data.device(), set.ranks(), static_cast<int>(sms.size()), offset, read_before, ready.device(), agreed.device(),
      before.device(), after.device(), sink.device());
  finish("probe_joined");
  report.launch("counted_joined", the_case);
  return {before.host(), after.host()};
}

void delays(Report& report, int a, int b, const char* pair, bool read_before) {
  std::vector<int> all = {0, 10, 20, 30, 40, 45, 50, 55, 60, 65, 70, 75, 80, 90, 100, 120, 160, 200, 300};
  if (!read_before) {
    all = {0, 20, 40, 60, 80, 100, 150, 200, 300, 400, 500, 600, 700, 800, 1000, 1400};
  }
  for (const int delay : all) {
    const std::string the_case =
        std::string("delay=") + std::to_string(delay) + ";pair=" + pair + ";state=" + (read_before ? "near" : "cold");
    const Times times = launch<Pacing::by_clock>(report, the_case, {a, b}, 1, delay, read_before);
    double taken[2] = {0, 0}, late = 0, behind = 0;
    for (int step = 16; step < kLines; ++step) {
      for (int rank = 0; rank < 2; ++rank) {
        taken[rank] += times.after[rank * kLines + step] - times.before[rank * kLines + step];
      }
      late += times.before[kLines + step] - times.before[step];
      behind += times.after[kLines + step] - times.after[step];
    }
    const int count = kLines - 16;
    report.scalar("counted_joined", the_case, "first", taken[0] / count, "cycle");
    report.scalar("counted_joined", the_case, "second", taken[1] / count, "cycle");
    report.scalar("counted_joined", the_case, "late", late / count, "cycle");
    report.scalar("counted_joined", the_case, "behind", behind / count, "cycle");
  }
}

void pace(Report& report, const std::vector<int>& sms, int warps, int offset, bool read_before) {
  const std::string the_case = "pace=free;sms=" + std::to_string(sms.size()) + ";warps=" + std::to_string(warps) +
                               ";offset=" + std::to_string(offset) + ";state=" + (read_before ? "near" : "cold");
  const Times times = launch<Pacing::free>(report, the_case, sms, warps, offset, read_before);
  const int steps = kLines / warps;
  for (int from = 0, to = 1; from < steps; from = to, to = std::min(steps, to * 2)) {
    double sum_of_deviations = 0;
    for (int step = from; step < to; ++step) {
      double sum = 0, squares = 0;
      for (std::size_t rank = 0; rank < sms.size(); ++rank) {
        const double late = times.after[rank * kLines + step] - times.after[step];
        sum += late;
        squares += late * late;
      }
      const double mean = sum / static_cast<double>(sms.size());
      sum_of_deviations += std::sqrt(std::max(0.0, squares / static_cast<double>(sms.size()) - mean * mean));
    }
    report.scalar("counted_joined", the_case + ";from=" + std::to_string(from), "apart",
                  std::round(sum_of_deviations / (to - from)), "cycle");
  }
}

}  // namespace

void counted_joined(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  const std::vector<int>& gpc = largest_gpc(gpcs);
  for (const bool read_before : {true, false}) {
    delays(report, gpc[0], gpc[2], "tpcs", read_before);
    delays(report, gpc[0], gpc[1], "tpc", read_before);
  }
  const auto first = [&](std::size_t count) { return std::vector<int>(gpc.begin(), gpc.begin() + count); };
  for (const bool read_before : {true, false}) {
    for (const int warps : {1, 16}) {
      for (const int offset : {0, 15, 40, 80, 200}) {
        pace(report, {gpc[0], gpc[2]}, warps, offset, read_before);
        pace(report, first(4), warps, offset, read_before);
        pace(report, first(16), warps, offset, read_before);
      }
    }
  }
}

}  // namespace tilescope::gpu
