// How long does a load take, and how much do all SMs get together, as more lines are under way? Each warp has one or
// more loads of 512 bytes under way and waits for all of them before the next, all for the same number of cycles.
//   order=lines: the next warp of the next CTA reads the next 512 bytes; mixed: 512 bytes anywhere; scattered: four
//   lines anywhere; own, other, both: the next warp of the same CTA reads the next 512 bytes of 4 KiB whose home is the
//   SM's own partition of L2, the other one, either in turn. mib: of all; 16 are read once before, so that L2 has them
//   (own, other, both: near the SM that reads them). warps: of each SM; loads: of each warp, before it waits.
//   rate: bytes a cycle of all SMs; latency: of a warp's loads until the last has come, mean; least: of an SM, percent
//   of the mean of all.
#include <algorithm>
#include <string>

#include "benchmarks.h"
#include "device_probe.cuh"
#include "homes.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 512U << 20U;
constexpr int kCycles = 1 << 17;
constexpr unsigned kPiece = 512;
enum class Order { kLines, kMixed, kScattered, kPlaces };

// What the lane reads of the piece `number` of `pieces`; kPlaces: of an SM's own, in the places of its list.
template <Order kOrder>
__device__ const uint4* piece_of(const char* data, const unsigned* list, unsigned pieces, unsigned number) {
  const unsigned lane = threadIdx.x % 32;
  if (kOrder == Order::kScattered) {
    const unsigned line = ((number * 4 + lane / 8) * 2654435761U ^ number * 2246822519U) % (pieces * 4);
    return reinterpret_cast<const uint4*>(data + static_cast<std::size_t>(line) * 128) + lane % 8;
  }
  const unsigned piece = (kOrder == Order::kMixed ? number * 2654435761U : number) % pieces;
  constexpr unsigned kPieces = kPlace / kPiece;
  const std::size_t from =
      kOrder == Order::kPlaces ? static_cast<std::size_t>(list[piece / kPieces]) * kPieces + piece % kPieces : piece;
  return reinterpret_cast<const uint4*>(data + from * kPiece) + lane;
}

struct Sms {
  unsigned loads[256];
  unsigned long long waited[256];
};

template <Order kOrder, int kLoads>
__global__ void __launch_bounds__(1024) load_all(const char* data, unsigned pieces, const unsigned* places, bool warm,
                                                 int* here, Sms* sms, unsigned* sink) {
  extern __shared__ unsigned list[];
  constexpr bool kOwn = kOrder == Order::kPlaces;
  const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32;
  const unsigned first = kOwn ? warp : sm_id() * warps + warp, step = kOwn ? warps : gridDim.x * warps;
  if (kOwn) {
    const unsigned count = pieces * kPiece / kPlace;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
      list[i] = places[sm_id() * count + i];
    }
    __syncthreads();
  }
  unsigned sum = 0;
  if (warm) {
    for (unsigned number = first; number < pieces; number += step) {
      const uint4 v = load_past_l1(piece_of<kOrder>(data, list, pieces, number));
      sum ^= v.x ^ v.y ^ v.z ^ v.w;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(here, 1);
    while (atomicAdd(here, 0) < static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
  const long long start = clock64_now();
  unsigned count = 0;
  unsigned long long waited = 0;
  for (unsigned number = first;; number += kLoads * step) {
    const uint4* from[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      from[i] = piece_of<kOrder>(data, list, pieces, number + i * step);
      asm volatile("" ::"l"(from[i]));
    }
    const long long before = clock64_now();
    if (before - start >= kCycles) {
      break;
    }
    uint4 v[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      v[i] = load_past_l1(from[i]);
    }
    unsigned all = 0;
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      all ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
    }
    sum ^= all;
    asm volatile("" ::"r"(sum));
    waited += clock64_now() - before;
    ++count;
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&sms->loads[sm_id()], count);
    atomicAdd(&sms->waited[sm_id()], waited);
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

template <Order kOrder>
auto kernel_of(int loads) {
  return loads == 1 ? load_all<kOrder, 1> : loads == 2 ? load_all<kOrder, 2> : load_all<kOrder, 4>;
}

}  // namespace

void load_curve(Report& report) {
  const Recorder<unsigned> data(kBytes / 4);
  const Homes homes = find_homes(data.device(), kBytes);
  const int count = sm_count();
  static const Recorder<unsigned> sink(1);
  const auto run = [&](const std::string& name, Order order, const std::vector<unsigned>& list, int mib,
                       unsigned pieces, int warps, int loads) {
    const auto kernel = order == Order::kLines       ? kernel_of<Order::kLines>(loads)
                        : order == Order::kMixed     ? kernel_of<Order::kMixed>(loads)
                        : order == Order::kScattered ? kernel_of<Order::kScattered>(loads)
                                                     : kernel_of<Order::kPlaces>(loads);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
          "cudaFuncSetAttribute");
    const Recorder<unsigned> places(list);
    const Recorder<int> here(1);
    const Recorder<Sms> sms(1);
    kernel<<<count, 32 * warps, kOneCtaPerSm>>>(reinterpret_cast<const char*>(data.device()), pieces, places.device(),
                                                mib == 16, here.device(), sms.device(), sink.device());
    finish("load_all");
    const Sms result = sms.host()[0];
    double done = 0, waited = 0, least = 1e30;
    for (int sm = 0; sm < count; ++sm) {
      done += result.loads[sm];
      waited += static_cast<double>(result.waited[sm]);
      least = std::min(least, static_cast<double>(result.loads[sm]));
    }
    const std::string the_case = "order=" + name + ";mib=" + std::to_string(mib) + ";warps=" + std::to_string(warps) +
                                 ";loads=" + std::to_string(loads);
    report.scalar("load_curve", the_case, "rate", done * loads * kPiece / kCycles, "B/cycle");
    report.scalar("load_curve", the_case, "latency", waited / done, "cycle");
    report.scalar("load_curve", the_case, "least", 100 * least / (done / count), "%");
  };
  const std::vector<std::pair<int, int>> depths = {{4, 1},  {8, 1},  {12, 1}, {16, 1}, {20, 1}, {24, 1},
                                                   {28, 1}, {32, 1}, {8, 4},  {32, 2}, {32, 4}};
  for (const int mib : {16, 512}) {
    for (const auto& [warps, loads] : depths) {
      const unsigned pieces = (static_cast<unsigned>(mib) << 20U) / kPiece;
      run("lines", Order::kLines, {0}, mib, pieces, warps, loads);
      run("mixed", Order::kMixed, {0}, mib, pieces, warps, loads);
      run("scattered", Order::kScattered, {0}, mib, pieces, warps, loads);
      for (const Whose whose : {Whose::own, Whose::other, Whose::both}) {
        // Of one home there are half of the buffer's places, give or take some.
        const int places =
            static_cast<int>((static_cast<unsigned>(std::min(mib, 240)) << 20U) / kPlace / count) / 2 * 2;
        run(name_of(whose), Order::kPlaces, lists_of_places(homes, whose, places, 0), mib, places * (kPlace / kPiece),
            warps, loads);
      }
    }
  }
}

}  // namespace tilescope::gpu
