// How L1 keeps lines: how many there are, which share a set, how many of these stay, and which one goes. One thread
// loads a list of lines one after another; a load that takes more than kL1Hit cycles has missed.
//   misses: share of the last of four passes over `lines` lines, `stride` lines apart, in order or shuffled
//   evicting_lines: the fewest of the lines behind it that, loaded once, put line `victim` out; traces: which they are
//   set_misses: share of each of six passes over the first `lines` lines of one set
// traces of same_set: the lines that can take the place of one of those.
// carveout: percent of the SM's memory that is preferred as shared memory.
#include <algorithm>
#include <numeric>
#include <random>

#include "benchmarks.h"
#include "l1_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr std::size_t kLines = 1 << 21;

using List = std::vector<unsigned>;

class L1Probe {
 public:
  explicit L1Probe(int carveout) : data_(kLines * kL1Line) {
    check(cudaFuncSetAttribute(load_list, cudaFuncAttributePreferredSharedMemoryCarveout, carveout), "carve-out");
  }
  std::vector<bool> load(const List& list) const { return load_lines(data_.device(), list); }
  bool evicts(unsigned victim, const List& others) const {
    List list{kInvalidate, victim};
    list.insert(list.end(), others.begin(), others.end());
    list.push_back(victim);
    return load(list).back();
  }
  // The share of the lines that miss in each of `passes` passes over them.
  std::vector<double> passes(const List& lines, int passes) const {
    List list;
    for (int pass = 0; pass < passes; ++pass) {
      list.insert(list.end(), lines.begin(), lines.end());
    }
    const std::vector<bool> missed = load(list);
    std::vector<double> result;
    const auto count = static_cast<std::ptrdiff_t>(lines.size());
    for (int pass = 0; pass < passes; ++pass) {
      const auto first = missed.begin() + pass * count;
      result.push_back(static_cast<double>(std::count(first, first + count, true)) / static_cast<double>(count));
    }
    return result;
  }
  // Drops lines as long as the rest puts `victim` out.
  List fewest(unsigned victim, List lines) const {
    for (std::size_t chunk = lines.size() / 2; chunk >= 1; chunk /= 2) {
      for (std::size_t at = 0; at < lines.size();) {
        List rest(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(at));
        rest.insert(rest.end(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(at + chunk, lines.size())),
                    lines.end());
        if (evicts(victim, rest)) {
          lines = rest;
        } else {
          at += chunk;
        }
      }
    }
    return lines;
  }

 private:
  Recorder<char> data_;
};

void measure_strides(Report& report, const L1Probe& probe, const std::string& prefix) {
  std::mt19937 random(1);
  for (const bool shuffled : {false, true}) {
    for (unsigned count = 128; count <= 2304; count += 64) {
      List lines(count);
      std::iota(lines.begin(), lines.end(), 0U);
      if (shuffled) {
        std::shuffle(lines.begin(), lines.end(), random);
      }
      report.scalar(
          "l1_sets",
          prefix + ";order=" + (shuffled ? "shuffled" : "rising") + ";stride=1;lines=" + std::to_string(count),
          "misses", probe.passes(lines, 4).back(), "1");
    }
  }
  for (const unsigned stride : {2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512, 768, 1024}) {
    for (unsigned count = 16; count <= 2048; count += count < 64 ? 16 : count / 4) {
      List lines(count);
      for (unsigned i = 0; i < count; ++i) {
        lines[i] = i * stride;
      }
      report.scalar("l1_sets",
                    prefix + ";order=rising;stride=" + std::to_string(stride) + ";lines=" + std::to_string(count),
                    "misses", probe.passes(lines, 4).back(), "1");
    }
  }
}

void write_trace(Report& report, const std::string& the_case, const List& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    report.trace("l1_sets", the_case, 0, static_cast<int>(i), static_cast<long long>(lines[i]));
  }
}

// Which lines share a set with `victim`, and how passes over some of them fare.
void measure_set(Report& report, const L1Probe& probe, const std::string& prefix, unsigned victim, bool passes) {
  List pool(3072);
  std::iota(pool.begin(), pool.end(), victim + 1);
  const std::string the_case = prefix + ";victim=" + std::to_string(victim);
  if (!probe.evicts(victim, pool)) {
    return;
  }
  const List fewest = probe.fewest(victim, pool);
  report.scalar("l1_sets", the_case, "evicting_lines", static_cast<double>(fewest.size()), "1");
  write_trace(report, the_case + ";fewest", fewest);
  if (!passes || fewest.empty()) {  // none: the line goes by itself
    return;
  }
  List same{victim};
  List list;
  std::vector<std::size_t> ends;
  const unsigned tested = 4096;
  for (unsigned line = victim + 1; line <= victim + tested; ++line) {
    list.push_back(kInvalidate);
    list.push_back(victim);
    const bool is_one = std::find(fewest.begin(), fewest.end(), line) != fewest.end();
    list.insert(list.end(), fewest.begin() + (is_one ? 0 : 1), fewest.end());
    if (!is_one) {
      list.push_back(line);
    }
    list.push_back(victim);
    ends.push_back(list.size() - 1);
  }
  const std::vector<bool> missed = probe.load(list);
  for (unsigned i = 0; i < tested; ++i) {
    if (missed[ends[i]]) {
      same.push_back(victim + 1 + i);
    }
  }
  write_trace(report, the_case + ";same_set", same);
  for (std::size_t count = 2; count <= same.size(); count += 1 + count / 16) {
    const std::vector<double> misses =
        probe.passes(List(same.begin(), same.begin() + static_cast<std::ptrdiff_t>(count)), 6);
    for (std::size_t pass = 0; pass < misses.size(); ++pass) {
      report.scalar("l1_sets", the_case + ";lines=" + std::to_string(count) + ";pass=" + std::to_string(pass),
                    "set_misses", misses[pass], "1");
    }
  }
}

}  // namespace

void l1_sets(Report& report) {
  for (const int carveout : {0, 100}) {
    const L1Probe probe(carveout);
    const std::string prefix = "carveout=" + std::to_string(carveout);
    measure_strides(report, probe, prefix);
    for (const unsigned victim : {0U, 1U, 2U, 3U, 4U, 5U, 777U, 4096U}) {
      measure_set(report, probe, prefix, victim, victim == 0 || victim == 777);
    }
  }
}

}  // namespace tilescope::gpu
