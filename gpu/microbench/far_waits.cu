// How long do loads of lines that L2 has wait by themselves, while all SMs read lines of one home? What is far comes
// over the fabric between the partitions, near what is read through the same slices without it. SMs of the home
// partition have read the lines before, so that they are there and nowhere else; then each SM reads its own places
// once. Each warp has one load of 512 bytes under way.
//   home: of the lines, from the SM that loads them: own, other, or both in turn. warps: of each SM.
//   rate: bytes a cycle of all SMs, from the common start to the mean of their ends. mean and pN (percentiles): cycles
//   of a load, from the clock before it to the one after, but for the first two of each warp.
#include <algorithm>
#include <string>
#include <vector>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "homes.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 512U << 20U;
constexpr unsigned kPiece = 512, kPieces = kPlace / kPiece;

// Each SM its `count` places, piece by piece, a warp after the other. cycles: of each piece.
__global__ void __launch_bounds__(1024) read_places(const char* data, const unsigned* places, int count, int* here,
                                                    unsigned* cycles, unsigned* ends, unsigned* sink) {
  extern __shared__ unsigned own[];  // places, then what their pieces took
  const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned* const took = own + count;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    own[i] = places[sm_id() * count + i];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(here, 1);
    while (atomicAdd(here, 0) < static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
  const unsigned start = clock_now();
  unsigned sum = 0;
  for (unsigned piece = warp; piece < count * kPieces; piece += warps) {
    const char* from = data + (static_cast<std::size_t>(own[piece / kPieces]) * kPieces + piece % kPieces) * kPiece;
    asm volatile("" ::"l"(from));
    const unsigned before = clock_now(sum);
    const uint4 v = load_past_l1(reinterpret_cast<const uint4*>(from) + lane);
    sum ^= v.x ^ v.y ^ v.z ^ v.w;
    asm volatile("" ::"r"(sum));
    const unsigned after = clock_now(sum);
    if (lane == 0) {
      took[piece] = after - before;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    ends[sm_id()] = clock_now() - start;
  }
  for (unsigned piece = threadIdx.x; piece < count * kPieces; piece += blockDim.x) {
    cycles[sm_id() * count * kPieces + piece] = took[piece];
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

}  // namespace

void far_waits(Report& report) {
  const Recorder<unsigned> data(kBytes / 4);
  const int sms = sm_count();
  const Homes homes = find_homes(data.device(), kBytes);
  const Recorder<unsigned> sink(1);
  check(cudaFuncSetAttribute(read_places, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  const int count = static_cast<int>((24U << 20U) / kPlace / sms) / 2 * 2;
  for (const Whose whose : {Whose::own, Whose::other, Whose::both}) {
    const std::vector<unsigned> lists = lists_of_places(homes, whose, count, 0);
    const Recorder<unsigned> places(lists), at_home(lists_beside_home(homes, lists, 2 * count));
    for (const int warps : {2, 4, 8, 12, 16, 20, 24, 28, 32}) {
      const Recorder<unsigned> cycles(2 * lists.size() * kPieces), ends(static_cast<std::size_t>(sms));
      const auto read = [&](const Recorder<unsigned>& of, int each) {
        const Recorder<int> here(1);
        read_places<<<sms, 32 * warps, kOneCtaPerSm>>>(reinterpret_cast<const char*>(data.device()), of.device(), each,
                                                       here.device(), cycles.device(), ends.device(), sink.device());
        finish("read_places");
      };
      flush_l2();
      read(at_home, 2 * count);
      read(places, count);
      const std::string name = std::string("home=") + name_of(whose) + ";warps=" + std::to_string(warps);
      double end = 0;
      for (const unsigned one : ends.host()) {
        end += one;
      }
      const unsigned pieces = static_cast<unsigned>(count) * kPieces;
      report.scalar("far_waits", name, "rate", static_cast<double>(pieces) * kPiece * sms / (end / sms), "B/cycle");
      const std::vector<unsigned> all = cycles.host();
      std::vector<double> waits;
      for (int sm = 0; sm < sms; ++sm) {
        for (unsigned piece = 2U * static_cast<unsigned>(warps); piece < pieces; ++piece) {
          waits.push_back(all[static_cast<std::size_t>(sm) * pieces + piece]);
        }
      }
      std::sort(waits.begin(), waits.end());
      double sum = 0;
      for (const double one : waits) {
        sum += one;
      }
      report.scalar("far_waits", name, "mean", sum / static_cast<double>(waits.size()), "cycle");
      for (const int percent : {1, 10, 25, 50, 75, 90, 99}) {
        report.scalar("far_waits", name, ("p" + std::to_string(percent)).c_str(), waits[waits.size() * percent / 100],
                      "cycle");
      }
    }
  }
}

}  // namespace tilescope::gpu
