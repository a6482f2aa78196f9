// Can a request that waits be joined for as long as it waits? Two SMs of a GPC read one sector of the same lines in
// bursts, one behind the other by a delay, while the other SMs (the crowd) keep slices, or the ways from them, busy
// with lines of their own that L2 has. What the two ask L2 for is lts__t_sectors_srcunit_tex_op_read less `asked`, what
// the crowd asks for.
//
// of: the crowd's SMs: of the same GPC, or of all others. kind: sector, a load of 32 lines, of a sector each; line,
// loads of a line each; store, of a line. warps: of each SM of the crowd, with four loads each under way. spread:
// cycles by which the second of the two is behind the first. state=near: the first of the two reads all lines before,
// alone, on top of the counts; state=cold: nobody does. latency: mean cycles of a burst of one warp of the two, four
// loads.
#include <algorithm>
#include <string>

#include "benchmarks.h"
#include "gpc_map.h"
#include "line_reader.cuh"
#include "sm_set.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kPair = 2, kPairWarps = 16, kPairLinesPerWarp = 4, kSteps = 32, kStepCycles = 8000;
constexpr int kPairLines = kSteps * kPairWarps * kPairLinesPerWarp;
constexpr int kCrowdLines = 1024;  // of each SM
constexpr int kCrowdLoads = 4;     // of a warp, under way
constexpr int kMostCrowd = 160;

enum class Kind { none, sector, line, store };

struct Waits {
  Kind kind;
  int warps, spread;
  bool read_before;
};

// What SMs tell each other. All zero at first.
struct Shared {
  int ready;
  int done;  // SMs of the pair
  unsigned long long agreed;
};

// `turns`: of each SM of the crowd; 0: until the pair is done, and `taken` is how many these were.
__device__ void wait_in_crowd(float* data, const int* rank_of_sm, int readers, Waits ask, const int* turns,
                              Shared* shared, int* taken, unsigned long long* latency, float* sink) {
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  __shared__ long long start;
  __shared__ volatile int over;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  float sum = 0.0f;
  if (ask.read_before && rank == 0) {
    for (int line = warp; line < kPairLines; line += static_cast<int>(blockDim.x) / 32) {
      sum += read_lines<1>(data + line * kLineFloats + lane % kSectorFloats);
    }
  }
  if (threadIdx.x == 0) {
    over = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    start = agreed_start(rank, readers, &shared->ready, &shared->agreed);
  }
  __syncthreads();
  if (rank < kPair) {
    if (warp >= kPairWarps) {
      return;
    }
    const float* from = data + lane + warp * kPairLinesPerWarp * kLineFloats;
    long long next = start + 4 * kStepCycles + (rank == 1 ? ask.spread : 0);
    long long spent = 0;
    for (int step = 0; step < kSteps; ++step) {
      while (clock64_now() < next) {
      }
      const long long before = clock64_now();
      if (lane < kSectorFloats) {
        sum += read_lines<kPairLinesPerWarp>(from);
      }
      asm volatile("" ::"f"(sum) : "memory");
      const float seen = __shfl_sync(~0u, sum, 0);
      spent += clock64_now() - before + (seen == 1e30f ? 1 : 0);
      next += kStepCycles;
      from += kPairWarps * kPairLinesPerWarp * kLineFloats;
    }
    if (lane == 0) {
      atomicAdd(latency, static_cast<unsigned long long>(spent));
      if (warp == 0) {
        atomicAdd(&shared->done, 1);
      }
    }
  } else if (warp < ask.warps) {
    float* const mine = data + (kPairLines + static_cast<std::size_t>(rank - kPair) * kCrowdLines) * kLineFloats;
    const int limit = turns[rank];
    int turn = 0;
    for (; limit > 0 ? turn < limit : over == 0; ++turn) {
      // No two requests of an SM that are under way are for the same sectors.
      const int first = (turn * ask.warps + warp) * kCrowdLoads * (ask.kind == Kind::sector ? 32 : 1);
      float v[kCrowdLoads];
#pragma unroll
      for (int i = 0; i < kCrowdLoads; ++i) {
        const int line = ask.kind == Kind::sector ? first + i * 32 + lane : first + i;
        float* const at = mine + line % kCrowdLines * kLineFloats +
                          (ask.kind == Kind::sector ? line / kCrowdLines % 4 * kSectorFloats : lane);
        if (ask.kind == Kind::store) {
          asm volatile("st.global.cg.f32 [%0], %1;" ::"l"(at), "f"(sum) : "memory");
          v[i] = 0.0f;
        } else {
          asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v[i]) : "l"(at) : "memory");
        }
      }
#pragma unroll
      for (int i = 0; i < kCrowdLoads; ++i) {
        sum += v[i];
      }
      if (limit == 0 && warp == 0 && turn % 4 == 0) {
        if (lane == 0 && atomicAdd(&shared->done, 0) == kPair) {
          over = 1;
        }
      }
    }
    if (lane == 0 && warp == 0) {
      taken[rank] = turn;
    }
  }
  sink[rank * blockDim.x + threadIdx.x] = sum;
}

__global__ void find_turns(float* data, const int* rank_of_sm, int readers, Waits ask, const int* turns, Shared* shared,
                           int* taken, unsigned long long* latency, float* sink) {
  wait_in_crowd(data, rank_of_sm, readers, ask, turns, shared, taken, latency, sink);
}
__global__ void probe_waits(float* data, const int* rank_of_sm, int readers, Waits ask, const int* turns,
                            Shared* shared, int* taken, unsigned long long* latency, float* sink) {
  wait_in_crowd(data, rank_of_sm, readers, ask, turns, shared, taken, latency, sink);
}

void launch(Report& report, const std::vector<int>& sms, const char* of, const Waits& ask) {
  static const Recorder<float> data((kPairLines + static_cast<std::size_t>(kMostCrowd) * kCrowdLines) * kLineFloats);
  static const Recorder<float> sink(static_cast<std::size_t>(kMostCrowd + kPair) * 1024);
  const SmSet set(sms);
  const Recorder<int> taken(kMostCrowd + kPair);
  const Recorder<unsigned long long> latency(1), again(1);
  const int threads = 32 * std::max(kPairWarps, ask.warps);
  for (const auto kernel : {find_turns, probe_waits}) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
          "cudaFuncSetAttribute");
  }
  const Recorder<int> none(kMostCrowd + kPair), turns(kMostCrowd + kPair);
  const Recorder<Shared> first(1), second(1);
  find_turns<<<sm_count(), threads, kOneCtaPerSm>>>(data.device(), set.ranks(), set.size(), ask, none.device(),
                                                    first.device(), taken.device(), again.device(), sink.device());
  finish("find_turns");
  std::vector<int> fixed = taken.host();
  double asked = 0;
  for (int& n : fixed) {
    n += n / 8 + (n > 0 ? 1 : 0);
    asked += static_cast<double>(n) * ask.warps * kCrowdLoads * (ask.kind == Kind::sector ? 32 : 4);
  }
  check(cudaMemcpy(turns.device(), fixed.data(), fixed.size() * sizeof(int), cudaMemcpyHostToDevice), "cudaMemcpy");
  probe_waits<<<sm_count(), threads, kOneCtaPerSm>>>(data.device(), set.ranks(), set.size(), ask, turns.device(),
                                                     second.device(), taken.device(), latency.device(), sink.device());
  finish("probe_waits");
  const char* const kinds[] = {"none", "sector", "line", "store"};
  const std::string the_case = std::string("of=") + of + ";kind=" + kinds[static_cast<int>(ask.kind)] +
                               ";warps=" + std::to_string(ask.warps) + ";spread=" + std::to_string(ask.spread) +
                               ";state=" + (ask.read_before ? "near" : "cold");
  report.launch("counted_waits", the_case);
  report.scalar("counted_waits", the_case, "asked", ask.kind == Kind::store ? 0.0 : asked, "sector");
  report.scalar("counted_waits", the_case, "latency",
                static_cast<double>(latency.host()[0]) / (kPair * kPairWarps * kSteps), "cycle");
}

}  // namespace

void counted_waits(Report& report) {
  const std::vector<std::vector<int>> gpcs = gpc_map();
  const std::vector<int>& gpc = largest_gpc(gpcs);
  const auto with = [&](bool same) {
    std::vector<int> sms{gpc[0], gpc[2]};
    for (const std::vector<int>& of : gpcs) {
      for (const int sm : of) {
        if ((of == gpc) == same && sm != gpc[0] && sm != gpc[2]) {
          sms.push_back(sm);
        }
      }
    }
    return sms;
  };
  const auto all = [&](const std::vector<int>& sms, const char* of, Kind kind, int warps) {
    for (const bool near : {true, false}) {
      for (const int spread : {0, 30, 60, 100, 200, 400}) {
        launch(report, sms, of, {kind, warps, spread, near});
      }
    }
  };
  all({gpc[0], gpc[2]}, "nobody", Kind::none, 0);
  for (const int warps : {2, 4, 8, 16, 32}) {
    all(with(false), "others", Kind::sector, warps);
    all(with(false), "others", Kind::line, warps);
    all(with(true), "same", Kind::sector, warps);
    all(with(true), "same", Kind::line, warps);
  }
  all(with(false), "others", Kind::store, 8);
}

}  // namespace tilescope::gpu
