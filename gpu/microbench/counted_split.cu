// How often a load passes the data stage whose lines are not all in L1: for l1tex__data_pipe_lsu_wavefronts. Each of
// `warps` warps of one CTA loads 32 times 4 bytes a lane, from `lines` lines, of which `inside` are in L1 and the
// others in L2: the first ones, or with spread=1 every so many. Lane i takes word i of its line, so that no two lanes
// take one bank, with apart=0 word i % (32 / lines). shift (lines=2): lanes take words shift, shift + 1, ... of two
// consecutive lines instead. waits=1: a warp waits for each load before the next. What brings lines into L2 and L1
// before takes one pass a load: `before` of them.
#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kLoads = 32;
constexpr int kMostLines = 32;
constexpr int kGroup = 8;

struct Split {
  int lines;
  int inside;
  int spread;
  int apart;
  int shift;  // -1: none
  int waits;
  int pitch;  // bytes from a line to the next one that the same load takes
};

// Whether line `i` of a load is in L1 before.
__host__ __device__ bool is_inside(const Split& split, int i) {
  return split.spread != 0 ? (i + 1) * split.inside / split.lines > i * split.inside / split.lines : i < split.inside;
}

template <bool kThroughL1>
__device__ unsigned load_line(const char* line) {
  unsigned v;
  const char* const from = line + threadIdx.x * 4;
  if constexpr (kThroughL1) {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
  } else {
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
  }
  return v;
}

template <bool kWaits>
__global__ void probe_split(const char* data, Split split, unsigned* sink) {
  const int lane = threadIdx.x % 32;
  const int load_bytes = split.lines * split.pitch;
  unsigned sum = 0;
  if (threadIdx.x < 32) {
#pragma unroll 1
    for (int i = 0; i < kLoads * split.lines; ++i) {
      sum ^= load_line<false>(data + i * split.pitch);
    }
#pragma unroll 1
    for (int i = 0; i < kLoads * split.lines; ++i) {
      if (is_inside(split, i % split.lines)) {
        sum ^= load_line<true>(data + i * split.pitch);
      }
    }
  }
  if (sum == 0x12345U) {
    *sink = sum;
  }
  __syncthreads();
  const int together = 32 / split.lines;  // lanes of a line
  const int line = split.shift >= 0 ? (lane + split.shift) / 32 : lane / together;
  const int word = split.shift >= 0 ? (lane + split.shift) % 32 : split.apart != 0 ? lane : lane % together;
  const char* from = data + line * split.pitch + word * 4;
#pragma unroll 1
  for (int i = 0; i < kLoads; i += kGroup) {
    unsigned v[kGroup];
#pragma unroll
    for (int j = 0; j < kGroup; ++j) {
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[j]) : "l"(from) : "memory");
      from += load_bytes;
      if (kWaits) {
        from += v[j];  // all data are zero
      }
    }
#pragma unroll
    for (int j = 0; j < kGroup; ++j) {
      sum ^= v[j];
    }
  }
  if (sum == 0x12345U) {
    *sink = sum;
  }
}

}  // namespace

void counted_split(Report& report) {
  const Recorder<char> data(static_cast<std::size_t>(kLoads) * kMostLines * 1024 + 4096);
  const Recorder<unsigned> sink(1);
  const auto count = [&](const Split& split, int warps) {
    (split.waits != 0 ? &probe_split<true> : &probe_split<false>)<<<1, 32 * warps>>>(data.device(), split,
                                                                                     sink.device());
    finish("probe_split");
    int before = 0;
    for (int i = 0; i < kLoads * split.lines; ++i) {
      before += 1 + (is_inside(split, i % split.lines) ? 1 : 0);
    }
    report.launch("counted_split",
                  "lines=" + std::to_string(split.lines) + ";inside=" + std::to_string(split.inside) +
                      ";spread=" + std::to_string(split.spread) + ";apart=" + std::to_string(split.apart) +
                      ";shift=" + std::to_string(split.shift) + ";waits=" + std::to_string(split.waits) +
                      ";pitch=" + std::to_string(split.pitch) + ";warps=" + std::to_string(warps) +
                      ";before=" + std::to_string(before));
  };
  for (const int warps : {1, 8}) {
    for (const int waits : {1, 0}) {
      for (const int pitch : {128, 640}) {
        for (const int lines : {1, 2, 4, 8, 16, 32}) {
          if (lines * pitch * kLoads > 160 * 1024) continue;  // more than L1 holds
          for (int inside = 0; inside <= lines; inside += lines > 4 ? lines / 4 : 1) {
            count({lines, inside, 0, 1, -1, waits, pitch}, warps);
            if (lines > 2) count({lines, inside, 1, 1, -1, waits, pitch}, warps);
            if (lines > 1) count({lines, inside, 0, 0, -1, waits, pitch}, warps);
          }
        }
      }
      for (const int shift : {1, 8, 16, 31}) {
        for (const int inside : {0, 1, 2}) {
          count({2, inside, 0, 1, shift, waits, 128}, warps);
        }
      }
    }
  }
}

}  // namespace tilescope::gpu
