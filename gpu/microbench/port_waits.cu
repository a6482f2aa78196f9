// How long does what L2 sends wait for its way into a GPC and into an SM?
//   question=loaded: one thread of each of `sms` SMs loads a word at a time of lines taken at random, while `warps`
//   other warps of each read lines as fast as they can, `depth` loads of four lines under way each. of=gpc: SMs of the
//   largest GPC; gpu: all. readers=all: every SM reads the same lines in the same order; one: each line is read by one
//   warp. rate: bytes a cycle of all other warps; warps_wait: cycles of one turn of these; mean, sd, p5 to p99: cycles
//   of the lone loads, all SMs together, clock and all. question=idle: one warp loads `lines` lines, eight lanes each,
//   and nothing else is read: mean of 64 places and five SMs, of each the least of eight. order=row: lines in a row,
//   the first two of one slice; pages: of as many pages.
// L2 has all lines near the SMs.
#include <algorithm>
#include <cmath>
#include <string>

#include "benchmarks.h"
#include "gpc_map.h"
#include "sm_set.cuh"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kLoads = 2048;  // lone loads of an SM that count
constexpr int kFirst = 256;   // and before these
constexpr int kLoneLines = 8192;
constexpr int kTileLines = 4;  // of a load of the other warps
constexpr std::size_t kReadBytes = 4 << 20;
constexpr int kPlaces = 64;
constexpr int kMostLines = 16;

struct Loaded {
  const uint4* data;
  const char* lines;
  const int* rank_of_sm;
  int readers;
  bool shared;
  int* here;  // two counters
  unsigned* waits;
  unsigned long long* rate;  // thousandths of bytes a cycle
  unsigned* sink;
};

__device__ void meet(int* counter, int readers) {
  atomicAdd(counter, 1);
  while (atomicAdd(counter, 0) < readers) {
  }
}

template <int kDepth>
__global__ void loaded(Loaded asked) {
  extern __shared__ unsigned waits[];
  __shared__ volatile unsigned stop;
  const int rank = asked.rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  const int warps = static_cast<int>(blockDim.x) / 32 - 1, warp = static_cast<int>(threadIdx.x) / 32 - 1;
  if (threadIdx.x == 0) {
    stop = 0;
    meet(asked.here, asked.readers);
  }
  __syncthreads();
  unsigned sum = 0;
  if (threadIdx.x == 0) {
    unsigned chance = rank * 977 + 1;
    for (int load = 0; load < kFirst + kLoads; ++load) {
      chance = chance * 1664525U + 1013904223U;
      const unsigned start = clock_now();
      const unsigned word = load_word_past_l1(asked.lines + (chance >> 19) % kLoneLines * 128);
      const unsigned end = clock_now(word);
      if (load >= kFirst) {
        waits[load - kFirst] = end - start;
      }
      while (clock_now() - end < 64 + (chance >> 26)) {
      }
    }
    meet(asked.here + 1, asked.readers);
    stop = 1;
  } else if (warp >= 0) {
    const int tiles = kReadBytes / (kTileLines * 128) / kDepth;
    const int step = asked.shared ? warps : warps * asked.readers;
    const int first = asked.shared ? warp : warp * asked.readers + rank;
    const unsigned start = clock_now();
    unsigned turns = 0;
    for (int tile = first; stop == 0; tile = tile + step < tiles ? tile + step : first) {
      uint4 v[kDepth];
#pragma unroll
      for (int i = 0; i < kDepth; ++i) {
        v[i] = load_past_l1(asked.data + static_cast<std::size_t>(tile * kDepth + i) * 32 + threadIdx.x % 32);
      }
#pragma unroll
      for (int i = 0; i < kDepth; ++i) {
        sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
      }
      ++turns;
    }
    if (threadIdx.x % 32 == 0) {
      atomicAdd(asked.rate, 1000ULL * turns * kDepth * kTileLines * 128 / (clock_now() - start));
    }
  }
  __syncthreads();
  for (int load = threadIdx.x; load < kLoads; load += blockDim.x) {
    asked.waits[rank * kLoads + load] = waits[load];
  }
  if (sum == 0x12345678U) {
    *asked.sink = sum;
  }
}

template <int kDepth>
__global__ void idle(const char* data, const int* line_of, int lines, int sm, unsigned* least) {
  __shared__ unsigned best[kPlaces];
  if (sm_id() != sm) {
    return;
  }
  const int lane = threadIdx.x;
  for (int pass = 0; pass <= 8; ++pass) {
    for (int place = 0; place < kPlaces; ++place) {
      uint4 v[kDepth];
      const char* from[kDepth];
#pragma unroll
      for (int i = 0; i < kDepth; ++i) {
        const int line = line_of[place * kMostLines + (i * kTileLines + lane / 8) % lines];
        from[i] = data + static_cast<std::size_t>(line) * 128 + lane % 8 * 16;
      }
      __syncwarp();
      const unsigned start = clock_now();
#pragma unroll
      for (int i = 0; i < kDepth; ++i) {
        if (i * kTileLines + lane / 8 < lines) {
          v[i] = load_past_l1(reinterpret_cast<const uint4*>(from[i]));
        }
      }
      unsigned sum = 0;
#pragma unroll
      for (int i = 0; i < kDepth; ++i) {
        if (i * kTileLines + lane / 8 < lines) {
          sum |= v[i].x;
        }
      }
      const unsigned cycles = clock_now(__reduce_or_sync(~0U, sum)) - start;
      if (pass == 1 || (pass > 1 && cycles < best[place])) {
        best[place] = cycles;
      }
      const unsigned end = clock_now();
      while (clock_now() - end < 500) {
      }
    }
  }
  __syncwarp();
  for (int place = lane; place < kPlaces; place += 32) {
    least[place] = best[place];
  }
}

void measure_loaded(Report& report, const Loaded& buffers, const std::vector<int>& sms, const char* of, int warps,
                    int depth, bool shared) {
  const SmSet set(sms);
  const Recorder<int> here(2);
  const Recorder<unsigned> waits(static_cast<std::size_t>(set.size()) * kLoads);
  const Recorder<unsigned long long> rate(1);
  Loaded asked = buffers;
  asked.rank_of_sm = set.ranks();
  asked.readers = set.size();
  asked.shared = shared;
  asked.here = here.device();
  asked.waits = waits.device();
  asked.rate = rate.device();
  const auto kernel = depth == 1 ? loaded<1> : loaded<4>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  for (int run = 0; run < 2; ++run) {  // the second counts
    check(cudaMemset(here.device(), 0, 2 * sizeof(int)), "cudaMemset");
    check(cudaMemset(rate.device(), 0, sizeof(unsigned long long)), "cudaMemset");
    kernel<<<sm_count(), 32 * (warps + 1), kOneCtaPerSm>>>(asked);
    finish("loaded");
  }
  const std::string the_case = std::string("question=loaded;of=") + of + ";sms=" + std::to_string(set.size()) +
                               ";readers=" + (shared ? "all" : "one") + ";warps=" + std::to_string(warps) +
                               ";depth=" + std::to_string(depth);
  const double bytes = static_cast<double>(rate.host()[0]) / 1000;
  report.scalar("port_waits", the_case, "rate", bytes, "B/cycle");
  if (warps > 0) {
    report.scalar("port_waits", the_case, "warps_wait", warps * depth * kTileLines * 128.0 * set.size() / bytes,
                  "cycle");
  }
  std::vector<unsigned> all = waits.host();
  std::sort(all.begin(), all.end());
  double sum = 0, squares = 0;
  for (const unsigned one : all) {
    sum += one;
    squares += static_cast<double>(one) * one;
  }
  const double n = static_cast<double>(all.size());
  report.scalar("port_waits", the_case, "mean", sum / n, "cycle");
  report.scalar("port_waits", the_case, "sd", std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n))), "cycle");
  for (const int percent : {5, 25, 50, 75, 95, 99}) {
    report.scalar("port_waits", the_case, ("p" + std::to_string(percent)).c_str(),
                  all[static_cast<std::size_t>(percent / 100.0 * (n - 1))], "cycle");
  }
}

// Lines of each place, from its own.
enum class Order { row, pages };

void measure_idle(Report& report, const Recorder<char>& data, Order order, int lines) {
  std::vector<int> line_of(kPlaces * kMostLines);
  unsigned chance = 7;
  for (int place = 0; place < kPlaces; ++place) {
    for (int i = 0; i < kMostLines; ++i) {
      if (i == 0 || order == Order::pages) {
        chance = chance * 1664525U + 1013904223U;
        line_of[place * kMostLines + i] = static_cast<int>(chance >> 16) % 8192 * 32;
      } else {
        line_of[place * kMostLines + i] = line_of[place * kMostLines] + i;
      }
    }
  }
  const Recorder<int> lines_of(line_of);
  const Recorder<unsigned> least(kPlaces);
  double sum = 0;
  const std::vector<int> sms = {0, 1, 14, 40, 77};
  for (const int sm : sms) {
    (lines <= kTileLines ? idle<1> : idle<4>)<<<4 * sm_count(), 32>>>(data.device(), lines_of.device(), lines, sm,
                                                                      least.device());
    finish("idle");
    for (const unsigned one : least.host()) {
      sum += one;
    }
  }
  report.scalar(
      "port_waits",
      std::string("question=idle;order=") + (order == Order::row ? "row" : "pages") + ";lines=" + std::to_string(lines),
      "latency", sum / static_cast<double>(kPlaces * sms.size()), "cycle");
}

}  // namespace

void port_waits(Report& report) {
  const Recorder<char> data(32 << 20);
  const Recorder<unsigned> sink(1);
  const Loaded buffers{reinterpret_cast<const uint4*>(data.device()),
                       data.device() + kReadBytes,
                       nullptr,
                       0,
                       false,
                       nullptr,
                       nullptr,
                       nullptr,
                       sink.device()};
  for (const Order order : {Order::row, Order::pages}) {
    for (const int lines : {1, 2, 4, 8, 16}) {
      measure_idle(report, data, order, lines);
    }
  }
  const std::vector<std::vector<int>> gpcs = gpc_map();
  const std::vector<int>& gpc = largest_gpc(gpcs);
  std::vector<int> all;
  for (int sm = 0; sm < sm_count(); ++sm) {
    all.push_back(sm);
  }
  for (const std::size_t n : {std::size_t{1}, std::size_t{8}, gpc.size(), all.size()}) {
    const bool gpu = n == all.size();
    const std::vector<int> sms =
        gpu ? all : std::vector<int>(gpc.begin(), gpc.begin() + static_cast<std::ptrdiff_t>(n));
    for (const int depth : {1, 4}) {
      for (const int warps : {0, 4, 8, 12, 16, 20, 24, 31}) {
        if (warps > 0 || depth == 1) {
          measure_loaded(report, buffers, sms, gpu ? "gpu" : "gpc", warps, depth, false);
        }
        if (warps > 0 && n > 1) {
          measure_loaded(report, buffers, sms, gpu ? "gpu" : "gpc", warps, depth, true);
        }
      }
    }
  }
}

}  // namespace tilescope::gpu
