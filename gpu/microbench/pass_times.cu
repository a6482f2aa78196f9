// When are the warps of all SMs done with each pass over a set of lines, and how long does each load take? One load of
// 512 bytes of each warp is under way, past L1; the next warp of the next SM reads the next 512 bytes.
//   mb: of the set, decimal; threads: of each SM; sms: that read; pad: cycles, about, between two loads. cold: from
//   empty caches, otherwise after a pass that is not timed. readers=all: every SM of one GPC reads everything, in tiles
//   of 2 KiB a warp.
//   pass_N: from the start until a warp is done with pass N, mean; warps_N: standard deviation of the warps of an SM;
//   sms_N: of the SMs' means; ends_N: mean of the SMs' last warps; last_N: the last of all.
//   wait: of a load, mean, with its deviation and percentiles (of a launch of its own, which reads the clock around
//   each load). readers=all: starts: from the first SM's start to the last one's, as the launch begins them; rate_N:
//   bytes a cycle of all SMs in pass N; ends_N: from the first SM's end of the pass to the last one's; warps_N: from an
//   SM's first warp to its last, mean.
// Traces: row is the pass, index the SM, value the mean of its warps' times.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "../common/random.h"
#include "benchmarks.h"
#include "gpc_map.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 20U, kSharedBytes = std::size_t{16} << 20U;
constexpr int kMostPasses = 64, kMostWarps = 32, kBins = 512, kBinCycles = 16;

struct Times {
  long long of[kMostPasses + 1][132][kMostWarps];
};

__device__ void wait_for_all(int readers, int* here) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(here, 1);
    while (atomicAdd(here, 0) < readers) {
    }
  }
  __syncthreads();
}

template <bool kTimed>
__global__ void __launch_bounds__(1024)
    probe_times(const uint4* data, int count, int passes, int pad, bool warm, const int* rank_of_sm, int readers,
                int* here, Times* times, unsigned* bins, unsigned* sink) {
  __shared__ unsigned mine[kTimed ? kBins : 1];
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  if (kTimed) {
    for (int i = threadIdx.x; i < kBins; i += blockDim.x) {
      mine[i] = 0;
    }
  }
  unsigned sum = 0;
  const int step = readers * blockDim.x;
  if (warm) {
    for (int i = rank * blockDim.x + threadIdx.x; i < count; i += step) {
      sum ^= load_past_l1(&data[i]).x;
    }
  }
  wait_for_all(readers, here);
  const long long start = clock64_now();
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 1
    for (int i = rank * blockDim.x + threadIdx.x; i < count; i += step) {
      unsigned before = 0;
      if (kTimed) {
        before = clock_now(sum);
      }
      const uint4 v = load_past_l1(&data[i]);
      sum ^= v.x ^ v.y ^ v.z ^ v.w;
      if (kTimed) {
        const unsigned waited = clock_now(sum) - before;
        if (threadIdx.x % 32 == 0) {
          atomicAdd(&mine[min(waited / kBinCycles, kBins - 1)], 1);
        }
      }
#pragma unroll 1
      for (int k = 0; k < pad; ++k) {
        sum = sum * 2654435761U + 1;
      }
    }
    if (threadIdx.x % 32 == 0) {
      times->of[pass][rank][threadIdx.x / 32] = clock64_now() - start;
    }
  }
  if (kTimed) {
    __syncthreads();
    for (int i = threadIdx.x; i < kBins; i += blockDim.x) {
      atomicAdd(&bins[i], mine[i]);
    }
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

__global__ void __launch_bounds__(1024)
    read_all(const uint4* data, int tiles, int passes, const int* rank_of_sm, Times* times, unsigned* sink) {
  const int rank = rank_of_sm[sm_id()];
  if (rank < 0) {
    return;
  }
  const int warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) {
    times->of[kMostPasses][rank][warp] = clock64_now();
  }
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    for (int tile = warp; tile < tiles; tile += blockDim.x / 32) {
      sum ^= sum_of_tile(data, tile);
    }
    if (threadIdx.x % 32 == 0) {
      times->of[pass][rank][warp] = clock64_now();
    }
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

std::vector<int> every(int step, int count) {
  std::vector<int> sms;
  for (int i = 0; i < count; ++i) {
    sms.push_back(i * step);
  }
  return sms;
}

struct Moments {
  double sum = 0, squares = 0;
  int count = 0;
  void add(double x) { sum += x, squares += x * x, ++count; }
  double mean() const { return sum / count; }
  double deviation() const { return std::sqrt(std::max(0.0, squares / count - mean() * mean())); }
};

void say_pass(Report& report, const std::string& name, const Times& times, int pass, int sms, int warps) {
  Moments all, sm_means, ends;
  double within = 0, last = 0;
  for (int sm = 0; sm < sms; ++sm) {
    Moments of_sm;
    double end = 0;
    for (int warp = 0; warp < warps; ++warp) {
      const double at = static_cast<double>(times.of[pass][sm][warp]);
      of_sm.add(at), all.add(at);
      end = std::max(end, at);
    }
    sm_means.add(of_sm.mean());
    within += of_sm.deviation() / sms;
    ends.add(end);
    last = std::max(last, end);
    report.trace("pass_times", name, pass, sm, static_cast<long long>(of_sm.mean()));
  }
  const std::string number = "_" + std::to_string(pass + 1);
  report.scalar("pass_times", name, ("pass" + number).c_str(), all.mean(), "cycle");
  report.scalar("pass_times", name, ("warps" + number).c_str(), within, "cycle");
  report.scalar("pass_times", name, ("sms" + number).c_str(), sm_means.deviation(), "cycle");
  report.scalar("pass_times", name, ("ends" + number).c_str(), ends.mean(), "cycle");
  report.scalar("pass_times", name, ("last" + number).c_str(), last, "cycle");
}

void say_waits(Report& report, const std::string& name, const std::vector<unsigned>& bins) {
  double all = 0;
  for (const unsigned count : bins) {
    all += count;
  }
  double sum = 0, squares = 0;
  for (int i = 0; i < kBins; ++i) {
    const double at = (i + 0.5) * kBinCycles;
    sum += at * bins[i] / all, squares += at * at * bins[i] / all;
  }
  report.scalar("pass_times", name, "wait", sum, "cycle");
  report.scalar("pass_times", name, "deviation", std::sqrt(squares - sum * sum), "cycle");
  for (const int percent : {1, 10, 50, 90, 99}) {
    double below = 0;
    int i = 0;
    for (; i < kBins - 1 && below + bins[i] < all * percent / 100; ++i) {
      below += bins[i];
    }
    report.scalar("pass_times", name, ("wait_p" + std::to_string(percent)).c_str(), (i + 0.5) * kBinCycles, "cycle");
  }
}

struct Ends {
  long long first, last;
};

Ends ends_of(const long long (&warps)[kMostWarps]) {
  const auto [first, last] = std::minmax_element(std::begin(warps), std::end(warps));
  return {*first, *last};
}

void say_shared(Report& report, const std::string& name, const Times& times, int sms, int passes) {
  std::vector<long long> before;
  for (int sm = 0; sm < sms; ++sm) {
    before.push_back(ends_of(times.of[kMostPasses][sm]).first);
  }
  const auto [first_start, last_start] = std::minmax_element(before.begin(), before.end());
  report.scalar("pass_times", name, "starts", static_cast<double>(*last_start - *first_start), "cycle");
  for (int pass = 0; pass < passes; ++pass) {
    double rate = 0, warps = 0;
    std::vector<long long> last;
    for (int sm = 0; sm < sms; ++sm) {
      const Ends ends = ends_of(times.of[pass][sm]);
      rate += static_cast<double>(kSharedBytes) / static_cast<double>(ends.last - before[sm]);
      warps += static_cast<double>(ends.last - ends.first) / sms;
      last.push_back(ends.last);
    }
    const auto [first_end, last_end] = std::minmax_element(last.begin(), last.end());
    const std::string number = "_" + std::to_string(pass + 1);
    report.scalar("pass_times", name, ("rate" + number).c_str(), rate, "B/cycle");
    report.scalar("pass_times", name, ("ends" + number).c_str(), static_cast<double>(*last_end - *first_end), "cycle");
    report.scalar("pass_times", name, ("warps" + number).c_str(), warps, "cycle");
    before = last;
  }
}

constexpr std::size_t kElement = sizeof(uint4);

class PassTimes {
 public:
  explicit PassTimes(Report& report) : report_(report) {
    fill_random_bits(reinterpret_cast<std::uint32_t*>(data_.device()), kBufferBytes / sizeof(std::uint32_t), 1);
    for (const auto kernel : {probe_times<false>, probe_times<true>}) {
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
            "cudaFuncSetAttribute");
    }
    check(cudaFuncSetAttribute(read_all, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
          "cudaFuncSetAttribute");
  }

  // After a pass that brings the set near, if L2 has room for it.
  void warm(int megabytes, int threads, int sms, int pad, int passes) const {
    const std::string name = name_of(megabytes, threads, sms, pad, passes);
    const bool first = megabytes <= 32;
    say_passes(name, run<false>(megabytes, threads, sms, pad, passes, first, nullptr), 0, passes, sms, threads);
    const Recorder<unsigned> bins(kBins);
    const Times times = run<true>(megabytes, threads, sms, pad, passes, first, bins.device());
    say_waits(report_, name, bins.host());
    say_passes(name + ";timed", times, passes - 1, passes, sms, threads);
  }
  void cold(int megabytes, int passes) const {
    flush_l2();
    const Times times = run<false>(megabytes, 1024, sm_count(), 0, passes, false, nullptr);
    say_passes(name_of(megabytes, 1024, sm_count(), 0, passes) + ";cold", times, 0, passes, sm_count(), 1024);
  }
  void shared(const std::vector<int>& sms, int repeat) const {
    constexpr int kPasses = 31;
    const SmSet set(sms);
    const Recorder<Times> times(1);
    read_all<<<sm_count(), 1024, kOneCtaPerSm>>>(data_.device(), static_cast<int>(kSharedBytes / kElement / kReadTile),
                                                 kPasses, set.ranks(), times.device(), sink_.device());
    finish("read_all");
    say_shared(report_, "readers=all;sms=" + std::to_string(set.size()) + ";repeat=" + std::to_string(repeat),
               times.host()[0], set.size(), kPasses);
  }

 private:
  static std::string name_of(int megabytes, int threads, int sms, int pad, int passes) {
    return "mb=" + std::to_string(megabytes) + ";threads=" + std::to_string(threads) + ";sms=" + std::to_string(sms) +
           ";pad=" + std::to_string(4 * pad) + ";passes=" + std::to_string(passes);
  }
  template <bool kTimed>
  Times run(int megabytes, int threads, int sms, int pad, int passes, bool first, unsigned* bins) const {
    const SmSet set(every(sm_count() / sms, sms));
    const Recorder<Times> times(1);
    const Recorder<int> here(1);
    probe_times<kTimed><<<sm_count(), threads, kOneCtaPerSm>>>(
        data_.device(), static_cast<int>(megabytes * 1000000 / kElement), passes, pad, first, set.ranks(), sms,
        here.device(), times.device(), bins, sink_.device());
    finish("probe_times");
    return times.host()[0];
  }
  void say_passes(const std::string& name, const Times& times, int from, int to, int sms, int threads) const {
    for (int pass = from; pass < to; ++pass) {
      say_pass(report_, name, times, pass, sms, threads / 32);
    }
  }

  Report& report_;
  Recorder<uint4> data_{kBufferBytes / kElement};
  Recorder<unsigned> sink_{1};
};

}  // namespace

void pass_times(Report& report) {
  const PassTimes times(report);
  for (const int threads : {128, 256, 512, 1024}) {
    times.warm(16, threads, sm_count(), 0, 8);
    times.warm(200, threads, sm_count(), 0, 1);
  }
  for (const int pad : {12, 25, 50, 100, 200}) {
    times.warm(16, 1024, sm_count(), pad, 8);
    times.warm(200, 1024, sm_count(), pad, 1);
  }
  for (const int threads : {256, 1024}) {
    times.warm(2, threads, 1, 0, 4);
    times.warm(4, threads, 16, 0, 8);
    times.warm(8, threads, 66, 0, 8);
    times.warm(100, threads, 66, 0, 1);
  }
  for (const int megabytes : {8, 16, 32, 40, 44, 46, 48, 50, 52, 56, 64}) {
    times.cold(megabytes, 6);
  }
  for (const int megabytes : {24, 40, 44, 48, 50, 52, 56}) {
    times.cold(megabytes, 40);
  }
  const std::vector<std::vector<int>> gpcs = gpc_map();
  const std::vector<int>& gpc = largest_gpc(gpcs);
  for (const std::size_t sms : {2, 4, 6, 8, 12, 16, 18}) {
    for (int repeat = 0; repeat < 2 && sms <= gpc.size(); ++repeat) {
      times.shared(std::vector<int>(gpc.begin(), gpc.begin() + static_cast<std::ptrdiff_t>(sms)), repeat);
    }
  }
}

}  // namespace tilescope::gpu
