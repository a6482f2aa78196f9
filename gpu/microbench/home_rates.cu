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
// A home is told by how long atomics take.
#include <algorithm>
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 512U << 20U;
constexpr unsigned kPlace = 4096;  // bytes, which have one home
constexpr unsigned kPlaces = kBytes / kPlace;
constexpr int kThreads = 512;
constexpr unsigned kFarAtomic = 360;  // cycles; near ones take 280, far ones 440

// Least cycles of atomics on the first place, from one SM.
__global__ void time_sm(unsigned* data, int sm, int* claims, unsigned* least) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  for (int i = 0; i < 16; ++i) {
    atomicMin(&least[sm], timed_atomic(data));
  }
}

// Of each place, from one SM.
__global__ void time_places(unsigned* data, int sm, int* claims, unsigned* least) {
  if (claim_sm(sm, 1, claims) < 0) {
    return;
  }
  for (unsigned place = threadIdx.x / 32; place < kPlaces; place += blockDim.x / 32) {
    if (threadIdx.x % 32 == 0) {
      unsigned* const word = data + static_cast<std::size_t>(place) * (kPlace / 4);
      unsigned shortest = timed_atomic(word);
      for (int i = 0; i < 3; ++i) {
        shortest = min(shortest, timed_atomic(word));
      }
      least[place] = shortest;
    }
  }
}

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
  const Recorder<unsigned> of_sm(std::vector<unsigned>(sms, ~0U));
  Recorder<int> claims(1);
  for (int sm = 0; sm < sms; ++sm) {
    claims.clear();
    time_sm<<<4 * sms, 1>>>(data.device(), sm, claims.device(), of_sm.device());
  }
  finish("time_sm");
  const std::vector<unsigned> sm_times = of_sm.host();
  std::vector<int> partition(sms);  // 0: where the first place is at home
  int near_sm = 0;
  for (int sm = 0; sm < sms; ++sm) {
    partition[sm] = sm_times[sm] > kFarAtomic ? 1 : 0;
    if (partition[sm] == 0) {
      near_sm = sm;
    }
  }
  claims.clear();
  const Recorder<unsigned> of_place(kPlaces);
  time_places<<<4 * sms, 256>>>(data.device(), near_sm, claims.device(), of_place.device());
  finish("time_places");
  const std::vector<unsigned> place_times = of_place.host();
  std::vector<unsigned> at_home[2];
  for (unsigned place = 0; place < kPlaces; ++place) {
    at_home[place_times[place] > kFarAtomic ? 1 : 0].push_back(place);
  }
  report.scalar("home_rates", "home=first", "sms",
                static_cast<double>(std::count(partition.begin(), partition.end(), 0)), "");
  report.scalar("home_rates", "home=first", "places", 100.0 * static_cast<double>(at_home[0].size()) / kPlaces, "%");

  static const Recorder<unsigned> sink(1);
  // Lists of places by SM; whose: which homes its places have, 0 own, 1 other, 2 both; from: where in the list of each
  // home they begin.
  const auto lists = [&](int whose, int count, std::size_t from) {
    std::size_t next[2] = {from, from};
    std::vector<unsigned> all;
    for (int sm = 0; sm < sms; ++sm) {
      for (int i = 0; i < count; ++i) {
        const int home = whose == 2 ? i % 2 : partition[sm] ^ whose;
        all.push_back(at_home[home].at(next[home]++));
      }
    }
    return all;
  };
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
  const Recorder<unsigned> flush(lists(2, flush_count, kPlaces / 4));
  const char* const kWhose[] = {"own", "other", "both"};
  for (int whose = 0; whose < 3; ++whose) {
    for (const int mib : {16, 32}) {
      const int count = static_cast<int>((static_cast<unsigned>(mib) << 20U) / kPlace / sms) / 2 * 2;
      const Recorder<unsigned> places(lists(whose, count, 0));
      const double lines = static_cast<double>(count) * sms * (kPlace / 128);
      const auto tell = [&](const std::string& op, double of, unsigned cycles) {
        report.scalar("home_rates", "op=" + op + ";home=" + kWhose[whose] + ";mib=" + std::to_string(mib), "lines",
                      of / cycles, "line/cycle");
      };
      // The SMs of the home partition bring the lines there: the same places, each read by an SM beside its home.
      std::vector<unsigned> of_home[2];
      for (const unsigned place : places.host()) {
        of_home[place_times[place] > kFarAtomic ? 1 : 0].push_back(place);
      }
      std::vector<unsigned> homed;
      for (int sm = 0; sm < sms; ++sm) {
        const int home = partition[sm];
        const int of = static_cast<int>(std::count(partition.begin(), partition.end(), home));
        const int rank = static_cast<int>(std::count(partition.begin(), partition.begin() + sm, home));
        for (int i = 0; i < 2 * count; ++i) {
          const auto& list = of_home[home];
          const std::size_t at = static_cast<std::size_t>(i) * of + rank;
          homed.push_back(list.empty() ? places.host()[0] : list[at % list.size()]);
        }
      }
      const Recorder<unsigned> home_lists(homed);
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
    const Recorder<unsigned> places(lists(whose, count, 0));
    run(Op::kRead, flush, flush_count);
    report.scalar("home_rates", std::string("op=cold;home=") + kWhose[whose] + ";mib=96", "lines",
                  static_cast<double>(count) * sms * (kPlace / 128) / run(Op::kRead, places, count), "line/cycle");
  }
  check(cudaFuncSetAttribute(store_narrow, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  for (int whose = 0; whose < 2; ++whose) {
    for (unsigned bytes = 256; bytes <= 256 * kPlace; bytes *= 2) {
      const int count = static_cast<int>(std::max(1U, bytes / kPlace));
      std::vector<unsigned> all;
      for (int sm = 0; sm < sms; ++sm) {
        const auto& home = at_home[partition[sm] ^ whose];
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
      report.scalar("home_rates", std::string("op=narrow;home=") + kWhose[whose] + ";bytes=" + std::to_string(bytes),
                    "lines", lines / cycles, "line/cycle");
    }
  }
}

}  // namespace tilescope::gpu
