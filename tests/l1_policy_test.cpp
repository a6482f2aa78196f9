// Which set of L1 a line belongs to, which line of a set goes and what counts as a hit there, against an H200's and an
// H100's own answers (gpu/microbench/l1_hash.cu, l1_policy.cu, l1_touch.cu).
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine_runs.h"
#include "models/l1_cache.h"
#include "models/l1_set_index.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Row {
  std::string benchmark, the_case;
  long long row = 0, index = 0, value = 0;
};

std::vector<Row> measured(const std::string& file) {
  std::ifstream in(TILESCOPE_SOURCE_DIR "/gpu/measured/" + file);
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || line.rfind("benchmark,", 0) == 0) continue;
    Row row;
    std::istringstream fields(line);
    std::string number;
    std::getline(fields, row.benchmark, ',');
    std::getline(fields, row.the_case, ',');
    for (long long* const value : {&row.row, &row.index, &row.value}) {
      std::getline(fields, number, ',');
      *value = std::stoll(number);
    }
    rows.push_back(row);
  }
  return rows;
}

// How many loads of a case are issued at once.
std::size_t together(const Row& row) {
  constexpr std::string_view kWord = "together=";
  const std::size_t at = row.the_case.find(kWord);
  return at == std::string::npos ? 1 : std::stoul(row.the_case.substr(at + kWord.size()));
}

// Timed loads, of all orders, that hit or miss otherwise than measured. `sectors`: that a row tells apart in each line.
int differing_loads(const L1Spec& spec, const std::vector<Row>& rows, long long sectors = 1) {
  constexpr long long kNotTimed = 2;
  const L1SetIndex index(spec, spec.size_kib, 0);
  L1Cache cache(spec, spec.size_kib);
  int differing = 0;
  std::uint32_t fill = 0;
  std::vector<std::pair<LineAddress, std::uint32_t>> on_their_way;
  std::size_t issued = 0;  // of those that are issued at once
  for (const Row& row : rows) {
    if (row.index == 0) cache = L1Cache(spec, spec.size_kib);
    // Of the 512 lines that begin at this one, the line of set 0.
    const auto high = static_cast<std::uint64_t>(row.row / sectors) << 9U;
    const LineAddress line = LineAddress::numbered(high | index(LineAddress::numbered(high)));
    const SectorMask sector = SectorMask::of(static_cast<std::size_t>(row.row % sectors));
    const bool missed = cache.load(line, sector).missing.any();
    if (missed) {
      cache.allocate(line, sector, fill);
      on_their_way.emplace_back(line, fill++);
    }
    const bool timed = row.value != kNotTimed;
    issued = timed ? 0 : issued + 1;
    if (timed) differing += missed == (row.value != 0) ? 0 : 1;
    if (!timed && issued % together(row) != 0) continue;
    for (const auto& [arrives, its_fill] : on_their_way) cache.filled(arrives, its_fill, 0);
    on_their_way.clear();
  }
  return differing;
}

}  // namespace

TEST_CASE("the set of a line of L1 is that of the hardware, wherever in memory it is counted from") {
  const L1SetIndex index(h200().l1, h200().l1.size_kib, 0);
  for (const char* const file : {"h200/l1_hash.csv", "h100/l1_hash.csv"}) {
    const std::vector<Row> rows = measured(file);
    CHECK(rows.size() == 128);
    for (const Row& row : rows) {
      CAPTURE(row.index);
      CHECK(static_cast<long long>(index(LineAddress::numbered(static_cast<std::uint64_t>(row.index)))) == row.value);
    }
  }
}

TEST_CASE("which line of a set of L1 goes: every one of 3,600 loads in random orders hits and misses as on hardware") {
  for (const char* const file : {"h200/l1_policy.csv", "h100/l1_policy.csv"}) {
    const std::vector<Row> rows = measured(file);
    CHECK(rows.size() == 3600);
    CHECK(differing_loads(h200().l1, rows) == 0);
    L1Spec oldest = h200().l1;
    oldest.kept_hits = 0;
    CHECK(differing_loads(oldest, rows) > 200);
  }
}

TEST_CASE(
    "a line goes also while its data are on their way, and a load of another sector or of data on their way is a hit") {
  for (const char* const file : {"h200/l1_touch.csv", "h100/l1_touch.csv"}) {
    const std::vector<Row> rows = measured(file);
    CHECK(rows.size() > 12000);
    CHECK(differing_loads(h200().l1, rows, kSectorsPerLine) == 0);
    L1Spec oldest = h200().l1;
    oldest.kept_hits = 0;
    CHECK(differing_loads(oldest, rows, kSectorsPerLine) > 200);
  }
}
