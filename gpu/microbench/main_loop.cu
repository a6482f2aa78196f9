// The main loop of a tiled product by TMA and wgmma: one thread fetches a step of A (BM rows) and of B (BN rows), 128
// bytes of each row, into a ring of `stages`; each warpgroup multiplies 64 rows of halves by n = BN. In a cluster of
// CM x CN CTAs those with the same rows share A and those with the same columns B: each fetches its share of the rows
// for all of them, and fills a stage again when all of them have read it.
//   tile: BM x BN. ctas: in all. work=copy: stages are only waited for; multiply: multiplied, too.
//   data: cold, L2 has other lines; resident, L2 has the lines that the launch before has read.
//   step: cycles from the first full stage of a CTA to its last, a step. first: from the beginning to the first full
//   stage. Means of the CTAs.
// Traces: index is the step, value the cycles from the first full stage to this one, mean of the CTAs.
#include <string>

#include "../common/tensor_map.h"
#include "../common/wgmma.cuh"
#include "benchmarks.h"
#include "hopper.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRowBytes = 128;
constexpr int kHalves = kRowBytes / 2;
constexpr int kTraced = 64;
constexpr int kMostSteps = 128;

struct Times {
  unsigned first, last;
  unsigned step[kTraced];
};

template <int BM, int BN, int STAGES, int CM, int CN>
struct Loop {
  static constexpr int kGroups = BM / 64;
  static constexpr int kThreads = kGroups * 128 + 32;
  static constexpr int kStageBytes = (BM + BN) * kRowBytes;
  static constexpr int kSharedBytes = STAGES * kStageBytes + 1024;
};

#ifdef TILESCOPE_SM90A
__device__ inline void load_rows(unsigned shared, const CUtensorMap& map, int column, int row, unsigned barrier,
                                 unsigned ctas, bool alone) {
  if (alone) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(shared),
        "l"(&map), "r"(column), "r"(row), "r"(barrier)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
        "[%1, {%2, %3}], [%4], %5;" ::"r"(shared),
        "l"(&map), "r"(column), "r"(row), "r"(barrier), "h"(static_cast<unsigned short>(ctas))
        : "memory");
  }
}
#endif

template <int BM, int BN, int STAGES, int CM, int CN, bool MULTIPLY>
__global__ void __launch_bounds__(Loop<BM, BN, STAGES, CM, CN>::kThreads, 1)
    main_loop(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, int steps,
              Times* times, unsigned* sink) {
#ifdef TILESCOPE_SM90A
  using Shape = Loop<BM, BN, STAGES, CM, CN>;
  __shared__ alignas(8) unsigned long long barriers[2 * STAGES];
  __shared__ unsigned seen[kTraced];
  const unsigned full = shared_address(barriers);
  const unsigned empty = full + 8 * STAGES;
  const unsigned ring = aligned_shared();
  const unsigned start = clock_now();
  const unsigned rank = CM * CN == 1 ? 0 : cluster_rank();
  const unsigned i = rank % CM;  // which rows
  const unsigned j = rank / CM;  // which columns
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; ++stage) {
      mbarrier_init(full + 8 * stage, 1);
      mbarrier_init(empty + 8 * stage, 4 * Shape::kGroups * (CM + CN - 1));
    }
    mbarrier_publish();
  }
  if constexpr (CM * CN > 1) {
    cluster_sync();
  } else {
    __syncthreads();
  }
  int stage = 0;
  unsigned parity = 0;
  const auto advance = [&] {
    stage = stage + 1 == STAGES ? 0 : stage + 1;
    parity ^= stage == 0 ? 1 : 0;
  };
  const int group = __shfl_sync(0xffffffffU, threadIdx.x / 128, 0);
  if (group == Shape::kGroups) {
    if (threadIdx.x == Shape::kGroups * 128) {
      constexpr int kRowsOfA = BM / CN;
      constexpr int kRowsOfB = BN / CM;
      const int a_row = blockIdx.x * BM + j * kRowsOfA;
      const int b_row = blockIdx.y * BN + i * kRowsOfB;
      unsigned a_ctas = 0;
      unsigned b_ctas = 0;
      for (int k = 0; k < CN; ++k) {
        a_ctas |= 1U << (i + k * CM);
      }
      for (int k = 0; k < CM; ++k) {
        b_ctas |= 1U << (k + j * CM);
      }
      for (int step = 0; step < steps; ++step) {
        while (!mbarrier_try_wait(empty + 8 * stage, parity ^ 1)) {
        }
        const unsigned to = ring + stage * Shape::kStageBytes;
        const unsigned barrier = full + 8 * stage;
        mbarrier_arrive_expect(barrier, Shape::kStageBytes);
        load_rows(to + j * kRowsOfA * kRowBytes, a_map, step * kHalves, a_row, barrier, a_ctas, CN == 1);
        load_rows(to + (BM + i * kRowsOfB) * kRowBytes, b_map, step * kHalves, b_row, barrier, b_ctas, CM == 1);
        advance();
      }
    }
    __syncwarp();
  } else {
    const int lane = threadIdx.x % 32;
    const unsigned long long descriptor = Layout{kRowBytes, true}.descriptor();
    // To all CTAs that send here: those with the same rows, and those with the same columns.
    const auto release = [&](int which) {
      if (lane < CM + CN - 1) {
        if constexpr (CM * CN > 1) {
          const unsigned peer = lane < CN ? i + lane * CM : (i + lane - CN + 1) % CM + j * CM;
          mbarrier_arrive_cluster(cluster_address(empty + 8 * which, peer));
        } else {
          mbarrier_arrive(empty + 8 * which);
        }
      }
    };
    unsigned sums[BN / 2] = {};
    int before = 0;
    unsigned first = 0;
    unsigned last = 0;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      while (!mbarrier_try_wait(full + 8 * stage, parity)) {
      }
      last = clock_now(lane);
      if (step == 0) {
        first = last;
      }
      if (threadIdx.x == 0 && step < kTraced) {
        seen[step] = last;
      }
      if constexpr (MULTIPLY) {
        const unsigned from = ring + stage * Shape::kStageBytes;
        const unsigned long long a = descriptor + (from + group * 64 * kRowBytes) / 16;
        const unsigned long long b = descriptor + (from + BM * kRowBytes) / 16;
        wgmma_fence();
#pragma unroll
        for (int k = 0; k < kRowBytes / 32; ++k) {
          wgmma<Input::kF16, BN, false, false>(sums, a + k * 2, b + k * 2);
        }
        wgmma_commit();
        wgmma_wait<1>();
        if (step > 0) {
          release(before);
        }
        before = stage;
      } else {
        release(stage);
      }
      advance();
    }
    if constexpr (MULTIPLY) {
      wgmma_wait<0>();
      release(before);
      unsigned sum = 0;
      for (const unsigned one : sums) {
        sum |= one;
      }
      sink[threadIdx.x] = sum;
    }
    if (threadIdx.x == 0) {
      Times& mine = times[blockIdx.x + gridDim.x * blockIdx.y];
      mine.first = first - start;
      mine.last = last - start;
      for (int step = 0; step < kTraced && step < steps; ++step) {
        mine.step[step] = seen[step] - start;
      }
    }
  }
  if constexpr (CM * CN > 1) {
    cluster_sync();  // no CTA ends while another one writes to it or arrives at its mbarriers
  }
#endif
}

struct Matrices {
  Recorder<char> a{std::size_t{kMostSteps} * kRowBytes * 256 * 132};
  Recorder<char> b{std::size_t{kMostSteps} * kRowBytes * 256 * 132};
  Recorder<unsigned> sink{1024};
};

// `wide` x `high` clusters.
template <int BM, int BN, int STAGES, int CM, int CN, bool MULTIPLY>
void measure(Report& report, const Matrices& data, int wide, int high, bool resident, int steps) {
  using Shape = Loop<BM, BN, STAGES, CM, CN>;
  const auto kernel = main_loop<BM, BN, STAGES, CM, CN, MULTIPLY>;
  allow_shared_memory(kernel, Shape::kSharedBytes);
  const int x = wide * CM;
  const int y = high * CN;
  const CUtensorMap a_map = matrix_map(data.a.device(), x * BM, steps * kHalves, BM / CN, kHalves, 128);
  const CUtensorMap b_map = matrix_map(data.b.device(), y * BN, steps * kHalves, BN / CM, kHalves, 128);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = CM;
  attribute.val.clusterDim.y = CN;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(x, y);
  config.blockDim = Shape::kThreads;
  config.dynamicSmemBytes = Shape::kSharedBytes;
  config.attrs = &attribute;
  config.numAttrs = CM * CN > 1 ? 1 : 0;
  const Recorder<Times> times(x * y);
  for (int launch = 0; launch < 2; ++launch) {
    if (!resident) {
      flush_l2();
    }
    check(cudaLaunchKernelEx(&config, kernel, a_map, b_map, steps, times.device(), data.sink.device()),
          "cudaLaunchKernelEx");
    finish("main_loop");
  }
  double first = 0;
  double last = 0;
  double seen[kTraced] = {};
  const double weight = 1.0 / (x * y);
  for (const Times& one : times.host()) {
    first += one.first * weight;
    last += one.last * weight;
    for (int step = 0; step < kTraced; ++step) {
      seen[step] += (one.step[step] - one.first) * weight;
    }
  }
  const std::string the_case = "tile=" + std::to_string(BM) + "x" + std::to_string(BN) +
                               ";stages=" + std::to_string(STAGES) + ";cluster=" + std::to_string(CM) + "x" +
                               std::to_string(CN) + ";ctas=" + std::to_string(x * y) +
                               ";work=" + (MULTIPLY ? "multiply" : "copy") +
                               ";data=" + (resident ? "resident" : "cold") + ";steps=" + std::to_string(steps);
  report.scalar("main_loop", the_case, "first", first, "cycle");
  report.scalar("main_loop", the_case, "step", (last - first) / (steps - 1), "cycle");
  for (int step = 0; step < kTraced && step < steps; ++step) {
    report.trace("main_loop", the_case, 0, step, static_cast<long long>(seen[step]));
  }
}

template <int BM, int BN, int STAGES, int CM, int CN>
void measure(Report& report, const Matrices& data, int wide, int high) {
  for (const bool resident : {true, false}) {
    for (const int many : {0, 1}) {
      const int w = many != 0 ? wide : 1;
      const int h = many != 0 ? high : 1;
      measure<BM, BN, STAGES, CM, CN, false>(report, data, w, h, resident, 128);
      measure<BM, BN, STAGES, CM, CN, true>(report, data, w, h, resident, 128);
      measure<BM, BN, STAGES, CM, CN, true>(report, data, w, h, resident, 24);
    }
  }
}

}  // namespace

void main_loop(Report& report) {
  if (!has_hopper("main_loop")) {
    return;
  }
  const Matrices data;
  measure<64, 64, 12, 1, 1>(report, data, 12, 10);
  measure<64, 64, 12, 1, 2>(report, data, 12, 5);
  measure<64, 64, 12, 1, 4>(report, data, 12, 2);
  measure<64, 64, 12, 2, 1>(report, data, 6, 10);
  measure<64, 64, 12, 2, 4>(report, data, 5, 3);
  measure<64, 64, 12, 4, 2>(report, data, 3, 5);
  measure<64, 64, 4, 1, 1>(report, data, 12, 10);
  measure<64, 128, 8, 1, 1>(report, data, 12, 10);
  measure<64, 128, 8, 2, 1>(report, data, 6, 10);
  measure<128, 64, 8, 1, 1>(report, data, 12, 10);
  measure<64, 256, 5, 1, 1>(report, data, 12, 10);
  measure<128, 128, 6, 1, 1>(report, data, 12, 10);
  measure<128, 128, 6, 2, 1>(report, data, 6, 10);
  measure<128, 128, 6, 2, 2>(report, data, 6, 5);
  measure<128, 256, 4, 1, 1>(report, data, 12, 10);
  measure<128, 256, 4, 2, 1>(report, data, 6, 10);
}

}  // namespace tilescope::gpu
