// How long do loads wait while all SMs copy, and where: for their turn to leave the SM behind stores, or for their
// data? Each warp loads 512 bytes past L1, stores them elsewhere and loads the next. The clock is read around each load
// and what it says kept in shared memory.
//   from, to: l2: a buffer of 12 MiB, again and again; hbm: one of 512 MiB, once. to=none: nothing is stored.
//   warps: of each SM. rate: bytes a cycle that all SMs load. All are of loads behind the first 60,000 cycles, when L2
//   is full of what was stored.
//   issue, mean: cycles until the load has been issued, and until its data are there, from the clock before it. pN:
//   percentiles of the latter. store: cycles until the store behind it has been issued.
#include <algorithm>
#include <string>
#include <vector>

#include "../common/flush.h"
#include "benchmarks.h"
#include "device_probe.cuh"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 512U << 20U, kBytesInL2 = 12U << 20U, kPiece = 512;
constexpr int kMostRounds = 150;      // of each warp
constexpr unsigned kSettled = 60000;  // cycles
constexpr int kWarpsOfCta = 32;

struct Load {
  unsigned begin;
  unsigned short issue, store;
  unsigned wait;
};

// Buffers of so many pieces; pieces_to: 0: none.
__global__ void __launch_bounds__(1024)
    copy_pieces(const char* from, unsigned pieces_from, char* to, unsigned pieces_to, int rounds, int ctas,
                int* ctas_of_sm, int* here, Load* loads, unsigned* sink) {
  extern __shared__ Load own[];
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32, sms = gridDim.x / ctas;
  const int slot = begin_together(ctas_of_sm, here);
  const unsigned start = clock_now();
  const int of_sm = warps * ctas, first = sm_id() * of_sm + slot * warps;
  unsigned sum = 0;
  for (int i = 0; i < rounds; ++i) {
    const unsigned piece = static_cast<unsigned>(i * sms * of_sm + first + warp);
    const uint4* const source = reinterpret_cast<const uint4*>(from + piece % pieces_from * kPiece) + threadIdx.x % 32;
    uint4* const target =
        reinterpret_cast<uint4*>(to + (pieces_to != 0 ? piece % pieces_to : 0) * kPiece) + threadIdx.x % 32;
    asm volatile("" ::"l"(source), "l"(target));
    const unsigned before = clock_now(sum);
    const uint4 v = load_past_l1(source);
    const unsigned issued = clock_now(threadIdx.x);
    sum ^= v.x ^ v.y ^ v.z ^ v.w;
    asm volatile("" ::"r"(sum));
    const unsigned there = clock_now(sum);
    if (pieces_to != 0) {
      *target = v;
    }
    const unsigned stored = clock_now(threadIdx.x);
    if (threadIdx.x % 32 == 0) {
      own[warp * rounds + i] = {before - start, static_cast<unsigned short>(min(issued - before, 65535U)),
                                static_cast<unsigned short>(min(stored - there, 65535U)), there - before};
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < warps * rounds; i += blockDim.x) {
    loads[static_cast<std::size_t>(first) * rounds + i] = own[i];
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

}  // namespace

void copy_waits(Report& report) {
  const Recorder<unsigned> source(kBytes / 4), target(kBytes / 4);
  const Recorder<unsigned> sink(1);
  const int sms = sm_count();
  for (const bool from_l2 : {false, true}) {
    for (const std::string to : {"none", "l2", "hbm"}) {
      for (const int warps : {4, 8, 16, 24, 32, 48, 64}) {
        const int ctas = (warps + kWarpsOfCta - 1) / kWarpsOfCta, of_cta = warps / ctas;
        const int rounds = std::min(kMostRounds, static_cast<int>(kBytes / kPiece) / (sms * warps));
        const int bytes = of_cta * rounds * static_cast<int>(sizeof(Load));
        const int room = ctas == 1 ? std::max(bytes, kOneCtaPerSm) : bytes;
        check(cudaFuncSetAttribute(copy_pieces, cudaFuncAttributeMaxDynamicSharedMemorySize, room),
              "cudaFuncSetAttribute");
        const Recorder<int> here(1), ctas_of_sm(static_cast<std::size_t>(sms));
        const Recorder<Load> loads(static_cast<std::size_t>(sms) * warps * rounds);
        flush_l2();
        copy_pieces<<<sms * ctas, of_cta * 32, room>>>(
            reinterpret_cast<const char*>(source.device()), (from_l2 ? kBytesInL2 : kBytes) / kPiece,
            reinterpret_cast<char*>(target.device()), to == "none" ? 0 : (to == "l2" ? kBytesInL2 : kBytes) / kPiece,
            rounds, ctas, ctas_of_sm.device(), here.device(), loads.device(), sink.device());
        finish("copy_pieces");
        const std::vector<Load> all = loads.host();
        unsigned last = ~0U;  // when the first warp is done
        for (std::size_t i = rounds - 1; i < all.size(); i += rounds) {
          last = std::min(last, all[i].begin);
        }
        const unsigned settled = std::min(kSettled, last / 2);
        std::vector<double> waits;
        double sum = 0, issue = 0, store = 0;
        for (const Load& one : all) {
          if (one.begin < settled || one.begin > last) {
            continue;
          }
          waits.push_back(one.wait);
          sum += one.wait;
          issue += one.issue;
          store += one.store;
        }
        std::sort(waits.begin(), waits.end());
        const double count = static_cast<double>(waits.size());
        const std::string name =
            std::string("from=") + (from_l2 ? "l2" : "hbm") + ";to=" + to + ";warps=" + std::to_string(warps);
        report.scalar("copy_waits", name, "rate", count * kPiece / (last - settled), "B/cycle");
        report.scalar("copy_waits", name, "issue", issue / count, "cycle");
        report.scalar("copy_waits", name, "mean", sum / count, "cycle");
        report.scalar("copy_waits", name, "store", store / count, "cycle");
        for (const int percent : {1, 10, 25, 50, 75, 90, 99}) {
          report.scalar("copy_waits", name, ("p" + std::to_string(percent)).c_str(),
                        waits[waits.size() * percent / 100], "cycle");
        }
      }
    }
  }
}

}  // namespace tilescope::gpu
