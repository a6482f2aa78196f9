// What limits reads and stores between SMs and L2: the slices, the fabric between the partitions, or device memory? All
// SMs read, write or copy memory whose home is their own partition (home=own), the other one (other) or either in turn
// (both), 16 bytes a lane, 4 KiB of a warp at a time; what they read goes past L1.
//   op=hit: reads of what SMs of the home partition have read before, so that it is there and not near the far ones;
//   op=again: the same once more; op=cold: reads of what L2 does not have; op=fill: stores to that; op=store_again: the
//   same once more; op=copy: cold reads of half of it, stores to the other half. mib: of all.
//   op=narrow: stores of all SMs to the same few bytes of each partition, again and again; bytes: of each partition, in
//   whole places from 4096 on. How many slices share a port of the fabric shows in how little reaches the far ones.
//   lines: that arrive or are written a cycle of the SM, all SMs; of a copy those that are read. From the common start
//   to the end of the last SM, its stores done.
#include <algorithm>
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "homes.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 512U << 20U;
constexpr unsigned kPlaces = kBytes / kPlace;
constexpr int kThreads = 512;

enum class Op { kRead, kWrite, kCopy };

// Each SM its places, `count` of them; kCopy reads the first half and writes the second.
template <Op kOp>
__global__ void __launch_bounds__(kThreads)
    move(uint4* data, const unsigned* places, int count, int sms, int* here, unsigned* longest, unsigned* sink) {
  const unsigned* const own = places + sm_id() * count;
  const int lane = threadIdx.x % 32, warps = kThreads / 32;
  constexpr unsigned kPitch = kPlace / 16;
  if (threadIdx.x == 0) {
    atomicAdd(here, 1);
    while (atomicAdd(here, 0) < sms) {
    }
  }
  __syncthreads();
  const unsigned start = clock_now();
  unsigned sum = 0;
  const int reads = kOp == Op::kCopy ? count / 2 : count;
  for (int i = threadIdx.x / 32; i < reads; i += warps) {
    uint4 v[8];
    uint4* const from = data + static_cast<std::size_t>(own[i]) * kPitch + lane;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      v[k] = make_uint4(1, 2, 3, 4);
      if (kOp != Op::kWrite) {
        v[k] = load_past_l1(from + k * 32);
      }
    }
    if (kOp == Op::kRead) {
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
      }
    } else {
      uint4* const to = kOp == Op::kWrite ? from : data + static_cast<std::size_t>(own[i + reads]) * kPitch + lane;
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        to[k * 32] = v[k];
      }
    }
  }
  if (kOp != Op::kRead) {
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicMax(longest, clock_now() - start);
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

// Each warp stores 16 bytes a lane to one place of the SM's list after another, `rounds` times, all within the first
// `bytes` of a place.
__global__ void __launch_bounds__(kThreads) store_narrow(uint4* data, const unsigned* places, int count, unsigned bytes,
                                                         int rounds, int sms, int* here, unsigned* longest) {
  const unsigned* const own = places + sm_id() * count;
  const unsigned lane = threadIdx.x % 32, warp = sm_id() * (kThreads / 32) + threadIdx.x / 32;
  constexpr unsigned kPitch = kPlace / 16;
  if (threadIdx.x == 0) {
    atomicAdd(here, 1);
    while (atomicAdd(here, 0) < sms) {
    }
  }
  __syncthreads();
  const unsigned start = clock_now();
  for (int round = 0; round < rounds; ++round) {
    const unsigned at = (warp + round) * 32 + lane;  // in 16 bytes, through all places
    const unsigned place = own[at / (bytes / 16) % count];
    data[static_cast<std::size_t>(place) * kPitch + at % (bytes / 16)] = make_uint4(lane, 1, 2, round);
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicMax(longest, clock_now() - start);
  }
}

}  // namespace

void home_rates(Report& report) {
  const Recorder<unsigned> data(kBytes / 4);
  const int sms = sm_count();
  const Homes homes = find_homes(data.device(), kBytes);
  const std::vector<int>& partition = homes.of_sm;
  report.scalar("home_rates", "home=first", "sms",
                static_cast<double>(std::count(partition.begin(), partition.end(), 0)), "");
  report.scalar("home_rates", "home=first", "places", 100.0 * static_cast<double>(homes.places[0].size()) / kPlaces,
                "%");

  static const Recorder<unsigned> sink(1);
  const auto run = [&](Op op, const Recorder<unsigned>& places, int count) {
    const Recorder<int> here(1);
    const Recorder<unsigned> longest(1);
    const auto kernel = op == Op::kRead ? move<Op::kRead> : op == Op::kWrite ? move<Op::kWrite> : move<Op::kCopy>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
          "cudaFuncSetAttribute");
    kernel<<<sms, kThreads, kOneCtaPerSm>>>(reinterpret_cast<uint4*>(data.device()), places.device(), count, sms,
                                            here.device(), longest.device(), sink.device());
    finish("move");
    return longest.host()[0];
  };
  const int flush_count = static_cast<int>((128U << 20U) / kPlace / sms);
  const Recorder<unsigned> flush(lists_of_places(homes, Whose::both, flush_count, kPlaces / 4));
  for (const Whose whose : {Whose::own, Whose::other, Whose::both}) {
    for (const int mib : {16, 32}) {
      const int count = static_cast<int>((static_cast<unsigned>(mib) << 20U) / kPlace / sms) / 2 * 2;
      const Recorder<unsigned> places(lists_of_places(homes, whose, count, 0));
      const double lines = static_cast<double>(count) * sms * (kPlace / 128);
      const auto tell = [&](const std::string& op, double of, unsigned cycles) {
        report.scalar("home_rates", "op=" + op + ";home=" + name_of(whose) + ";mib=" + std::to_string(mib), "lines",
                      of / cycles, "line/cycle");
      };
      const Recorder<unsigned> home_lists(lists_beside_home(homes, places.host(), 2 * count));
      run(Op::kRead, flush, flush_count);
      run(Op::kRead, home_lists, 2 * count);
      tell("hit", lines, run(Op::kRead, places, count));
      tell("again", lines, run(Op::kRead, places, count));
      run(Op::kRead, flush, flush_count);
      tell("cold", lines, run(Op::kRead, places, count));
      run(Op::kRead, flush, flush_count);
      tell("fill", lines, run(Op::kWrite, places, count));
      tell("store_again", lines, run(Op::kWrite, places, count));
      run(Op::kRead, flush, flush_count);
      tell("copy", lines / 2, run(Op::kCopy, places, count));
    }
    const int count = static_cast<int>((96U << 20U) / kPlace / sms);
    const Recorder<unsigned> places(lists_of_places(homes, whose, count, 0));
    run(Op::kRead, flush, flush_count);
    report.scalar("home_rates", std::string("op=cold;home=") + name_of(whose) + ";mib=96", "lines",
                  static_cast<double>(count) * sms * (kPlace / 128) / run(Op::kRead, places, count), "line/cycle");
  }
  check(cudaFuncSetAttribute(store_narrow, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  for (const Whose whose : {Whose::own, Whose::other}) {
    for (unsigned bytes = 256; bytes <= 256 * kPlace; bytes *= 2) {
      const int count = static_cast<int>(std::max(1U, bytes / kPlace));
      std::vector<unsigned> all;
      for (int sm = 0; sm < sms; ++sm) {
        const auto& home = homes.places[partition[sm] ^ (whose == Whose::other ? 1 : 0)];
        all.insert(all.end(), home.begin(), home.begin() + count);
      }
      const Recorder<unsigned> places(all);
      constexpr int kRounds = 128;
      unsigned cycles = 0;
      for (int run = 0; run < 2; ++run) {
        const Recorder<int> here(1);
        const Recorder<unsigned> longest(1);
        store_narrow<<<sms, kThreads, kOneCtaPerSm>>>(reinterpret_cast<uint4*>(data.device()), places.device(), count,
                                                      std::min(bytes, kPlace), kRounds, sms, here.device(),
                                                      longest.device());
        finish("store_narrow");
        cycles = longest.host()[0];
      }
      const double lines = static_cast<double>(sms) * (kThreads / 32) * kRounds * (std::min(bytes, 512U) / 128);
      report.scalar("home_rates", std::string("op=narrow;home=") + name_of(whose) + ";bytes=" + std::to_string(bytes),
                    "lines", lines / cycles, "line/cycle");
    }
  }
}

}  // namespace tilescope::gpu
