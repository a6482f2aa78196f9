// What does a K step of a register-tiled GEMM wait for its loads? Every CTA loads its tiles of A (kBm x kBk) and B (kBk
// x kBn), waits for them at a barrier, pauses, and goes on to the next tiles: cycles from before the loads to after the
// barrier, over all steps of all CTAs.
//   tiles=shared: CTAs of a row share A's tiles, those of a column B's, as in a GEMM; private: each has its own copies
//   l2=cold: flushed before; warm: after the same launch (private copies of size 1024 hardly fit in L2, though)
#include "benchmarks.h"
#include "device_probe.cuh"
#include "distribution.h"

namespace tilescope::gpu {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kPause = 1000;

template <int kBm, int kBn, int kBk>
struct Tiles {
  static constexpr int kM = kBm;
  static constexpr int kN = kBn;
  static constexpr int kK = kBk;
  static constexpr int kLoadsA = kBm * kBk / 4 / kThreads;  // per thread
  static constexpr int kLoadsB = kBk * kBn / 4 / kThreads;
};

// A and B are square. `copy` is the distance of the CTAs' own copies, 0 where they share.
template <class T, bool kA, bool kB>
__global__ void __launch_bounds__(kThreads)
    steps(const float* a, const float* b, int size, std::size_t copy, unsigned* cycles) {
  a += copy * blockIdx.x + static_cast<std::size_t>(blockIdx.y) * T::kM * size;
  b += copy * blockIdx.y + static_cast<std::size_t>(blockIdx.x) * T::kN;
  cycles += (blockIdx.y * gridDim.x + blockIdx.x) * (size / T::kK);
  constexpr int kLoadsA = kA ? T::kLoadsA : 0;
  constexpr int kLoads = kLoadsA + (kB ? T::kLoadsB : 0);
  const float* from[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const bool of_a = i < kLoadsA;
    const int word = (threadIdx.x + (of_a ? i : i - kLoadsA) * kThreads) * 4;
    const int row = of_a ? word / T::kK : word / T::kN;
    from[i] = (of_a ? a + word % T::kK : b + word % T::kN) + static_cast<std::size_t>(row) * size;
  }
  volatile __shared__ float arrived[kThreads];
  for (int step = 0; step < size / T::kK; ++step) {
    __syncthreads();
    const unsigned start = clock_now();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      sum += sum_of_four(from[i]);
    }
    arrived[threadIdx.x] = sum;  // can only be stored once all is there
    __syncthreads();
    const unsigned stop = clock_now();
    if (threadIdx.x == 0) {
      cycles[step] = stop - start;
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      from[i] += i < kLoadsA ? T::kK : T::kK * size;
    }
    while (clock_now() - stop < kPause) {
    }
  }
}

struct Matrices {
  static constexpr int kMost = 1024;
  // As many copies as the narrowest tiles make rows and columns of CTAs.
  Recorder<float> a{static_cast<std::size_t>(kMost) * kMost * (kMost / 64)};
  Recorder<float> b{static_cast<std::size_t>(kMost) * kMost * (kMost / 128)};
};

template <class T, bool kA, bool kB>
void measure(Report& report, const Matrices& matrices, int size) {
  const dim3 grid(size / T::kN, size / T::kM);
  const Recorder<unsigned> cycles(static_cast<std::size_t>(grid.x) * grid.y * (size / T::kK));
  for (const bool shared : {true, false}) {
    for (const bool warm : {false, true}) {
      if (!warm) {
        flush_l2();
      }
      steps<T, kA, kB><<<grid, kThreads>>>(matrices.a.device(), matrices.b.device(), size,
                                           shared ? 0 : static_cast<std::size_t>(size) * size, cycles.device());
      finish("tile_burst");
      const std::string the_case = "size=" + std::to_string(size) + ";tile=" + std::to_string(T::kM) + "x" +
                                   std::to_string(T::kN) + "x" + std::to_string(T::kK) + ";loads=" + (kA ? "a" : "") +
                                   (kB ? "b" : "") + ";tiles=" + (shared ? "shared" : "private") +
                                   ";l2=" + (warm ? "warm" : "cold");
      report_distribution(report, "tile_burst", the_case, cycles.host(), {10, 50, 90});
    }
  }
}

template <class T>
void measure_tiles(Report& report, const Matrices& matrices) {
  for (const int size : {512, Matrices::kMost}) {
    measure<T, true, false>(report, matrices, size);
    measure<T, false, true>(report, matrices, size);
    measure<T, true, true>(report, matrices, size);
  }
}

}  // namespace

void tile_burst(Report& report) {
  const Matrices matrices;
  measure_tiles<Tiles<128, 64, 16>>(report, matrices);
  measure_tiles<Tiles<128, 128, 8>>(report, matrices);
}

}  // namespace tilescope::gpu
