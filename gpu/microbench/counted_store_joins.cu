// Which stores leave an SM together? A warp stores to a few places, one store right behind the other, then waits, and
// does the same elsewhere; for l1tex__m_l1tex2xbar_write_sectors and the requests and sectors that L2 takes in.
//
// pattern: a letter for each store, the same one for the same place. lanes: that store 4 bytes each, `stride` bytes
//   apart. step: bytes from one store to a place to the next one to it. place: bytes from place to place. gap:
//   additions between two stores that wait for the clock and for one another; none: there is nothing between them.
//   warps: with places of their own, of one CTA; alike: of the same sub-partition. rounds: of each.
// cycles: from before the first store of a round to behind the last, mean of all rounds but the first.
#include <algorithm>
#include <string>
#include <vector>

#include "benchmarks.h"
#include "device_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 16;
constexpr long long kWait = 4000;
constexpr std::size_t kBytes = 256U << 20U;
constexpr unsigned kOfRound = 64U << 10U;
constexpr int kMost = 16;  // stores of a pattern

struct Shape {
  unsigned stride, lanes, every;  // every: so many warps apart are those that store
  unsigned offsets[kMost];
};

// kGap: negative: nothing stands between two stores.
template <int kCount, int kGap>
__global__ void __launch_bounds__(1024)
    probe_store_joins(char* data, Shape shape, unsigned nothing, unsigned long long* cycles, unsigned* sink) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp % shape.every != 0) {
    return;
  }
  unsigned long long at[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    at[i] = reinterpret_cast<unsigned long long>(data) + warp / shape.every * kRounds * kOfRound + lane * shape.stride +
            shape.offsets[i];
  }
  unsigned long long all = 0;
  long long next = clock64_now() + kWait;
  for (int round = 0; round < kRounds; ++round) {
    while (clock64_now() < next) {
    }
    next += kWait;
    if (lane < shape.lanes) {
      const unsigned begin = clock_now(lane);
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        if (kGap >= 0 && i > 0) {
          unsigned chain = clock_now(lane);
#pragma unroll
          for (int n = 0; n < kGap; ++n) {
            asm volatile("mad.lo.u32 %0, %0, %0, %1;" : "+r"(chain) : "r"(lane));
          }
          at[i] += chain & nothing;
        }
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at[i]), "r"(lane) : "memory");
      }
      const unsigned end = clock_now(lane);
      all += round == 0 ? 0 : end - begin;
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        at[i] += kOfRound;
      }
    }
    __syncwarp();
  }
  if (threadIdx.x == 0) {
    *cycles = all;
  }
  if (all == 0x12345678U) {
    *sink = lane;
  }
}

struct Places {
  unsigned lanes, stride, step, place = 4096;
};

class Joins {
 public:
  explicit Joins(Report& report) : report_(report), data_(kBytes), cycles_(1), sink_(1) {}

  template <int kGap = -1>
  void run(const std::string& pattern, Places places, int warps = 1, bool alike = false) {
    of_size<kGap, 1, 2, 3, 4, 6, 8, 10, kMost>(pattern, places, warps, alike);
  }

 private:
  // As many stores as the pattern has letters: one of these numbers.
  template <int kGap, int... kCounts>
  void of_size(const std::string& pattern, Places places, int warps, bool alike) {
    ((static_cast<int>(pattern.size()) == kCounts ? of_count<kCounts, kGap>(pattern, places, warps, alike) : void()),
     ...);
  }
  template <int kCount, int kGap>
  void of_count(const std::string& pattern, Places places, int warps, bool alike) {
    Shape shape{places.stride, places.lanes, alike ? 4U : 1U, {}};
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      const auto before =
          static_cast<unsigned>(std::count(pattern.begin(), pattern.begin() + static_cast<long>(i), pattern[i]));
      shape.offsets[i] = static_cast<unsigned>(pattern[i] - 'a') * places.place + before * places.step;
    }
    probe_store_joins<kCount, kGap>
        <<<1, 32 * warps* static_cast<int>(shape.every)>>>(data_.device(), shape, 0U, cycles_.device(), sink_.device());
    finish("probe_store_joins");
    const std::string the_case =
        "pattern=" + pattern + ";lanes=" + std::to_string(places.lanes) + ";stride=" + std::to_string(places.stride) +
        ";step=" + std::to_string(places.step) + ";place=" + std::to_string(places.place) +
        ";gap=" + (kGap < 0 ? std::string("none") : std::to_string(kGap)) + ";warps=" + std::to_string(warps) +
        (alike ? ";alike=1" : "") + ";rounds=" + std::to_string(kRounds);
    report_.launch("counted_store_joins", the_case);
    report_.scalar("counted_store_joins", the_case, "cycles", static_cast<double>(cycles_.host()[0]) / (kRounds - 1),
                   "cycle");
  }

  Report& report_;
  Recorder<char> data_;
  Recorder<unsigned long long> cycles_;
  Recorder<unsigned> sink_;
};

// A line with a word of each 16 bytes, all of one, four with a word of each 16 bytes, two with one of each 8, the first
// two with the same words each time, a sector, eight lines.
constexpr Places kSparse{8, 16, 4}, kWhole{32, 4, 0}, kFour{32, 16, 4}, kTwo{32, 8, 4}, kSame{8, 16, 0},
    kFourSame{32, 16, 0}, kSector{8, 4, 32}, kEight{32, 32, 4};

template <int kGap>
void gaps(Joins& joins) {
  for (const Places& places : {kSparse, kWhole, kFour, kSame, kFourSame, kSector, kEight}) {
    joins.run<kGap>("aa", places);
    joins.run<kGap>("aaaa", places);
  }
  joins.run<kGap>("abab", kSparse);
  joins.run<kGap>("abab", kFour);
}

}  // namespace

void counted_store_joins(Report& report) {
  Joins joins(report);
  for (const Places& places : {kSparse, kWhole, kFour, kTwo, kSame, kFourSame, kSector, kEight}) {
    for (const char* pattern : {"a", "aa", "aaaa", "aaaaaaaa", "aabb", "abab", "abba", "aba", "abca", "abcdea",
                                "abcdefga", "abcdefghia", "abcabc", "abcdabcd", "abababab", "abcdefghabcdefgh"}) {
      joins.run(pattern, places);
    }
  }
  for (const unsigned place : {128U, 256U, 512U, 1024U, 2048U, 16384U}) {
    for (Places places : {kSparse, kWhole, kFour}) {
      if (places.place = place; place >= 512 || places.lanes * places.stride == 128) {
        joins.run("abab", places);
        joins.run("abcdabcd", places);
      }
    }
  }
  for (const Places& places : {kSparse, kWhole, kTwo, kFour, kEight}) {
    for (const int warps : {2, 4, 8, 16, 32}) {
      joins.run("aa", places, warps);
      joins.run("aaaa", places, warps);
      joins.run("aaaaaaaa", places, warps);
    }
    for (const int warps : {2, 4, 8}) {
      joins.run("aa", places, warps, true);
      joins.run("aaaa", places, warps, true);
    }
  }
  gaps<0>(joins);
  gaps<1>(joins);
  gaps<2>(joins);
  gaps<3>(joins);
  gaps<4>(joins);
  gaps<6>(joins);
  gaps<8>(joins);
  gaps<12>(joins);
  gaps<16>(joins);
  gaps<32>(joins);
}

}  // namespace tilescope::gpu
