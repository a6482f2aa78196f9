// How long do loads of device memory wait by themselves, while all SMs read a buffer in order, and do neighbours wait
// together? Each warp has one load under way; the next warp of the next SM loads the next piece. The clock is read
// around each load and what it says kept in shared memory, so that nothing else is stored meanwhile.
//   piece: bytes of a load; warps: of each SM. rate: bytes a cycle of all SMs.
//   home=near, far: of the lines, from the SM that loads them. mean, deviation and pN (percentiles): cycles of a load,
//   from the clock before it to the one after.
//   apart: of the loads that begin within 100 cycles of each other and so many bytes from each other, in the same KiB
//   (512 bytes apart) or wherever. together: covariance of their waits, each less the mean of its home, cycles squared.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../common/flush.h"
#include "benchmarks.h"
#include "device_probe.cuh"
#include "homes.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 512U << 20U;
constexpr int kMostRounds = 150;      // loads of each warp, as far as there are bytes for them
constexpr unsigned kSettled = 20000;  // cycles
constexpr unsigned kTogether = 100;   // cycles
constexpr int kWarpsOfCta = 32;

struct Load {
  unsigned begin, cycles;
};

template <unsigned kPiece>
__device__ unsigned load_piece(const char* from) {
  if (kPiece == 512) {
    const uint4 v = load_past_l1(reinterpret_cast<const uint4*>(from) + threadIdx.x % 32);
    return v.x ^ v.y ^ v.z ^ v.w;
  }
  unsigned x, y;
  asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(from + threadIdx.x % 32 * 8) : "memory");
  return x ^ y;
}

template <unsigned kPiece>
__global__ void __launch_bounds__(1024)
    wait_for_pieces(const char* data, int rounds, int ctas, int* ctas_of_sm, int* here, Load* loads, unsigned* sink) {
  extern __shared__ Load own[];
  const int warps = blockDim.x / 32, warp = threadIdx.x / 32, sms = gridDim.x / ctas;
  const int slot = begin_together(ctas_of_sm, here);
  const long long start = clock64_now();
  const int of_sm = warps * ctas, first = sm_id() * of_sm + slot * warps;
  unsigned sum = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::size_t piece = static_cast<std::size_t>(i) * sms * of_sm + first + warp;
    const char* from = data + piece * kPiece;
    asm volatile("" ::"l"(from));
    const long long before = clock64_now();
    sum ^= load_piece<kPiece>(from);
    asm volatile("" ::"r"(sum));
    const unsigned cycles = clock_now(sum) - static_cast<unsigned>(before);
    if (threadIdx.x % 32 == 0) {
      own[warp * rounds + i] = {static_cast<unsigned>(before - start), cycles};
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

struct Seen {
  unsigned begin;
  double off;  // from the mean of its home
};

template <unsigned kPiece>
void measure(Report& report, const Recorder<unsigned>& data, const Homes& homes, int warps) {
  const int sms = sm_count(), ctas = (warps + kWarpsOfCta - 1) / kWarpsOfCta, of_cta = warps / ctas;
  const int rounds = std::min(kMostRounds, static_cast<int>(kBytes / kPiece) / (sms * warps));
  const int bytes = of_cta * rounds * static_cast<int>(sizeof(Load));
  const auto kernel = &wait_for_pieces<kPiece>;
  const int room = ctas == 1 ? std::max(bytes, kOneCtaPerSm) : bytes;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, room), "cudaFuncSetAttribute");
  const Recorder<int> here(1), ctas_of_sm(static_cast<std::size_t>(sms));
  const Recorder<Load> loads(static_cast<std::size_t>(sms) * warps * rounds);
  const Recorder<unsigned> sink(1);
  flush_l2();
  kernel<<<sms * ctas, of_cta * 32, room>>>(reinterpret_cast<const char*>(data.device()), rounds, ctas,
                                            ctas_of_sm.device(), here.device(), loads.device(), sink.device());
  finish("wait_for_pieces");
  const std::vector<Load> all = loads.host();
  const std::string name = "piece=" + std::to_string(kPiece) + ";warps=" + std::to_string(warps);

  unsigned last = ~0U;  // when the first warp is done
  for (std::size_t i = rounds - 1; i < all.size(); i += rounds) {
    last = std::min(last, all[i].begin);
  }
  std::vector<double> waits[2];
  std::vector<Seen> seen(all.size(), {0, 0});  // by piece
  std::vector<bool> far_of(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].begin < kSettled || all[i].begin > last) {
      continue;
    }
    const std::size_t warp = i / rounds, piece = i % rounds * sms * warps + warp;
    far_of[piece] = homes.of_place[piece * kPiece / kPlace] != homes.of_sm[warp / warps];
    waits[far_of[piece] ? 1 : 0].push_back(all[i].cycles);
    seen[piece] = {all[i].begin, static_cast<double>(all[i].cycles)};
  }
  report.scalar("read_waits", name, "rate",
                static_cast<double>(waits[0].size() + waits[1].size()) * kPiece / (last - kSettled), "B/cycle");
  double mean[2];
  for (const int far : {0, 1}) {
    std::vector<double>& of = waits[far];
    std::sort(of.begin(), of.end());
    double sum = 0, squares = 0;
    for (const double one : of) {
      sum += one;
      squares += one * one;
    }
    mean[far] = sum / static_cast<double>(of.size());
    const std::string home = name + ";home=" + (far != 0 ? "far" : "near");
    report.scalar("read_waits", home, "mean", mean[far], "cycle");
    report.scalar("read_waits", home, "deviation",
                  std::sqrt(squares / static_cast<double>(of.size()) - mean[far] * mean[far]), "cycle");
    for (const int percent : {1, 10, 25, 50, 75, 90, 99}) {
      report.scalar("read_waits", home, ("p" + std::to_string(percent)).c_str(), of[of.size() * percent / 100],
                    "cycle");
    }
  }
  for (std::size_t piece = 0; piece < seen.size(); ++piece) {
    seen[piece].off -= mean[far_of[piece] ? 1 : 0];
  }
  double squares = 0, count = 0;
  for (const Seen& one : seen) {
    squares += one.begin == 0 ? 0 : one.off * one.off;
    count += one.begin == 0 ? 0 : 1;
  }
  report.scalar("read_waits", name + ";apart=0", "together", squares / count, "cycle2");
  for (const unsigned apart : {256U, 512U, 1024U, 2048U, 4096U}) {
    if (apart < kPiece) {
      continue;
    }
    double sum = 0, pairs = 0;
    for (std::size_t piece = 0; piece + apart / kPiece < seen.size(); ++piece) {
      const Seen &one = seen[piece], &other = seen[piece + apart / kPiece];
      const bool near = std::max(one.begin, other.begin) - std::min(one.begin, other.begin) < kTogether;
      const bool same_kib = apart >= 1024 || piece * kPiece % 1024 + apart < 1024;
      if (one.begin != 0 && other.begin != 0 && near && same_kib) {
        sum += one.off * other.off;
        ++pairs;
      }
    }
    report.scalar("read_waits", name + ";apart=" + std::to_string(apart), "together", sum / pairs, "cycle2");
  }
}

}  // namespace

void read_waits(Report& report) {
  const Recorder<unsigned> data(kBytes / 4);
  const Homes homes = find_homes(data.device(), kBytes);
  for (const int warps : {8, 16, 24, 32, 48, 64}) {
    measure<512>(report, data, homes, warps);
  }
  for (const int warps : {32, 64}) {
    measure<256>(report, data, homes, warps);
  }
}

}  // namespace tilescope::gpu
