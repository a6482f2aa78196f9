// Which warp goes first? All warps of one SM run the same stream of independent instructions; each notes the clock at
// progress marks. Trace rows: row = warp (CTA's rank of arrival * warps per CTA + warp in the CTA), index = mark, value
// = cycles since the common start. index 100: the CTA's number in the grid, index 101: %warpid, the warp's slot. Warp w
// of a CTA sits on sub-partition w % 4. Scalars, end: when the CTAs end, the oldest first.
//   stream=ffma, dependent_ffma, lds, lds_ffma: 8192 FFMAs a warp or a quarter as many loads, or pairs of both;
//   stream=tile: two loads of shared memory and 32 FFMAs that wait for them; tile_barrier: a barrier after 64.
//   order=shared, distinct, dependent: straight code, a mark every eight FFMAs that read one multiplicand, two of their
//   own, or the result before.
#include <algorithm>
#include <utility>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

enum class Stream { kFfma, kDependentFfma, kLds, kLdsFfma, kTile, kTileBarrier };

constexpr int kMarks = 16;
constexpr int kMaxWarps = 64;
constexpr int kFields = kMarks + 3;

__device__ inline unsigned warp_slot() {
  unsigned slot;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
  return slot;
}

// All CTAs that share the SM start within some hundred cycles, once the last has arrived.
__device__ inline void start_together(int ctas, int* arrived, unsigned* start) {
  if (threadIdx.x == 0) {
    if (atomicAdd(arrived, 1) == ctas - 1) {
      atomicExch(start, clock_now() | 1U);
    }
    while (atomicAdd(start, 0U) == 0) {
    }
  }
  __syncthreads();
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
  [[maybe_unused]] float y[2] = {};
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
        } else if constexpr (kStream == Stream::kTile || kStream == Stream::kTileBarrier) {
          if (i % 32 == 0) {
            asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(y[0]) : "r"(shared) : "memory");
            asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(y[1]) : "r"(shared) : "memory");
          }
          asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(x[i % 8]) : "f"(y[i / 8 % 2]), "f"(fa));
          if (kStream == Stream::kTileBarrier && i == 63) {
            __syncthreads();
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
  } shapes[] = {{1, 1024}, {2, 1024}, {4, 512}, {8, 256}, {1, 256}, {2, 256}, {4, 256}};
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
    const int warps = shape.threads / 32;
    std::vector<std::pair<unsigned, unsigned>> ends(shape.ctas);  // number in the grid, cycles
    for (int warp = 0; warp < shape.ctas * warps; ++warp) {
      auto& [cta, end] = ends[warp / warps];
      cta = seen[warp * kFields + kMarks + 1];
      end = std::max(end, seen[warp * kFields + kMarks]);
    }
    std::sort(ends.begin(), ends.end());
    for (int cta = 0; cta < shape.ctas; ++cta) {
      report.scalar("scheduler", the_case + ";cta=" + std::to_string(cta), "end", ends[cta].second, "cycle");
    }
    for (int warp = 0; warp < shape.ctas * warps; ++warp) {
      for (int mark = 0; mark <= kMarks; ++mark) {
        report.trace("scheduler", the_case, warp, mark, static_cast<int>(seen[warp * kFields + mark]));
      }
      report.trace("scheduler", the_case, warp, 100, seen[warp * kFields + kMarks + 1]);
      report.trace("scheduler", the_case, warp, 101, seen[warp * kFields + kMarks + 2]);
    }
  }
}

enum class Burst { kShared, kDistinct, kDependent };

constexpr int kNotes = 48;
constexpr int kBetween = 8;  // FFMAs between two notes

// Every warp notes its clock between stretches of FFMAs, straight on; the first round fills the instruction caches.
template <Burst kBurst>
__global__ void order(int ctas, float fa, int sm, int* claims, int* arrived, unsigned* start_at, unsigned* notes,
                      float* sink) {
  const int rank = claim_sm(sm, ctas, claims);
  if (rank < 0) {
    return;
  }
  const int warp = rank * (blockDim.x / 32) + threadIdx.x / 32;
  float x[8], y[8];
  for (int i = 0; i < 8; ++i) {
    x[i] = static_cast<float>(threadIdx.x + i);
    y[i] = fa + static_cast<float>(i);
  }
  unsigned seen[kNotes];
  start_together(ctas, arrived, start_at);
  const unsigned start = *static_cast<volatile unsigned*>(start_at);
#pragma unroll 1
  for (int round = 1; round <= 2; ++round) {
    __syncthreads();
    while (clock_now() - start < 20000U * round) {
    }
#pragma unroll
    for (int note = 0; note < kNotes; ++note) {
      seen[note] = clock_now();
#pragma unroll
      for (int i = 0; i < kBetween; ++i) {
        if constexpr (kBurst == Burst::kShared) {
          asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i]) : "f"(fa));
        } else if constexpr (kBurst == Burst::kDistinct) {
          asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(x[i]) : "f"(y[i]), "f"(y[(i + 3) % 8]));
        } else {
          asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[0]) : "f"(fa));
        }
      }
    }
  }
  if (threadIdx.x % 32 == 0) {
#pragma unroll
    for (int note = 0; note < kNotes; ++note) {
      notes[warp * kNotes + note] = seen[note] - start;
    }
  }
  float sum = 0.0f;
  for (int i = 0; i < 8; ++i) {
    sum += x[i];
  }
  sink[rank * blockDim.x + threadIdx.x] = sum;
}

template <Burst kBurst>
void measure_order(Report& report, const char* name) {
  const struct {
    int ctas;
    int threads;
  } shapes[] = {{1, 512}, {1, 1024}, {2, 256}, {4, 256}};
  for (const auto& shape : shapes) {
    Recorder<int> claims(1);
    Recorder<int> arrived(1);
    Recorder<unsigned> start_at(1);
    Recorder<unsigned> notes(kMaxWarps * kNotes);
    Recorder<float> sink(kMaxWarps * 32);
    order<kBurst><<<2 * shape.ctas * sm_count(), shape.threads>>>(
        shape.ctas, 1.0f, 0, claims.device(), arrived.device(), start_at.device(), notes.device(), sink.device());
    finish("order");
    const std::vector<unsigned> seen = notes.host();
    const std::string the_case = std::string("order=") + name + ";ctas=" + std::to_string(shape.ctas) +
                                 ";threads=" + std::to_string(shape.threads);
    for (int warp = 0; warp < shape.ctas * shape.threads / 32; ++warp) {
      for (int note = 0; note < kNotes; ++note) {
        report.trace("scheduler", the_case, warp, note, static_cast<int>(seen[warp * kNotes + note]));
      }
    }
  }
}

}  // namespace

void scheduler(Report& report) {
  measure<Stream::kFfma>(report, "ffma");
  measure<Stream::kDependentFfma>(report, "dependent_ffma");
  measure<Stream::kLds>(report, "lds");
  measure<Stream::kLdsFfma>(report, "lds_ffma");
  measure<Stream::kTile>(report, "tile");
  measure<Stream::kTileBarrier>(report, "tile_barrier");
  measure_order<Burst::kShared>(report, "shared");
  measure_order<Burst::kDistinct>(report, "distinct");
  measure_order<Burst::kDependent>(report, "dependent");
}

}  // namespace tilescope::gpu
