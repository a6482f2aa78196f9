// Which line goes when L1 is full, though the new line's set has a place? Each SM loads the same list of lines from an
// empty L1 and then asks for one of them, every SM for another, so that all of what a list leaves is known.
//
// carveout: percent of 228 KiB that the launch prefers as shared memory. list: rising, lines in a row; scattered, lines
//   at random of 2 MiB; twice, the first 32 of a row are loaded twice before the rest.
// gone: lines of the list that are not there at its end. Traces: row is the list's length, index the place in the list
// of a line that is gone, value 1.
// passes: of passes over lines in a row, from an empty L1 on, the share that misses, percent, by pass: order=rising or
//   shuffled, the same order in each pass; from: the first line's number.
#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "benchmarks.h"
#include "l1_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kBytes = 2U << 20U;
constexpr unsigned kLines = kBytes / kL1Line;
constexpr int kPasses = 6;

// CTA i loads the list and then the line at `first` + i of it.
__global__ void ask_for_one(const char* data, const unsigned* list, int count, int first, unsigned char* missed) {
  unsigned seen = 0;
  for (int i = 0; i <= count; ++i) {
    const int at = i < count ? i : first + static_cast<int>(blockIdx.x);
    if (at >= count) {
      break;
    }
    unsigned line;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(line) : "l"(list + at) : "memory");
    const unsigned start = clock_now(line);
    unsigned v;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(data + (line + seen) * kL1Line) : "memory");
    const unsigned stop = clock_now(v | 1U);
    seen |= v;  // of zeros
    if (i == count) {
      missed[at] = stop - start > kL1Hit;
    }
  }
}

void ask(Report& report, const char* data, const std::string& name, const std::vector<unsigned>& list) {
  const DeviceBuffer<unsigned> steps(list.size());
  check(cudaMemcpy(steps.data(), list.data(), steps.bytes(), cudaMemcpyHostToDevice), "cudaMemcpy");
  const int count = static_cast<int>(list.size());
  const Recorder<unsigned char> missed(list.size());
  for (int first = 0; first < count; first += sm_count()) {
    ask_for_one<<<sm_count(), 1>>>(data, steps.data(), count, first, missed.device());
  }
  finish("ask_for_one");
  const std::vector<unsigned char> gone = missed.host();
  report.scalar("l1_room", name + ";lines=" + std::to_string(count), "gone",
                static_cast<double>(std::accumulate(gone.begin(), gone.end(), 0)), "line");
  for (int i = 0; i < count; ++i) {
    if (gone[static_cast<std::size_t>(i)] != 0) {
      report.trace("l1_room", name, count, i, 1);
    }
  }
}

void pass(Report& report, const char* data, const std::string& name, unsigned from, unsigned lines, bool shuffled,
          unsigned seed) {
  std::vector<unsigned> once(lines), list;
  std::iota(once.begin(), once.end(), from);
  if (shuffled) {
    std::mt19937 random(seed);
    std::shuffle(once.begin(), once.end(), random);
  }
  for (int i = 0; i < kPasses; ++i) {
    list.insert(list.end(), once.begin(), once.end());
  }
  const std::vector<bool> missed = load_lines(data, list);
  for (int i = 0; i < kPasses; ++i) {
    const auto begin = missed.begin() + static_cast<std::ptrdiff_t>(i * lines);
    const auto count = std::count(begin, begin + static_cast<std::ptrdiff_t>(lines), true);
    report.scalar("l1_room",
                  name + ";order=" + (shuffled ? "shuffled" + std::to_string(seed) : "rising") + ";from=" +
                      std::to_string(from) + ";lines=" + std::to_string(lines) + ";pass=" + std::to_string(i),
                  "passes", 100.0 * static_cast<double>(count) / lines, "%");
  }
}

}  // namespace

void l1_room(Report& report) {
  const Recorder<char> data(kBytes);
  const auto passes = [&](const std::string& name) {
    for (const unsigned lines : {1408U, 1472U, 1536U, 1600U, 1664U, 1728U, 1792U, 1920U, 2048U, 2304U}) {
      pass(report, data.device(), name, 0, lines, false, 0);
      pass(report, data.device(), name, 0, lines, true, 1);
      pass(report, data.device(), name, 200, lines, true, 2);
    }
  };
  passes("carveout=default");
  std::mt19937 random(3);
  std::vector<unsigned> rising(kLines), scattered(kLines), twice;
  std::iota(rising.begin(), rising.end(), 0U);
  scattered = rising;
  std::shuffle(scattered.begin(), scattered.end(), random);
  for (unsigned i = 0; i < 64; ++i) {
    twice.push_back(i % 32);
  }
  for (unsigned i = 32; i < kLines; ++i) {
    twice.push_back(i);
  }
  for (const int carveout : {100, 43, 14, 0}) {
    for (const void* const kernel :
         {reinterpret_cast<const void*>(ask_for_one), reinterpret_cast<const void*>(load_list)}) {
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout),
            "cudaFuncSetAttribute");
    }
    const std::string name = "carveout=" + std::to_string(carveout);
    passes(name);
    const int room = carveout == 100 ? 224 : carveout == 43 ? 1248 : carveout == 14 ? 1792 : 1984;
    const int step = room < 1000 ? 1 : 8;
    for (int lines = room < 1000 ? 100 : room - 96; lines <= (room < 1000 ? 400 : room + 320); lines += step) {
      ask(report, data.device(), name + ";list=rising", {rising.begin(), rising.begin() + lines});
      if (carveout == 100 || carveout == 14) {
        ask(report, data.device(), name + ";list=scattered", {scattered.begin(), scattered.begin() + lines});
        ask(report, data.device(), name + ";list=twice", {twice.begin(), twice.begin() + lines});
      }
    }
  }
}

}  // namespace tilescope::gpu
