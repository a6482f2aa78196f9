// Which set of L1 a line belongs to, by the lines of known sets that put it out. L1 is emptied, then the line, four
// lines of one set and the line again are loaded: if it is gone, it is one of the set's. Tried with all sets.
//   Trace rows: row = which of two places in memory, 2 GiB apart, the lines are counted from; index = the line's
//   number, value = its set, -1: none, -2: several. Lines of one bit come first, then ones at random.
// The sets of lines below 4,096 are those of l1_sets: the lowest nine bits of their number, changed by what kKnown says
// for each of the three above.
#include <random>

#include "benchmarks.h"
#include "l1_probe.cuh"

namespace tilescope::gpu {
namespace {

constexpr unsigned kBits = 24;  // of a line's number
constexpr int kSets = 512;
constexpr unsigned kMembers = 8;  // of a set, of which four are used
constexpr std::size_t kSpan = (std::size_t{1} << kBits) * kL1Line;

unsigned member(unsigned set, unsigned high) { return of_set_0(high) ^ set; }

int set_of(const char* data, unsigned line) {
  std::vector<unsigned> list;
  std::vector<std::size_t> ends;
  for (int set = 0; set < kSets; ++set) {
    list.push_back(kInvalidate);
    list.push_back(line);
    int used = 0;
    for (unsigned high = 0; high < kMembers && used < 4; ++high) {
      if (member(set, high) == line) continue;
      list.push_back(member(set, high));
      ++used;
    }
    list.push_back(line);
    ends.push_back(list.size() - 1);
  }
  const std::vector<bool> missed = load_lines(data, list);
  int found = -1;
  for (int set = 0; set < kSets; ++set) {
    if (missed[ends[set]]) found = found == -1 ? set : -2;
  }
  return found;
}

}  // namespace

void l1_hash(Report& report) {
  std::vector<unsigned> lines;
  for (unsigned bit = kL1SetBits; bit < kBits; ++bit) lines.push_back(1U << bit);
  std::mt19937 random(1);
  while (lines.size() < 64) lines.push_back(4096 + random() % ((1U << kBits) - 4096));
  const DeviceBuffer<char> data(3 * kSpan);
  const auto first = (reinterpret_cast<std::uintptr_t>(data.data()) + kSpan - 1) / kSpan * kSpan;
  for (int place = 0; place < 2; ++place) {
    for (const unsigned line : lines) {
      report.trace("l1_hash", "", place, static_cast<int>(line),
                   set_of(reinterpret_cast<const char*>(first) + place * kSpan, line));
    }
  }
}

}  // namespace tilescope::gpu
