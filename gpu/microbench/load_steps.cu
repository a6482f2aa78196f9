// What the steps of a product without shared memory cost an SM: each thread loads one word of A, which lanes of a row
// share, and one of B, which lanes of a column share, and adds their product, four steps at a time.
//   per_step: cycles of the SM for one step of one warp, from the first start to the last stop of all warps.
// loads: both, a or b; width: lanes of a row, CTAs being `width` x 256 / `width` threads; ctas: of 256 threads on the
// SM, each with its own rows and columns; a, b: where each is, l1 or l2.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kSteps = 512;
constexpr int kTurn = 32;  // steps of a line of A, after which what is in L1 is read again
constexpr int kThreads = 256;
constexpr int kRowWords = 1 << 10;  // of A and of B
constexpr int kMostCtas = 8;
constexpr int kAWords = 32 * kRowWords;      // of a CTA
constexpr int kBWords = kSteps * kRowWords;  // of all CTAs: each takes its columns of every row
enum class Loads { kBoth, kA, kB };
constexpr const char* kLoadsNames[] = {"both", "a", "b"};

template <int kWidth, Loads kLoads>
__global__ void __launch_bounds__(kThreads)
    probe_load_steps(const float* __restrict__ a, const float* __restrict__ b, int a_turn, int b_turn, int ctas, int sm,
                     int* claims, unsigned* clocks, float* sink) {
  const int rank = claim_sm(sm, ctas, claims);
  if (rank < 0) {
    return;
  }
  const int column = threadIdx.x % kWidth, row = threadIdx.x / kWidth;
  const float* from_a = a + rank * kAWords + row * kRowWords;
  const float* from_b = b + rank * 32 + column;
  float sum = 0;
  const unsigned start = clock_now();
#pragma unroll 1
  for (int turn = 0; turn < kSteps / kTurn; ++turn) {
#pragma unroll 4
    for (int k = 0; k < kTurn; ++k) {
      const float va = kLoads == Loads::kB ? 1.5F : from_a[k];
      const float vb = kLoads == Loads::kA ? 1.5F : from_b[k * kRowWords];
      sum = fmaf(va, vb, sum);
    }
    from_a += a_turn;
    from_b += b_turn;
  }
  const unsigned stop = clock_now();
  if (threadIdx.x % 32 == 0) {
    const int warp = (rank * kThreads + threadIdx.x) / 32;
    clocks[2 * warp] = start;
    clocks[2 * warp + 1] = stop;
  }
  sink[rank * kThreads + threadIdx.x] = sum;
}

template <int kWidth, Loads kLoads>
void measure(Report& report, const Recorder<float>& a, const Recorder<float>& b, int ctas, bool a_l2, bool b_l2) {
  Recorder<int> claims(1);
  Recorder<unsigned> clocks(2 * kMostCtas * kThreads / 32);
  const Recorder<float> sink(kMostCtas * kThreads);
  double least = 0;
  for (int repeat = 0; repeat < 4; ++repeat) {
    claims.clear();
    probe_load_steps<kWidth, kLoads>
        <<<kMostCtas * sm_count(), kThreads>>>(a.device(), b.device(), a_l2 ? kTurn : 0, b_l2 ? kTurn * kRowWords : 0,
                                               ctas, 0, claims.device(), clocks.device(), sink.device());
    finish("load_steps");
    const std::vector<unsigned> seen = clocks.host();
    unsigned first = ~0U, last = 0;
    const int warps = ctas * kThreads / 32;
    for (int warp = 0; warp < warps; ++warp) {
      first = std::min(first, seen[2 * warp]);
      last = std::max(last, seen[2 * warp + 1]);
    }
    const double per_step = static_cast<double>(last - first) / (kSteps * warps);
    least = repeat == 0 ? per_step : std::min(least, per_step);
  }
  report.scalar("load_steps",
                std::string("loads=") + kLoadsNames[static_cast<int>(kLoads)] + ";width=" + std::to_string(kWidth) +
                    ";ctas=" + std::to_string(ctas) + ";a=" + (a_l2 ? "l2" : "l1") + ";b=" + (b_l2 ? "l2" : "l1"),
                "per_step", least, "cycle");
}

template <int kWidth>
void measure_all(Report& report, const Recorder<float>& a, const Recorder<float>& b) {
  for (const int ctas : {1, 2, 4, 8}) {
    for (const bool b_l2 : {false, true}) {
      for (const bool a_l2 : {false, true}) {
        measure<kWidth, Loads::kBoth>(report, a, b, ctas, a_l2, b_l2);
      }
      measure<kWidth, Loads::kA>(report, a, b, ctas, b_l2, false);
      measure<kWidth, Loads::kB>(report, a, b, ctas, false, b_l2);
    }
  }
}

}  // namespace

void load_steps(Report& report) {
  const Recorder<float> a(static_cast<std::size_t>(kMostCtas) * kAWords), b(kBWords);
  measure_all<8>(report, a, b);
  measure_all<16>(report, a, b);
  measure_all<32>(report, a, b);
}

}  // namespace tilescope::gpu
