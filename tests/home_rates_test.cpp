// What limits the reads and stores of all SMs: the fabric where lines are far, L2's slices where they are near, device
// memory where L2 has none of them. The memory system alone, without warps, against gpu/microbench/home_rates.cu
// (gpu/measured/<gpu>/home_rates.csv).
#include <doctest/doctest.h>

#include <array>
#include <fstream>
#include <queue>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "models/address_hash.h"
#include "sim/engine/memory_system.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

// Lines a cycle, all SMs, between 16 and 32 MiB.
double measured(const std::string& gpu_name, const std::string& op, const std::string& home) {
  const auto cycles = [&](int mib) {
    const std::string row = "home_rates,op=" + op + ";home=" + home + ";mib=" + std::to_string(mib) + ",lines,";
    std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/" + gpu_name + "/home_rates.csv");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with(row)) return mib / std::stod(line.substr(row.size()));
    FAIL("no row: " << row);
    return 0.0;
  };
  return 16 / (cycles(32) - cycles(16));
}

// All SMs of a chip, which read or write lines of chosen homes as fast as they come.
class Chip {
 public:
  explicit Chip(const std::string& name, const std::vector<std::string>& changes = {})
      : gpu_(gpu(name, changes)), hash_(gpu_), memory_(gpu_), sms_(static_cast<std::size_t>(gpu_.sm.count())) {
    std::size_t beside_first = 0;
    const auto gpcs = gpu_.l2.gpcs_beside_first(static_cast<std::int64_t>(gpu_.sm.gpcs.size()));
    for (std::int64_t g = 0; g < gpcs; ++g)
      beside_first += static_cast<std::size_t>(gpu_.sm.gpcs[static_cast<std::size_t>(g)]);
    for (std::size_t sm = 0; sm < sms_; ++sm) partition_.push_back(sm < beside_first ? 0 : 1);
  }

  // Cycles in which all SMs read or write so many lines, each lines of its own whose home is far or near.
  Cycle read(bool far, std::size_t lines) { return served(far, lines, RequestKind::read); }
  Cycle write(bool far, std::size_t lines) { return served(far, lines, RequestKind::write); }
  // The SMs beside their homes read the lines that come next, which are far to others, and some more.
  void bring_home(std::size_t lines) {
    const auto at = next_line_;
    served(false, lines + lines / 4, RequestKind::read);
    next_line_ = at;
  }

 private:
  static constexpr int kUnderWay = 256;  // reads of an SM
  struct Turn {
    Cycle time;
    std::size_t sm;
    bool operator>(const Turn& other) const { return time != other.time ? time > other.time : sm > other.sm; }
  };
  // The line that comes next of those with this home.
  LineAddress next(unsigned home) {
    LineAddress line = LineAddress::numbered(next_line_[home]++);
    while (hash_.home_partition(line) != home) line = LineAddress::numbered(next_line_[home]++);
    return line;
  }
  Cycle served(bool far, std::size_t lines, RequestKind kind) {
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    for (std::size_t sm = 0; sm < sms_; ++sm)
      for (int i = 0; i < (kind == RequestKind::read ? kUnderWay : 1); ++i) turns.push({now_ + i * 4, sm});
    Cycle end = now_;
    const Cycle begin = now_;
    for (std::size_t i = 0; i < lines; ++i) {
      const Turn turn = turns.top();
      turns.pop();
      MemoryRequest request;
      request.time = turn.time;
      request.sm = static_cast<std::uint16_t>(turn.sm);
      request.line = next(partition_[turn.sm] ^ (far ? 1U : 0U));
      request.sectors = SectorMask::all();
      request.kind = kind;
      const Cycle ready = memory_.serve(request);
      end = std::max(end, ready);
      const Cycle sent = turn.time + 4;  // cycles of an SM for a store of a line
      turns.push({kind == RequestKind::read ? ready : std::max(sent, memory_.way_out_free(turn.sm)), turn.sm});
    }
    now_ = end;
    return end - begin;
  }

  GpuSpec gpu_;
  AddressHash hash_;
  MemorySystem memory_;
  std::size_t sms_;
  std::vector<unsigned> partition_;
  std::array<std::uint64_t, 2> next_line_{};  // by home
  Cycle now_ = 0;
};

using Changes = std::vector<std::string>;
constexpr std::size_t kLines = 65'536;

// Lines a cycle once they flow: what as many again take longer.
template <class CyclesOf>
double rate(std::size_t lines, CyclesOf&& cycles_of) {
  return static_cast<double>(lines) / static_cast<double>(cycles_of(2 * lines) - cycles_of(lines));
}
double far_hits(const std::string& name, const Changes& changes = {}) {
  return rate(kLines, [&](std::size_t lines) {
    Chip chip(name, changes);
    chip.bring_home(lines);
    return chip.read(true, lines);
  });
}
double stores(const std::string& name, bool far, const Changes& changes = {}) {
  return rate(kLines, [&](std::size_t lines) { return Chip(name, changes).write(far, lines); });
}
double near_reads(const std::string& name, const Changes& changes = {}) {
  return rate(2 * kLines, [&](std::size_t lines) { return Chip(name, changes).read(false, lines); });
}

}  // namespace

TEST_CASE("far lines are read and written as fast as the fabric carries them") {
  for (const char* name : {"h200", "h100"}) {
    CAPTURE(name);
    CHECK(far_hits(name) == doctest::Approx(measured(name, "hit", "other")).epsilon(0.05));
    CHECK(stores(name, true) == doctest::Approx(measured(name, "fill", "other")).epsilon(0.1));
    CHECK(stores(name, false) == doctest::Approx(measured(name, "fill", "own")).epsilon(0.12));
  }
}

TEST_CASE("a fabric twice as wide carries more far lines, and no more near ones") {
  const Changes wider = {"fabric.bytes_per_cycle=1296"};
  CHECK(far_hits("h200", wider) > 1.5 * far_hits("h200"));
  CHECK(stores("h200", false, wider) == doctest::Approx(stores("h200", false)));
}

TEST_CASE("near lines of device memory come at the rate of its bus less the gaps between bursts") {
  for (const auto& row : {std::pair{"h200", 2310.0}, {"h100", 1570.0}}) {  // l2_shares.csv, 256 MiB and more
    const char* const name = row.first;
    const double bytes = row.second;
    CAPTURE(name);
    CHECK(kLineBytes * near_reads(name) == doctest::Approx(bytes).epsilon(0.05));
    CHECK(near_reads(name, {"hbm.burst_gap_ns=0.5"}) < 0.95 * near_reads(name));
  }
}
