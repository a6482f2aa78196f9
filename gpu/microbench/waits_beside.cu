// How long does a single load of device memory wait by itself, while all SMs read or store at a given rate? One warp of
// each SM loads a line anywhere in a buffer, and the next when it has it; 16 others read, store or copy pieces of 512
// bytes of other buffers, each after a pause.
//   beside: none, read, write, copy; order: of those pieces, inorder: one after the other, mixed: in an order that
//   looks like chance. asked: bytes a cycle that all SMs shall read or store; rate: that they do. home=near, far: of
//   the lines that are timed. mean and pN (percentiles): cycles of a load, from the clock before it to the one after.
//   When stores are beside it, L2 is full of what was stored before, so that each has one written back.
#include <string>
#include <vector>

#include "../common/flush.h"
#include "benchmarks.h"
#include "device_probe.cuh"
#include "distribution.h"
#include "homes.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 512U << 20U;
constexpr unsigned kPiece = 512, kPieces = kBytes / kPiece;
constexpr int kOthers = 16;      // warps of each SM beside the one that loads
constexpr int kMostLoads = 400;  // of each SM
constexpr long long kCycles = 160000;
constexpr long long kSettled = 20000;
enum class Beside { none, read, write, copy };

struct Load {
  unsigned line, cycles;  // cycles: 0: none
};

__global__ void __launch_bounds__(1024)
    wait_beside(const char* timed, const char* from, char* to, Beside beside, bool mixed, long long pause,
                int* ctas_of_sm, int* here, unsigned first_line, Load* loads, unsigned long long* steps,
                unsigned* sink) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  begin_together(ctas_of_sm, here);
  const long long start = clock64_now();
  unsigned sum = 0;
  if (warp == 0) {
    for (int i = 0; i < kMostLoads; ++i) {
      const unsigned line =
          (first_line + static_cast<unsigned>(sm_id() * kMostLoads + i)) * 2654435761U >> 10U;  // of 2^22
      const char* const at = timed + static_cast<std::size_t>(line) * 128 + lane * 4;
      asm volatile("" ::"l"(at));
      const unsigned before = clock_now(sum);
      sum ^= load_word_past_l1(at);
      asm volatile("" ::"r"(sum));
      const unsigned cycles = clock_now(sum) - before;
      const long long since = clock64_now() - start;
      if (lane == 0 && since > kSettled && since < kCycles) {
        loads[sm_id() * kMostLoads + i] = {line, cycles};
      }
      if (since > kCycles) {
        break;
      }
    }
  } else if (beside != Beside::none) {
    const unsigned all = gridDim.x * kOthers, first = sm_id() * kOthers + warp - 1;
    long long next = start + pause * (warp - 1) / kOthers + pause * sm_id() / gridDim.x / kOthers;
    unsigned step = 0;
    for (; next < start + kCycles; ++step, next += pause) {
      while (clock64_now() < next) {
      }
      const unsigned turn = (step * all + first) % kPieces;
      const std::size_t piece = mixed ? turn * 2654435761U % kPieces : turn;
      const uint4* const source = reinterpret_cast<const uint4*>(from + piece * kPiece) + lane;
      uint4* const target = reinterpret_cast<uint4*>(to + piece * kPiece) + lane;
      uint4 v = make_uint4(step, 1, 2, 3);
      if (beside != Beside::write) {
        v = load_past_l1(source);
      }
      if (beside != Beside::read) {
        *target = v;
      } else {
        sum ^= v.x ^ v.y ^ v.z ^ v.w;
      }
      if (clock64_now() > start + kCycles) {
        break;
      }
    }
    if (lane == 0) {
      atomicAdd(steps, step);
    }
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

}  // namespace

void waits_beside(Report& report) {
  const Recorder<unsigned> timed(kBytes / 4), source(kBytes / 4), target(kBytes / 4);
  const Recorder<unsigned> sink(1);
  const Homes homes = find_homes(timed.device(), kBytes);
  const int sms = sm_count();
  unsigned first_line = 0;
  const auto launch = [&](Beside beside, bool mixed, double rate, const Recorder<Load>& loads,
                          const Recorder<unsigned long long>& steps) {
    const Recorder<int> here(1), ctas_of_sm(static_cast<std::size_t>(sms));
    const long long pause = static_cast<long long>(sms * kOthers * kPiece / rate);
    wait_beside<<<sms, (kOthers + 1) * 32, kOneCtaPerSm>>>(
        reinterpret_cast<const char*>(timed.device()), reinterpret_cast<const char*>(source.device()),
        reinterpret_cast<char*>(target.device()), beside, mixed, pause, ctas_of_sm.device(), here.device(),
        first_line += sms * kMostLoads, loads.device(), steps.device(), sink.device());
    finish("wait_beside");
  };
  check(cudaFuncSetAttribute(wait_beside, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const auto measure = [&](Beside beside, bool mixed, double rate) {
    const Recorder<Load> loads(static_cast<std::size_t>(sms) * kMostLoads), none(loads.host().size());
    const Recorder<unsigned long long> steps(1), all_steps(1);
    flush_l2();
    if (beside == Beside::write || beside == Beside::copy) {
      launch(Beside::write, mixed, 1000, none, all_steps);  // 160 MB
    }
    launch(beside, mixed, rate, loads, steps);
    std::vector<unsigned> waits[2];
    const std::vector<Load> all = loads.host();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].cycles != 0) {
        const bool far =
            homes.of_place[static_cast<std::size_t>(all[i].line) * 128 / kPlace] != homes.of_sm[i / kMostLoads];
        waits[far ? 1 : 0].push_back(all[i].cycles);
      }
    }
    const char* const names[] = {"none", "read", "write", "copy"};
    const std::string name = std::string("beside=") + names[static_cast<int>(beside)] +
                             ";order=" + (mixed ? "mixed" : "inorder") +
                             ";asked=" + std::to_string(static_cast<int>(rate));
    report.scalar("waits_beside", name, "rate", static_cast<double>(steps.host()[0]) * kPiece / kCycles, "B/cycle");
    for (const int far : {0, 1}) {
      report_distribution(report, "waits_beside", name + ";home=" + (far != 0 ? "far" : "near"), waits[far],
                          {1, 10, 25, 50, 75, 90, 95, 99});
    }
  };
  measure(Beside::none, false, 1);
  for (const bool mixed : {false, true}) {
    for (const int rate : {100, 200, 400, 600, 800, 1000, 1300}) {
      measure(Beside::write, mixed, rate);
    }
    for (const int rate : {200, 400, 800, 1200, 1600, 2000}) {
      measure(Beside::read, mixed, rate);
    }
    for (const int rate : {100, 200, 400, 600, 800}) {
      measure(Beside::copy, mixed, rate);
    }
  }
}

}  // namespace tilescope::gpu
