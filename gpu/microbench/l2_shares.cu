// How do the SMs share what L2 gives? Some of them read lines that L2 has, 16 bytes a lane, past L1, all for the same
// number of cycles, after a first pass that brings the lines near every SM.
//   set: which SMs take part: gpc, the first ones of each of some GPCs; all. of: by how many SMs of a GPC each, gpcs:
//   of how many GPCs. readers=one: each tile of lines is read by one warp, again and again; all: each SM reads all
//   lines in the same order. order=mixed: a warp takes its tiles in an order that looks like chance. sectors: read of
//   each line. rate: bytes a cycle of all; mhz: cycles a microsecond of the first SM; least, most: of an SM, percent of
//   the mean. apart: standard deviation of how far the SMs of a GPC have come at the end, percent of how far they have
//   on average.
// Traces: row is the SM's place in its GPC, plus 100 times the number of the GPC; index one of eight equal parts of the
// time; value the bytes that the SM read in it.
#include <algorithm>
#include <cmath>
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "gpc_map.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kThreads = 1024;
constexpr int kWarps = kThreads / 32;
constexpr int kUnroll = 4;
constexpr int kTileBytes = kUnroll * 512;  // that a warp reads of a tile
constexpr int kParts = 8;
constexpr int kCycles = 1 << 19;
constexpr std::size_t kMiB = 1 << 20;

struct Question {
  unsigned tiles;
  int readers;
  bool shared;
  bool mixed;
};

// kSectors of each line: 2 * kSectors lanes have a line each.
template <int kSectors>
__device__ unsigned read_tile(const char* data, unsigned tile) {
  const int lane = threadIdx.x % 32;
  const char* const from = data + static_cast<std::size_t>(tile) * (kTileBytes * 4 / kSectors) +
                           lane / (2 * kSectors) * 128 + lane % (2 * kSectors) * 16;
  uint4 v[kUnroll];
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) {
    v[i] = load_past_l1(reinterpret_cast<const uint4*>(from + i * (16 / kSectors) * 128));
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) {
    sum ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
  }
  return sum;
}

template <int kSectors>
__global__ void __launch_bounds__(kThreads) share(const char* data, Question question, const int* rank_of_sm, int* here,
                                                  unsigned* tiles_read, long long* microseconds, unsigned* sink) {
  __shared__ unsigned done[kParts];
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  const unsigned warp = threadIdx.x / 32;
  const unsigned first = question.shared ? warp : warp * question.readers + rank;
  const unsigned step = question.shared ? kWarps : kWarps * question.readers;
  if (threadIdx.x < kParts) {
    done[threadIdx.x] = 0;
  }
  unsigned sum = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (unsigned tile = first; tile < question.tiles; tile += step) {
      sum ^= read_tile<kSectors>(data, tile);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {  // all SMs begin together
    atomicAdd(here, 1);
    while (atomicAdd(here, 0) < question.readers) {
    }
  }
  __syncthreads();
  const long long timer = globaltimer_now();
  const long long start = clock64_now();
  unsigned tile = first;
  unsigned count = 0;
  for (;;) {
    const unsigned place = question.mixed ? (tile * 2654435761U ^ count * 2246822519U) % question.tiles : tile;
    sum ^= read_tile<kSectors>(data, place);
    const long long part = (clock64_now() - start) / (kCycles / kParts);
    if (part >= kParts) {
      break;
    }
    if (threadIdx.x % 32 == 0) {
      atomicAdd(&done[part], 1U);
    }
    ++count;
    tile += step;
    if (tile >= question.tiles) {
      tile = first;
    }
  }
  __syncthreads();
  if (threadIdx.x < kParts) {
    tiles_read[rank * kParts + threadIdx.x] = done[threadIdx.x];
  }
  if (threadIdx.x == 0) {
    microseconds[rank] = globaltimer_now() - timer;
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

struct Reader {
  int gpc, place, sm;
};

void measure(Report& report, const Recorder<char>& data, const std::vector<Reader>& readers, const std::string& set,
             std::size_t bytes, int sectors, bool shared, bool mixed, bool traced) {
  std::vector<int> sms;
  for (const Reader& reader : readers) {
    sms.push_back(reader.sm);
  }
  const SmSet chosen(sms);
  const Question question{static_cast<unsigned>(bytes / (kTileBytes * 4 / sectors)), chosen.size(), shared, mixed};
  const auto kernel = sectors == 1 ? share<1> : sectors == 2 ? share<2> : share<4>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  static const Recorder<unsigned> sink(1);
  std::vector<unsigned> tiles;
  std::vector<long long> times;
  for (int run = 0; run < 2; ++run) {  // the second counts
    const Recorder<int> here(1);
    const Recorder<unsigned> read(readers.size() * kParts);
    const Recorder<long long> nanoseconds(readers.size());
    kernel<<<sm_count(), kThreads, kOneCtaPerSm>>>(data.device(), question, chosen.ranks(), here.device(),
                                                   read.device(), nanoseconds.device(), sink.device());
    finish("share");
    tiles = read.host();
    times = nanoseconds.host();
  }
  const std::string the_case = set + ";readers=" + (shared ? "all" : "one") + ";kib=" + std::to_string(bytes / 1024) +
                               (mixed ? ";order=mixed" : "") + ";sectors=" + std::to_string(sectors);
  std::vector<double> of_sm(readers.size());
  for (std::size_t i = 0; i < readers.size(); ++i) {
    for (int part = 0; part < kParts; ++part) {
      of_sm[i] += tiles[i * kParts + part] * static_cast<double>(kTileBytes);
      if (traced) {
        report.trace("l2_shares", the_case, readers[i].gpc * 100 + readers[i].place, part,
                     static_cast<long long>(tiles[i * kParts + part]) * kTileBytes);
      }
    }
  }
  double all = 0;
  for (const double one : of_sm) {
    all += one;
  }
  const double mean = all / static_cast<double>(of_sm.size());
  double apart = 0;
  int gpcs = 0;
  for (std::size_t i = 0; i < readers.size();) {
    std::size_t end = i;
    double sum = 0;
    for (; end < readers.size() && readers[end].gpc == readers[i].gpc; ++end) {
      sum += of_sm[end];
    }
    const double of_gpc = sum / static_cast<double>(end - i);
    double squares = 0;
    for (; i < end; ++i) {
      squares += (of_sm[i] - of_gpc) * (of_sm[i] - of_gpc);
    }
    apart += std::sqrt(squares / (sum / of_gpc)) / of_gpc;
    ++gpcs;
  }
  report.scalar("l2_shares", the_case, "rate", all / kCycles, "B/cycle");
  report.scalar("l2_shares", the_case, "mhz", kCycles * 1e3 / static_cast<double>(times[0]), "MHz");
  report.scalar("l2_shares", the_case, "least", 100 * *std::min_element(of_sm.begin(), of_sm.end()) / mean, "%");
  report.scalar("l2_shares", the_case, "most", 100 * *std::max_element(of_sm.begin(), of_sm.end()) / mean, "%");
  report.scalar("l2_shares", the_case, "apart", 100 * apart / gpcs, "%");
}

// The first `of` SMs of the GPCs from `first` on.
std::vector<Reader> some(const std::vector<std::vector<int>>& gpcs, int first, int count, int of) {
  std::vector<Reader> readers;
  for (int gpc = first; gpc < first + count; ++gpc) {
    for (int place = 0; place < std::min<int>(of, static_cast<int>(gpcs[gpc].size())); ++place) {
      readers.push_back({gpc, place, gpcs[gpc][place]});
    }
  }
  return readers;
}

}  // namespace

void l2_shares(Report& report) {
  const Recorder<char> data(1024 * kMiB);
  // Whole GPCs first: some TPCs join no cluster that tells whose they are.
  std::vector<std::vector<int>> gpcs = gpc_map();
  const int all = static_cast<int>(
      std::stable_partition(gpcs.begin(), gpcs.end(), [](const auto& sms) { return sms.size() > 8; }) - gpcs.begin());
  const int groups = static_cast<int>(gpcs.size());
  for (int gpc = 0; gpc < groups; ++gpc) {
    for (std::size_t place = 0; place < gpcs[gpc].size(); ++place) {
      report.trace("l2_shares", "sm", gpc * 100 + static_cast<int>(place), 0, gpcs[gpc][place]);
    }
  }
  const auto everyone = some(gpcs, 0, groups, 18);
  for (const std::size_t mib : {2, 4, 8, 16, 32}) {
    for (const bool mixed : {false, true}) {
      measure(report, data, everyone, "set=all", mib * kMiB, 4, false, mixed, mib == 16);
    }
  }
  for (const int sectors : {1, 2}) {
    measure(report, data, everyone, "set=all", 16 * kMiB, sectors, false, false, true);
  }
  for (const std::size_t mib : {44, 48, 52, 256, 1024}) {
    measure(report, data, everyone, "set=all", mib * kMiB, 4, false, false, true);
  }
  for (const int of : {1, 2, 3, 4, 5, 6, 8, 10, 12, 14}) {
    measure(report, data, some(gpcs, 0, all, of), "set=gpc;gpcs=" + std::to_string(all) + ";of=" + std::to_string(of),
            16 * kMiB, 4, false, false, of >= 6);
  }
  for (int count = 1; count < all; ++count) {
    measure(report, data, some(gpcs, 0, count, 18), "set=gpc;gpcs=" + std::to_string(count) + ";of=18", 16 * kMiB, 4,
            false, false, count == 4);
  }
  for (int gpc = 0; gpc < all; ++gpc) {
    measure(report, data, some(gpcs, gpc, 1, 18), "set=gpc;gpc=" + std::to_string(gpc) + ";of=18", 16 * kMiB, 4, false,
            false, true);
    measure(report, data, some(gpcs, gpc, 1, 18), "set=gpc;gpc=" + std::to_string(gpc) + ";of=18", 16 * kMiB, 4, true,
            false, true);
  }
  for (const int of : {2, 3, 4, 5, 6, 8, 10, 12, 14, 16}) {
    measure(report, data, some(gpcs, 0, 1, of), "set=gpc;gpc=0;of=" + std::to_string(of), 16 * kMiB, 4, true, false,
            true);
  }
  for (const std::size_t mib : {2, 8, 16, 32}) {
    measure(report, data, everyone, "set=all", mib * kMiB, 4, true, false, true);
  }
  for (const std::size_t mib : {32, 128, 512}) {
    measure(report, data, some(gpcs, 0, 1, 18), "set=gpc;gpc=0;of=18", mib * kMiB, 4, true, false, true);
  }
}

}  // namespace tilescope::gpu
