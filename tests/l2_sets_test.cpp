// How evenly lines in a row fill the sets of L2 and load its slices, against gpu/microbench/l2_sets.cu and
// counted_slices.cu (gpu/measured/h200).
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "models/address_hash.h"
#include "models/line_sample.h"
#include "statistics.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::uint64_t kBufferMib = 192, kLinesOfMib = (1U << 20U) / kLineBytes;

// Of a set's lines that have one home: how many lie in each window of so many MiB of the buffer, all sets together.
double measured_variance(std::uint64_t mib) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h200/l2_sets_traces.csv");
  std::map<int, std::vector<double>> windows;
  for (std::string row; std::getline(file, row);) {
    if (!row.starts_with("l2_sets,")) continue;
    int set = 0, home = 0;
    unsigned line = 0;
    REQUIRE(std::sscanf(row.c_str(), "l2_sets,,%d,%d,%u", &set, &home, &line) == 3);
    std::vector<double>& counts = windows.try_emplace(2 * set + home, kBufferMib / mib).first->second;
    if (const std::uint64_t window = line / (mib * kLinesOfMib); window < counts.size()) ++counts[window];
  }
  REQUIRE(windows.size() > 60);
  std::vector<double> all;
  for (const auto& [set, counts] : windows) all.insert(all.end(), counts.begin(), counts.end());
  return variance(all);
}

double modelled_variance(std::uint64_t mib) {
  const GpuSpec& spec = h200();
  const AddressHash hash(spec);
  const LineSample lines(hash, 0);
  const auto sets = static_cast<std::size_t>(spec.l2.size_mib * kLinesOfMib / 2 / static_cast<double>(spec.l2.ways));
  const SetIndex set_of = lines.set_index(
      sets, hash.implied_bit(), std::countr_zero(static_cast<std::uint64_t>(spec.l2.set_run_mib) * kLinesOfMib) - 1);
  std::vector<double> all;
  for (std::uint64_t window = 0; window < kBufferMib / mib; ++window) {
    std::vector<double> counts(sets);
    for (std::uint64_t i = 0; i < mib * kLinesOfMib; ++i) {
      const LineAddress line = LineAddress::numbered(window * mib * kLinesOfMib + i);
      if (hash.home_partition(line) == 0) ++counts[set_of(line)];
    }
    all.insert(all.end(), counts.begin(), counts.end());
  }
  return variance(all);
}

// The slice that is asked for most, over the mean, when a buffer is read once, 2 KiB for each SM in turn
// (counted_slices).
double modelled_most(std::uint64_t mib, bool everyone) {
  const GpuSpec& spec = h200();
  const AddressHash hash(spec);
  // SMs are numbered TPC by TPC of all GPCs in turn; the two that are left over are of the larger GPCs.
  const auto partition = [](std::uint64_t sm) { return sm < 128 ? sm / 2 % 8 < 4 ? 0U : 1U : sm < 130 ? 0U : 1U; };
  const auto slices = static_cast<std::size_t>(spec.l2.slices / 2);
  std::vector<double> asked((everyone ? 2 : 1) * slices);
  for (std::uint64_t i = 0; i < mib * kLinesOfMib; ++i) {
    const std::size_t beside = everyone ? partition(i / 16 % 132) : 0;
    ++asked[beside * slices + hash.slice(LineAddress::numbered((1ULL << 30U) + i))];
  }
  double sum = 0;
  for (const double one : asked) sum += one;
  return *std::ranges::max_element(asked) / (sum / static_cast<double>(asked.size()));
}

double measured_most(std::uint64_t mib, bool everyone) {
  const std::string row = std::string("counted_slices,set=") + (everyone ? "all;sms=132" : "partition;sms=66") +
                          ";mib=" + std::to_string(mib) + ",";
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h200/slices_counted.csv");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(row)) continue;
    double cycles = 0, sum = 0, least = 0, mean = 0, most = 0;
    REQUIRE(std::sscanf(line.c_str() + row.size(), "%lf,%lf,%lf,%lf,%lf", &cycles, &sum, &least, &mean, &most) == 5);
    return most / mean / (everyone ? 1 : 2);
  }
  FAIL("no row: " << row);
  return 0;
}

}  // namespace

// Not held: of 4, 8 and 48 MiB, where an H200's sets have a variance of 0.39, 0.49 and 0.23, here 0.08, 0.15 and 0.79.
TEST_CASE("lines in a row fill the sets of L2 more evenly than chance would, as on an H200") {
  for (const std::uint64_t mib : {2, 16, 32, 64}) {
    CAPTURE(mib);
    const double measured = measured_variance(mib), modelled = modelled_variance(mib);
    CHECK(modelled > measured / 2);
    CHECK(modelled < measured * 2);
    CHECK(measured < 0.272 * static_cast<double>(mib));  // of lines thrown at random
  }
}

TEST_CASE("lines in a row load the slices of a partition evenly, and unevenly what some of its readers ask for") {
  for (const std::uint64_t mib : {4, 16, 32}) {
    CAPTURE(mib);
    CHECK(modelled_most(mib, false) < 1.05);
    CHECK(std::abs(modelled_most(mib, false) - measured_most(mib, false)) < 0.05);
    CHECK(std::abs(modelled_most(mib, true) - measured_most(mib, true)) < 0.12);
    CHECK(modelled_most(mib, true) > modelled_most(mib, false));
  }
}
