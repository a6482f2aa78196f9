// Which lines share a set of L2, and how many does a set hold? One SM reads a line, others, and the line again: it is
// gone if as many of the others are in its set as the set has ways. Groups of the others are left out as long as it
// still goes, which leaves one line for each way. With all but one of these, any further line that makes it go is in
// the set, too.
//   ways: lines that are left. found: lines of the buffer in the set, those left included. A set is left out when the
//   list of the others, which is read from L2, too, has helped to make the line go while it was long.
//   Trace rows: row = number of the set, index = 0: a line whose home is the SM's partition, 1: the other one; value =
//   its number in the buffer (of 192 MiB, as far as the driver has it in one piece).
// Nothing else may use L2 meanwhile.
#include <algorithm>
#include <random>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "homes.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 192U << 20U;
constexpr unsigned kLine = 128;
constexpr unsigned kLines = kBytes / kLine;
constexpr int kThreads = 1024;
constexpr unsigned kNearLimit = 420;  // cycles; near hits take 280, lines of device memory 560
constexpr unsigned kGroups = 32;      // more than a set has ways
constexpr unsigned kFew = 64;         // lines that are left out one by one
constexpr unsigned kInShared = 8192;  // lists of as many are kept in shared memory
constexpr int kSets = 48;
constexpr unsigned kMostFound = 512;  // lines of a set
constexpr unsigned kBatch = 128;
constexpr double kShare = 1.5;  // of a partition's room, lines that are read at first

struct Found {
  unsigned ways, count;
  unsigned lines[kMostFound];
};

__device__ unsigned word_of(const char* data, unsigned line) {
  return load_word_past_l1(data + static_cast<std::size_t>(line) * kLine);
}

__device__ bool misses(const char* data, unsigned line) {
  const unsigned start = clock_now();
  const unsigned value = word_of(data, line);
  return clock_now(value) - start > kNearLimit;
}

// Is `line` gone when the others have been read, but for those from `from` to `to`? Called by all threads.
__device__ bool goes(const char* data, unsigned line, const unsigned* others, unsigned count, unsigned from,
                     unsigned to, unsigned* sink) {
  __shared__ bool gone;
  if (threadIdx.x == 0) {
    if (word_of(data, line) == 0x12345678U) *sink = 1;
  }
  __syncthreads();
  unsigned sum = 0;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += kThreads) {
    if (i < from || i >= to) sum ^= word_of(data, others[i]);
  }
  if (sum == 0x12345678U) *sink = sum;
  __syncthreads();
  if (threadIdx.x == 0) gone = misses(data, line);
  __syncthreads();
  return gone;
}

// Puts the last of the others in the place of those from `from` to `to`. Returns how many are left.
__device__ unsigned leave_out(unsigned* others, unsigned count, unsigned from, unsigned to) {
  const unsigned moved = min(to - from, count - to);
  for (unsigned i = threadIdx.x; i < moved; i += kThreads) others[from + i] = others[count - moved + i];
  __syncthreads();
  return count - (to - from);
}

// By one warp: the first of `set` makes room for any of the lines of this batch that is in it, too.
__device__ bool any_of(const char* data, unsigned line, const unsigned* set, unsigned ways, unsigned first,
                       unsigned count, unsigned* sink) {
  const unsigned lane = threadIdx.x;
  if (word_of(data, line) == 0x12345678U) *sink = 1;
  __syncwarp();
  unsigned sum = 0;
  if (lane > 0 && lane < ways) sum ^= word_of(data, set[lane]);
  if (sum == 0x12345678U) *sink = sum;
  __syncwarp();
  for (unsigned i = lane; i < count; i += 32) sum ^= word_of(data, first + i);
  if (sum == 0x12345678U) *sink = sum;
  __syncwarp();
  return __shfl_sync(~0U, misses(data, line), 0);
}

__global__ void __launch_bounds__(kThreads)
    find_set(const char* data, unsigned line, unsigned* others, unsigned count, int sm, Found* found, unsigned* sink) {
  extern __shared__ unsigned few[];
  if (sm_id() != sm) return;
  unsigned* list = others;
  unsigned at = 0;      // group tried next
  unsigned failed = 0;  // groups tried since one was left out
  if (!goes(data, line, list, count, 0, 0, sink)) failed = ~0U;
  while (failed < 3 * kGroups && count > kFew) {
    if (list == others && count <= kInShared) {
      for (unsigned i = threadIdx.x; i < count; i += kThreads) few[i] = others[i];
      list = few;
      __syncthreads();
    }
    const unsigned size = (count + kGroups - 1) / kGroups;
    if (at >= count) at = 0;
    const unsigned to = min(at + size, count);
    if (goes(data, line, list, count, at, to, sink)) {
      count = leave_out(list, count, at, to);
      failed = 0;
    } else {
      at = to;
      ++failed;
    }
  }
  if (list == others) count = 0;
  for (int round = 0; round < 3 && count > 0; ++round) {
    for (unsigned i = 0; i < count;) {
      if (goes(data, line, list, count, i, i + 1, sink)) {
        count = leave_out(list, count, i, i + 1);
      } else {
        ++i;
      }
    }
  }
  if (threadIdx.x >= 32) return;
  unsigned n = 0;
  if (count > 0 && count <= 32) {
    // A load that waits for long seems to miss, and a try may put something else out: batches are tried
    // twice, lines three times, of which two have to agree.
    for (unsigned first = 0; first < kLines; first += kBatch) {
      if (!any_of(data, line, list, count, first, kBatch, sink) &&
          !any_of(data, line, list, count, first, kBatch, sink))
        continue;
      for (unsigned i = 0; i < kBatch && n < kMostFound; ++i) {
        int times = 0;
        for (int attempt = 0; attempt < 3; ++attempt)
          times += any_of(data, line, list, count, first + i, 1, sink) ? 1 : 0;
        if (times >= 2 && threadIdx.x == 0) found->lines[n] = first + i;
        n += times >= 2 ? 1 : 0;
      }
    }
  }
  if (threadIdx.x == 0) {
    found->ways = count;
    found->count = n;
    for (unsigned i = 1; i < count && n + i - 1 < kMostFound; ++i) found->lines[n + i - 1] = list[i];
    found->count = min(kMostFound, n + (count > 0 ? count - 1 : 0));
  }
}

}  // namespace

void l2_sets(Report& report) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  const auto room = static_cast<std::size_t>(properties.l2CacheSize) / kLine / 2;
  const Recorder<unsigned> data(kBytes / sizeof(unsigned));
  const Homes homes = find_homes(data.device(), kBytes);
  constexpr unsigned kPlaceLines = kPlace / kLine;
  std::vector<unsigned> own;
  for (const unsigned place : homes.places[0]) {
    for (unsigned i = 0; i < kPlaceLines; ++i) own.push_back(place * kPlaceLines + i);
  }
  const auto sm = static_cast<int>(std::find(homes.of_sm.begin(), homes.of_sm.end(), 0) - homes.of_sm.begin());
  const auto count = std::min(own.size(), static_cast<std::size_t>(kShare * static_cast<double>(room)));
  report.scalar("l2_sets", "", "lines", static_cast<double>(own.size()), "line");
  check(cudaFuncSetAttribute(find_set, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm), "find_set");
  const Recorder<unsigned> others(own.size());
  const Recorder<unsigned> sink(1);
  std::mt19937 random(1);
  for (int set = 0; set < kSets; ++set) {
    const unsigned line = own[random() % own.size()];
    // The lines tried come from all over the buffer, so that those found together do not tell of the order.
    std::shuffle(own.begin(), own.end(), random);
    std::iter_swap(std::find(own.begin(), own.end(), line), own.end() - 1);
    check(cudaMemcpy(others.device(), own.data(), own.size() * sizeof(unsigned), cudaMemcpyHostToDevice), "others");
    const Recorder<Found> found(1);
    find_set<<<sm_count(), kThreads, kOneCtaPerSm>>>(reinterpret_cast<const char*>(data.device()), line,
                                                     others.device(), static_cast<unsigned>(count), sm, found.device(),
                                                     sink.device());
    finish("find_set");
    const Found result = found.host().front();
    if (result.count == 0) continue;
    const std::string the_case = "set=" + std::to_string(set);
    report.scalar("l2_sets", the_case, "ways", result.ways, "line");
    report.scalar("l2_sets", the_case, "found", result.count, "line");
    std::vector<unsigned> lines(result.lines, result.lines + result.count);
    lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    for (const unsigned one : lines) {
      report.trace("l2_sets", "", set, homes.of_place[one / kPlaceLines], one);
    }
  }
}

}  // namespace tilescope::gpu
