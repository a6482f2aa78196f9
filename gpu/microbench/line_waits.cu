// How long does one line of device memory take while other SMs read it at some rate, and do lines at some distance wait
// together? The warps of one SM read pairs of lines at random places of 400 MiB, a line each; the others read another
// region in order, 512 bytes a warp.
//   home: of the lines, near or far from the SM that reads them; warps, pad: of each of the other SMs, and their
//   cycles, about, between two loads; apart: the lines of a pair, bytes; lag: cycles by which the second is asked for
//   later. rate: bytes a cycle of the others; first, second: cycles of a pair's lines, mean; deviation and pN
//   (percentiles): of the first; together: coefficient of correlation of the two.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "../common/random.h"
#include "benchmarks.h"
#include "device_probe.cuh"
#include "homes.h"
#include "tile_reader.cuh"

namespace tilescope::gpu {
namespace {

constexpr int kRounds = 2000, kWarps = 32, kSettled = 20;
constexpr unsigned kLine = 128, kPiece = 512;
constexpr std::size_t kProbed = std::size_t{400} << 20U, kRead = std::size_t{512} << 20U,
                      kBytes = std::size_t{2048} << 20U;

struct Others {
  int warps, pad;
};

struct Moved {
  unsigned long long pieces, cycles;
};

__global__ void __launch_bounds__(1024)
    wait_for_lines(const char* data, const unsigned* lines, unsigned lag, Others others, int* done,
                   unsigned short* waits, Moved* moved, unsigned* sink) {
  unsigned sum = 0;
  const int warp = threadIdx.x / 32;
  if (sm_id() == 0) {
    for (int round = 0; round < kRounds; ++round) {
      __syncthreads();
      const unsigned line = lines[round * kWarps + warp];
      const unsigned start = clock_now(line);
      if (warp % 2 == 1) {
        while (clock_now(line) - start < lag) {
        }
      }
      const unsigned before = clock_now(line);
      const unsigned v = load_word_past_l1(data + static_cast<std::size_t>(line) * kLine);
      const unsigned after = clock_now(v);
      sum ^= v;
      if (threadIdx.x % 32 == 0) {
        waits[round * kWarps + warp] = static_cast<unsigned short>(min(after - before, 65535U));
      }
      for (int i = 0; i < 60; ++i) {
        sum = sum * 2654435761U + 1;
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicExch(done, 1);
    }
  } else if (warp < others.warps) {
    constexpr unsigned kPieces = (kBytes - kRead) / kPiece;
    unsigned count = 0;
    const long long start = clock64_now();
    for (unsigned piece = sm_id() * others.warps + warp;; piece += gridDim.x * others.warps) {
      const char* const from = data + kRead + static_cast<std::size_t>(piece % kPieces) * kPiece;
      const uint4 v = load_past_l1(reinterpret_cast<const uint4*>(from) + threadIdx.x % 32);
      sum ^= v.x ^ v.y ^ v.z ^ v.w;
      for (int i = 0; i < others.pad; ++i) {
        sum = sum * 2654435761U + 1;
      }
      if (++count % 8 == 0 && *reinterpret_cast<volatile int*>(done) != 0) {
        break;
      }
    }
    if (threadIdx.x % 32 == 0) {
      atomicAdd(&moved->pieces, static_cast<unsigned long long>(count));
      atomicMax(&moved->cycles, static_cast<unsigned long long>(clock64_now() - start));
    }
  }
  if (sum == 0x12345678U) {
    *sink = sum;
  }
}

// Both lines of each pair are at home in `home`.
std::vector<unsigned> pairs_of_lines(const Homes& homes, int home, unsigned apart, unsigned seed) {
  constexpr unsigned kLines = kProbed / kLine;
  const auto at_home = [&](unsigned line) { return homes.of_place[line / (kPlace / kLine)] == home; };
  std::mt19937 random(seed);
  std::vector<unsigned> lines;
  while (lines.size() < static_cast<std::size_t>(kRounds) * kWarps) {
    const unsigned one = random() % kLines;
    const unsigned other = apart < kPlace ? one ^ (apart / kLine) : one + apart / kLine;
    if (at_home(one) && at_home(other)) {
      lines.push_back(one);
      lines.push_back(other);
    }
  }
  return lines;
}

void say(Report& report, const std::string& name, const std::vector<unsigned short>& waits) {
  double first = 0, second = 0, squares = 0, other_squares = 0, products = 0;
  std::vector<int> all;
  for (std::size_t i = static_cast<std::size_t>(kSettled) * kWarps; i < waits.size(); i += 2) {
    const double a = waits[i], b = waits[i + 1];
    first += a, second += b, squares += a * a, other_squares += b * b, products += a * b;
    all.push_back(waits[i]);
  }
  const auto count = static_cast<double>(all.size());
  first /= count, second /= count;
  const double variance = squares / count - first * first, other = other_squares / count - second * second;
  report.scalar("line_waits", name, "first", first, "cycle");
  report.scalar("line_waits", name, "second", second, "cycle");
  report.scalar("line_waits", name, "deviation", std::sqrt(variance), "cycle");
  report.scalar("line_waits", name, "together", (products / count - first * second) / std::sqrt(variance * other), "");
  std::sort(all.begin(), all.end());
  for (const int percent : {1, 10, 25, 50, 75, 90, 99}) {
    report.scalar("line_waits", name, ("p" + std::to_string(percent)).c_str(),
                  all[static_cast<std::size_t>(count * percent / 100)], "cycle");
  }
}

}  // namespace

void line_waits(Report& report) {
  const Recorder<unsigned> data(kBytes / sizeof(unsigned));
  fill_random_bits(data.device(), kBytes / sizeof(unsigned), 1);
  const Homes homes = find_homes(data.device(), kRead);
  const Recorder<unsigned> sink(1);
  check(cudaFuncSetAttribute(wait_for_lines, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm),
        "cudaFuncSetAttribute");
  unsigned seed = 0;
  const auto ask = [&](bool near, Others others, unsigned apart, unsigned lag) {
    const int home = near ? homes.of_sm[0] : 1 - homes.of_sm[0];
    const Recorder<unsigned> lines(pairs_of_lines(homes, home, apart, ++seed));
    const Recorder<int> done(1);
    const Recorder<unsigned short> waits(static_cast<std::size_t>(kRounds) * kWarps);
    const Recorder<Moved> moved(1);
    wait_for_lines<<<sm_count(), 32 * kWarps, kOneCtaPerSm>>>(reinterpret_cast<const char*>(data.device()),
                                                              lines.device(), lag, others, done.device(),
                                                              waits.device(), moved.device(), sink.device());
    finish("wait_for_lines");
    const std::string name = std::string("home=") + (near ? "near" : "far") + ";warps=" + std::to_string(others.warps) +
                             ";pad=" + std::to_string(4 * others.pad) + ";apart=" + std::to_string(apart) +
                             ";lag=" + std::to_string(lag);
    const Moved all = moved.host()[0];
    const double rate =
        all.cycles == 0 ? 0 : static_cast<double>(all.pieces) * kPiece / static_cast<double>(all.cycles);
    report.scalar("line_waits", name, "rate", rate, "B/cycle");
    say(report, name, waits.host());
  };
  for (const Others others : {Others{0, 0}, Others{16, 0}, Others{32, 20}, Others{32, 0}}) {
    for (const unsigned apart : {128U, 256U, 512U, 1024U, 2048U, 4096U, 8192U, 65536U, 1U << 20U}) {
      ask(true, others, apart, 0);
    }
    for (const unsigned apart : {128U, 256U, 512U}) {
      for (const unsigned lag : {100U, 300U, 1000U, 3000U}) {
        ask(true, others, apart, lag);
      }
    }
    for (const unsigned apart : {128U, 256U, 2048U}) {
      ask(false, others, apart, 0);
    }
  }
}

}  // namespace tilescope::gpu
