// Which warp goes first? All warps of one SM run the same stream of independent instructions; each notes the clock at
// progress marks. Trace rows: row = warp (CTA's rank of arrival * warps per CTA + warp in the CTA), index = mark, value
// = cycles since the common start. index 100: the CTA's number in the grid, index 101: %warpid, the warp's slot. Warp w
// of a CTA sits on sub-partition w % 4.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

enum class Stream { kFfma, kDependentFfma, kLds, kLdsFfma };

constexpr int kMarks = 16;
constexpr int kMaxWarps = 64;
constexpr int kFields = kMarks + 3;

__device__ inline unsigned warp_slot() {
  unsigned slot;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
  return slot;
}

// All CTAs that share the SM start within some tens of cycles: the last to arrive names the clock at which everybody
// starts.
__device__ inline void start_together(int ctas, int* arrived, unsigned* start_at) {
  __shared__ unsigned start;
  if (threadIdx.x == 0) {
    if (atomicAdd(arrived, 1) == ctas - 1) {
      atomicExch(start_at, (clock_now() + 8000) | 1U);
    }
    do {
      start = atomicAdd(start_at, 0U);
    } while (start == 0);
  }
  __syncthreads();
  while (static_cast<int>(clock_now() - start) < 0) {
  }
}

template <Stream kStream>
__global__ void race(int ctas, float fa, int sm, int* claims, int* arrived, unsigned* start_at, unsigned* marks,
                     float* sink) {
  __shared__ float words[1024];
  const int rank = claim_sm(sm, ctas, claims);
  if (rank < 0) {
    return;
  }
  words[threadIdx.x] = fa;
  const unsigned shared = shared_address(&words[threadIdx.x % 32]);
  const int warp = rank * (blockDim.x / 32) + threadIdx.x / 32;
  float x[8];
  for (int i = 0; i < 8; ++i) {
    x[i] = static_cast<float>(threadIdx.x + i);
  }
  start_together(ctas, arrived, start_at);
  const unsigned start = *static_cast<volatile unsigned*>(start_at);
  for (int mark = 0; mark < kMarks; ++mark) {
    if (threadIdx.x % 32 == 0) {
      marks[warp * kFields + mark] = clock_now() - start;
    }
    for (int round = 0; round < 8; ++round) {
#pragma unroll
      for (int i = 0; i < 64; ++i) {
        if constexpr (kStream == Stream::kFfma) {
          asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i % 8]) : "f"(fa));
        } else if constexpr (kStream == Stream::kDependentFfma) {
          asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[0]) : "f"(fa));
        } else if constexpr (kStream == Stream::kLds) {
          if (i % 4 == 0) {  // a quarter as many: the SM issues one per cycle for its four sub-partitions
            asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x[i / 4 % 8]) : "r"(shared) : "memory");
          }
        } else if (i % 8 == 0) {
          asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x[7]) : "r"(shared) : "memory");
          asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(x[0]) : "f"(x[7]), "f"(fa));
        }
      }
    }
  }
  if (threadIdx.x % 32 == 0) {
    marks[warp * kFields + kMarks] = clock_now() - start;
    marks[warp * kFields + kMarks + 1] = blockIdx.x;
    marks[warp * kFields + kMarks + 2] = warp_slot();
  }
  float sum = 0.0f;
  for (int i = 0; i < 8; ++i) {
    sum += x[i];
  }
  sink[rank * blockDim.x + threadIdx.x] = sum;
}

template <Stream kStream>
void measure(Report& report, const char* name) {
  const struct {
    int ctas;
    int threads;
  } shapes[] = {{1, 1024}, {2, 1024}, {4, 512}, {8, 256}, {1, 256}};
  for (const auto& shape : shapes) {
    Recorder<int> claims(1);
    Recorder<int> arrived(1);
    Recorder<unsigned> start_at(1);
    Recorder<unsigned> marks(kMaxWarps * kFields);
    Recorder<float> sink(kMaxWarps * 32);
    for (int pass = 0; pass < 2; ++pass) {
      claims.clear();
      arrived.clear();
      start_at.clear();
      race<kStream><<<2 * shape.ctas * sm_count(), shape.threads>>>(
          shape.ctas, 1.0f, 0, claims.device(), arrived.device(), start_at.device(), marks.device(), sink.device());
      finish("race");
    }
    const std::vector<unsigned> seen = marks.host();
    const std::string the_case = std::string("stream=") + name + ";ctas=" + std::to_string(shape.ctas) +
                                 ";threads=" + std::to_string(shape.threads);
    for (int warp = 0; warp < shape.ctas * shape.threads / 32; ++warp) {
      for (int mark = 0; mark <= kMarks; ++mark) {
        report.trace("scheduler", the_case, warp, mark, static_cast<int>(seen[warp * kFields + mark]));
      }
      report.trace("scheduler", the_case, warp, 100, seen[warp * kFields + kMarks + 1]);
      report.trace("scheduler", the_case, warp, 101, seen[warp * kFields + kMarks + 2]);
    }
  }
}

}  // namespace

void scheduler(Report& report) {
  measure<Stream::kFfma>(report, "ffma");
  measure<Stream::kDependentFfma>(report, "dependent_ffma");
  measure<Stream::kLds>(report, "lds");
  measure<Stream::kLdsFfma>(report, "lds_ffma");
}

}  // namespace tilescope::gpu
