// Which line of a set of L1 goes? One thread loads lines of one set in random orders.
//   Trace rows: case = how many lines, and how they are drawn (even; few: the lower of two; mixed: three lines often,
//   the others once in a while); row = line, index = its place in the order, value = 1: it missed. L1 is empty before
//   each.
// Lines of set 0 are those whose number is below, by the bits of l1_hash.
#include <algorithm>
#include <random>
#include <string>

#include "benchmarks.h"
#include "l1_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr unsigned kMost = 16;  // lines
constexpr int kLoads = 300;
constexpr int kOrders = 12;

}  // namespace

void l1_policy(Report& report) {
  const Recorder<char> data((kMost << kL1SetBits) * kL1Line);
  std::mt19937 random(3);
  for (int order = 0; order < kOrders; ++order) {
    const unsigned lines = (const unsigned[]){5, 6, 8, 12}[order % 4];
    const int drawn = order / 4 % 3;
    std::vector<unsigned> list{kInvalidate};
    std::vector<unsigned> which{0};
    for (int i = 0; i < kLoads; ++i) {
      unsigned line = random() % lines;
      if (drawn == 1) line = std::min<unsigned>(line, random() % lines);
      if (drawn == 2) line = random() % 3 == 0 ? random() % 3 : 3 + line % (lines - 3);
      which.push_back(line);
      list.push_back(of_set_0(line));
    }
    const std::vector<bool> missed = load_lines(data.device(), list);
    const std::string name =
        "lines=" + std::to_string(lines) + ";drawn=" + (const char*[]){"even", "few", "mixed"}[drawn];
    for (int i = 1; i <= kLoads; ++i) {
      report.trace("l1_policy", name, static_cast<int>(which[i]), i - 1, missed[i] ? 1 : 0);
    }
  }
}

}  // namespace tilescope::gpu
