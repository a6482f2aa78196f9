// The ports into a GPC; and what a lone load waits beside SMs that read lines of L2 as fast as they can: the memory
// system alone, with warps that ask again when they have what they asked for, against gpu/measured/h100/port_waits.csv.
#include "models/gpc_ports.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine_runs.h"
#include "models/support/bit_mixer.h"
#include "sim/engine/memory_system.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

double measured(const std::string& row) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h100/port_waits.csv");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(row + ",")) return std::stod(line.substr(row.size() + 1));
  FAIL("no row: " << row);
  return 0;
}

struct Readers {
  int sms = 8, warps = 31, depth = 4;
};

struct Seen {
  double rate = 0;               // bytes a cycle
  std::vector<Cycle> latencies;  // of lone loads, in ascending order
  Cycle at(double share) const { return latencies[static_cast<std::size_t>(share * (latencies.size() - 1.0))]; }
};

Seen read(const GpuSpec& gpu, const Readers& readers) {
  constexpr std::uint64_t kLines = 32768, kLoneLines = 8192;
  constexpr Cycle kEnd = 60000, kSettled = 20000;
  const int lines_of_turn = 4 * readers.depth;
  MemorySystem memory(gpu);
  const auto serve = [&](int sm, std::uint64_t line, Cycle time, SectorMask sectors) {
    MemoryRequest request;
    request.time = time;
    request.line = LineAddress::numbered(line);
    request.sm = static_cast<std::uint16_t>(sm);
    request.sectors = sectors;
    return memory.serve(request);
  };
  Cycle begin = 0;
  for (std::uint64_t line = 0; line < kLines + kLoneLines; ++line) serve(0, line, begin += 20, SectorMask::all());
  begin += 10000;

  // A warp's lines leave its SM one after the other, behind those of warps that have asked before; it asks for the next
  // ones some time after it has all of them.
  struct Ask {
    Cycle time = 0;
    int sm = 0, warp = 0;  // the last warp has lone loads
    int line = 0;          // of the warp's turn
    bool operator>(const Ask& other) const {
      return std::tie(time, sm, warp, line) > std::tie(other.time, other.sm, other.warp, other.line);
    }
  };
  struct Warp {
    std::uint64_t tile = 0;
    Cycle there = 0;
  };
  std::priority_queue<Ask, std::vector<Ask>, std::greater<>> next;
  std::vector<std::vector<Warp>> all(static_cast<std::size_t>(readers.sms));
  std::vector<Cycle> way_out(all.size());
  const auto begin_turn = [&](int sm, int warp, Cycle time) {
    if (warp == readers.warps) return next.push({time, sm, warp, 0});
    Cycle& free = way_out[static_cast<std::size_t>(sm)];
    free = std::max(free, time);
    for (int line = 0; line < lines_of_turn; ++line) next.push({free++, sm, warp, line});
  };
  for (int sm = 0; sm < readers.sms; ++sm)
    for (int warp = 0; warp <= readers.warps; ++warp) {
      const std::uint64_t chance = mix_bits(static_cast<std::uint64_t>(sm * 64 + warp + 1));
      const auto place = static_cast<std::uint64_t>(warp * readers.sms + sm);
      all[static_cast<std::size_t>(sm)].push_back({place, 0});
      begin_turn(sm, warp, begin + static_cast<Cycle>(chance % 400));
    }
  Seen seen;
  std::uint64_t lines = 0;
  const std::uint64_t tiles = kLines / static_cast<std::uint64_t>(lines_of_turn);
  const auto step = static_cast<std::uint64_t>(readers.warps * readers.sms);
  while (next.top().time < begin + kEnd) {
    const Ask ask = next.top();
    next.pop();
    const bool settled = ask.time >= begin + kSettled;
    if (ask.warp == readers.warps) {
      const std::uint64_t chance = mix_bits(static_cast<std::uint64_t>(ask.time * 256 + ask.sm));
      const Cycle there = serve(ask.sm, kLines + chance % kLoneLines, ask.time, SectorMask::of(0));
      if (settled) seen.latencies.push_back(there - ask.time);
      begin_turn(ask.sm, ask.warp, there + 70 + static_cast<Cycle>(chance >> 60U));
      continue;
    }
    Warp& warp = all[static_cast<std::size_t>(ask.sm)][static_cast<std::size_t>(ask.warp)];
    const auto line = warp.tile * static_cast<std::uint64_t>(lines_of_turn) + static_cast<std::uint64_t>(ask.line);
    warp.there = std::max(warp.there, serve(ask.sm, line, ask.time, SectorMask::all()));
    lines += settled ? 1 : 0;
    if (ask.line + 1 < lines_of_turn) continue;
    warp.tile = (warp.tile + step) % tiles;
    begin_turn(ask.sm, ask.warp, std::exchange(warp.there, 0) + 60);
  }
  std::sort(seen.latencies.begin(), seen.latencies.end());
  seen.rate = static_cast<double>(lines) * 128 / static_cast<double>(kEnd - kSettled);
  return seen;
}

}  // namespace

TEST_CASE("four slices share a port, and all ports together carry what the configuration says") {
  const GpuSpec gpu = test::gpu("h100");
  const AddressHash hash(gpu);
  GpcPorts ports(gpu, hash);
  const LineAddress line = LineAddress::numbered(0);
  const auto beside = [&](bool same_port) {
    for (std::int64_t i = 1;; ++i)
      if ((hash.slice(line + i) / GpcPorts::kSlicesOfPort == hash.slice(line) / GpcPorts::kSlicesOfPort) == same_port)
        return line + i;
  };
  const Tick alone = ports.accept(line, SectorMask::all(), Tick());
  CHECK(ports.accept(beside(true), SectorMask::all(), Tick()) == 2 * alone);
  CHECK(ports.accept(beside(false), SectorMask::all(), Tick()) == alone);
  CHECK(alone == ports.least(SectorMask::all()));

  constexpr std::int64_t kLines = 1 << 16;
  GpcPorts all(gpu, hash);
  Tick last;
  for (std::int64_t i = 0; i < kLines; ++i) last = std::max(last, all.accept(line + i, SectorMask::all(), Tick()));
  const double rate = static_cast<double>(kLines * kLineBytes) / (static_cast<double>(last.count()) / kCycle.count());
  CHECK(rate == doctest::Approx(static_cast<double>(gpu.crossbar.gpc_read_bytes_per_cycle)).epsilon(0.02));
}

TEST_CASE("of lone loads beside SMs that read all they can most wait little and some for long") {
  const Readers busy;
  const Seen idle = read(gpu("h100"), {8, 0, 4});
  const Seen seen = read(gpu("h100"), busy);
  const auto loaded = [](int warps, int depth, const std::string& what) {
    return measured("port_waits,question=loaded;of=gpc;sms=8;readers=one;warps=" + std::to_string(warps) +
                    ";depth=" + std::to_string(depth) + "," + what);
  };
  CHECK(seen.rate == doctest::Approx(loaded(31, 4, "rate")).epsilon(0.03));
  const auto waits = [&](double share) { return static_cast<double>(seen.at(share) - idle.at(share)); };
  CHECK(waits(0.95) == doctest::Approx(loaded(31, 4, "p95") - loaded(0, 1, "p95")).epsilon(0.15));
  CHECK(waits(0.95) > 2 * waits(0.5));  // 6 times on hardware, where the median waits 82 cycles
}

TEST_CASE("what all SMs read of L2 is what its slices send, which pause after whole lines") {
  const Readers all{132, 15, 4};  // of 2,048 tiles each has its own
  const double rate = read(gpu("h100"), all).rate;
  CHECK(rate == doctest::Approx(measured("port_waits,question=loaded;of=gpu;sms=132;readers=one;warps=16;depth=4,rate"))
                    .epsilon(0.03));
  CHECK(read(gpu("h100", {"l2.send_gap_cycles=0"}), all).rate > 1.06 * rate);
}
