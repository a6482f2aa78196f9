// Which requests of SMs of one GPC become one, against gpu/measured/<gpu>/bursts_counted.csv, parts_counted.csv,
// pairs_counted.csv and crowd_counted.csv.
#include "models/request_coalescer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <queue>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "engine_runs.h"
#include "sim/engine/memory_system.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::uint64_t kLines = 8192, kLinesPerStep = 64, kWarps = 16, kLinesPerWarp = kLinesPerStep / kWarps;
constexpr Cycle kStep = 4000;

// L2 requests per line by how many cycles the second SM is behind the first: counted_bursts, ld.cg, 16 warps.
std::map<int, double> measured(const std::string& gpu_name, const std::string& state, bool read_before) {
  std::map<int, double> rows;
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/" + gpu_name + "/bursts_counted.csv");
  const std::regex row("counted_bursts,op=cg.32;sms=2;warps=16;spread=([0-9]+);state=" + state + ",[0-9]+,([0-9]+)");
  std::smatch found;
  for (std::string line; std::getline(file, line);)
    if (std::regex_match(line, found, row))
      rows.emplace(std::stoi(found[1]), std::stod(found[2]) / (kLines * 4) - (read_before ? 1 : 0));
  return rows;
}

// When an SM has a line that it reads.
Cycle ask(MemorySystem& memory, std::uint16_t sm, std::uint64_t line, Cycle time) {
  MemoryRequest request;
  request.time = time;
  request.line = LineAddress::numbered(line);
  request.sm = sm;
  request.sectors = SectorMask::all();
  return memory.serve(request);
}

// The same of the model: a warp waits for each of its lines before it asks for the next, a step begins at its time or
// when all of the step before is there.
double requests_per_line(const GpuSpec& gpu, Cycle behind, bool read_before) {
  MemorySystem memory(gpu);
  const auto first = static_cast<std::uint16_t>(gpu.sm.gpcs[0]);  // of GPC 1
  const auto read = [&](std::uint16_t sm, std::uint64_t line, Cycle time) { return ask(memory, sm, line, time); };
  Cycle begin = 0;
  for (std::uint64_t line = 0; read_before && line < kLines; ++line) read(first, line, begin += 20);
  const std::uint64_t before = memory.counters().l2.read_sectors;
  begin += 100000;

  struct Warp {
    Cycle time = 0;
    std::uint16_t sm = 0;
    std::uint64_t warp = 0, asked = 0;
    bool operator>(const Warp& other) const {
      return std::tie(time, sm, warp) > std::tie(other.time, other.sm, other.warp);
    }
  };
  std::priority_queue<Warp, std::vector<Warp>, std::greater<>> next;
  struct Sm {
    std::uint64_t step = 0, waiting = 0;
    Cycle due = 0, done = 0;
  };
  std::map<std::uint16_t, Sm> sms;
  const auto begin_step = [&](std::uint16_t sm) {
    Sm& one = sms[sm];
    const Cycle from = std::max(one.due, one.done);
    one.waiting = kWarps;
    for (std::uint64_t w = 0; w < kWarps; ++w) next.push({from + 2 * static_cast<Cycle>(w), sm, w, 0});
  };
  for (const int other : {0, 1}) {
    const auto sm = static_cast<std::uint16_t>(first + other * kSmsPerTpc);
    sms[sm].due = begin + other * behind;
    begin_step(sm);
  }
  while (!next.empty()) {
    Warp warp = next.top();
    next.pop();
    Sm& sm = sms[warp.sm];
    const Cycle there = read(warp.sm, sm.step * kLinesPerStep + warp.warp * kLinesPerWarp + warp.asked, warp.time);
    if (++warp.asked < kLinesPerWarp) {
      warp.time = there;
      next.push(warp);
      continue;
    }
    sm.done = std::max(sm.done, there);
    if (--sm.waiting > 0) continue;
    sm.due += kStep;
    if (++sm.step < kLines / kLinesPerStep) begin_step(warp.sm);
  }
  return static_cast<double>(memory.counters().l2.read_sectors - before) / (kLines * 4);
}

void hold(const std::string& state, bool read_before, std::size_t distances, double tolerance) {
  for (const char* name : {"h200", "h100"}) {
    const auto rows = measured(name, state, read_before);
    REQUIRE(rows.size() == distances);
    for (const auto& row : rows) {
      CAPTURE(name);
      CAPTURE(row.first);
      CHECK(std::abs(requests_per_line(gpu(name), row.first, read_before) - row.second) < tolerance);
    }
  }
}

}  // namespace

TEST_CASE("lines that L2 has are shared by SMs that come within a hundred cycles") {
  hold("near", true, 9, 0.25);  // on hardware the warps of a burst do not ask in the same order on each SM
}

TEST_CASE("lines that L2 lacks are shared until they are there") { hold("cold", false, 17, 0.11); }

TEST_CASE("requests for the same sectors of a line are shared, and no others") {
  const std::regex row(
      "counted_parts,sectors=([0-9]);odd=([0-9]);turn=([01]);lines=64;sms=([0-9]+);spread=0;state=cold,[0-9]+,([0-9]+),"
      "[0-9]+");
  for (const char* name : {"h200", "h100"}) {
    std::ifstream file(std::string(TILESCOPE_SOURCE_DIR "/gpu/measured/") + name + "/parts_counted.csv");
    std::smatch found;
    int rows = 0;
    for (std::string text; std::getline(file, text);) {
      if (!std::regex_match(text, found, row)) continue;
      CAPTURE(text);
      const int even = std::stoi(found[1]), odd = std::stoi(found[2]), turn = std::stoi(found[3]);
      const int sms = std::stoi(found[4]);
      MemorySystem memory(gpu(name));
      const auto ask_for_part = [&](int rank) {
        MemoryRequest request;
        request.sm = static_cast<std::uint16_t>(sms == 2 ? rank * kSmsPerTpc : rank);  // of a pair each has its own TPC
        request.line = LineAddress::numbered(0);
        for (int i = 0; i < (rank % 2 == 0 ? even : odd); ++i)
          request.sectors |= SectorMask::of(static_cast<std::size_t>((turn * rank + i) % kSectorsPerLine));
        memory.serve(request);
      };
      for (int rank = 0; rank < sms; ++rank) ask_for_part(rank);
      // On hardware two of 16 SMs whose turns are four apart may come one behind the other.
      const double expected = std::stod(found[5]) / kLines;
      CHECK(std::abs(static_cast<double>(memory.counters().l2.read_sectors) - expected) <= 0.08 * expected);
      ++rows;
    }
    CHECK(rows == 25);
  }
}

namespace {

struct Part {
  Cycle time;
  std::int64_t sm;
  std::uint64_t line;
  std::size_t sector;
};

// Sectors that L2 is asked for, in order of time.
std::uint64_t sectors_asked(MemorySystem& memory, std::vector<Part> parts) {
  std::ranges::stable_sort(parts, {}, &Part::time);
  const std::uint64_t before = memory.counters().l2.read_sectors;
  for (const Part& part : parts) {
    MemoryRequest request;
    request.time = part.time;
    request.line = LineAddress::numbered(part.line);
    request.sm = static_cast<std::uint16_t>(part.sm);
    request.sectors = SectorMask::of(part.sector);
    memory.serve(request);
  }
  return memory.counters().l2.read_sectors - before;
}

}  // namespace

TEST_CASE("two sectors of a line, one soon after the other, are hardly shared") {
  // counted_pairs: four warps with a line each ask for its first sector and, `gap` cycles later, for its second. What
  // two SMs have L2 read beyond what one has is theirs: the launch reads a little besides.
  const std::regex row(
      "counted_pairs,op=cg;lines=1;between=0;delay=([0-9]+);by=warp;warps=4;sms=([12]);clock=1;"
      "spread=([0-9]+);state=near,[0-9]+,([0-9]+),[0-9]+,([0-9]+),([0-9.]+)");
  constexpr std::uint64_t kPairs = 128;
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h200/pairs_counted.csv");
  std::map<int, double> alone;
  std::smatch found;
  int rows = 0;
  for (std::string text; std::getline(file, text);) {
    if (!std::regex_match(text, found, row)) continue;
    const int delay = std::stoi(found[1]), sms = std::stoi(found[2]);
    const double sectors = std::stod(found[4]), asked = std::stod(found[5]);
    if (sms == 1) {
      alone[delay] = sectors;
      continue;
    }
    if (!alone.contains(delay)) continue;
    CAPTURE(text);
    const auto gap = static_cast<Cycle>(std::lround(std::stod(found[6])));
    const Cycle spread = std::stoi(found[3]);
    const GpuSpec chip = gpu("h200");
    MemorySystem memory(chip);
    const std::int64_t first = chip.sm.gpcs[0];
    for (std::uint64_t line = 0; line < kPairs; ++line)
      ask(memory, static_cast<std::uint16_t>(first), line, 20 * static_cast<Cycle>(line));
    std::vector<Part> parts;
    for (std::uint64_t line = 0; line < kPairs; ++line)
      for (const int rank : {0, 1})
        for (const int sector : {0, 1})
          parts.push_back({100000 + 8000 * static_cast<Cycle>(line) + rank * spread + sector * gap,
                           first + rank * kSmsPerTpc, line, static_cast<std::size_t>(sector)});
    const double model = static_cast<double>(sectors_asked(memory, std::move(parts))) / (2.0 * kPairs);
    CHECK(std::abs(model - (1 + (sectors - alone[delay]) / asked)) < 0.25);
    ++rows;
  }
  CHECK(rows == 64);
}

TEST_CASE("a GPC forgets no line that is under way, however many there are") {
  // counted_crowd: two SMs read 64 lines a step, the second some cycles behind, and 14 others 256 of their own each.
  constexpr int kSteps = 32, kPairLines = 64, kCrowd = 14, kCrowdLines = 256;
  const std::regex row("counted_crowd,of=same;sms=14;lines=256;spread=([0-9]+),[0-9]+,([0-9]+),[0-9]+");
  for (const char* name : {"h200", "h100"}) {
    std::ifstream file(std::string(TILESCOPE_SOURCE_DIR "/gpu/measured/") + name + "/crowd_counted.csv");
    std::smatch found;
    int rows = 0;
    for (std::string text; std::getline(file, text);) {
      if (!std::regex_match(text, found, row)) continue;
      CAPTURE(text);
      const Cycle spread = std::stoi(found[1]);
      const GpuSpec chip = gpu(name);
      MemorySystem memory(chip);
      const std::int64_t first = chip.sm.gpcs[0];
      std::vector<Part> parts;
      for (int step = 0; step < kSteps; ++step) {
        const Cycle begin = 8000 * static_cast<Cycle>(step);
        for (int i = 0; i < kPairLines; ++i)
          for (const int rank : {0, 1})
            parts.push_back({begin + 2 * i + rank * spread, first + rank * kSmsPerTpc,
                             static_cast<std::uint64_t>(step * kPairLines + i), 0});
        for (int crowd = 0; crowd < kCrowd; ++crowd)
          for (int i = 0; i < kCrowdLines; ++i)
            parts.push_back({begin + 2 * i, first + (crowd == 0 ? 1 : crowd + 2),
                             static_cast<std::uint64_t>(100000 + (step * kCrowd + crowd) * kCrowdLines + i), 0});
      }
      constexpr double kOthers = kSteps * kCrowd * kCrowdLines, kShared = kSteps * kPairLines;
      const double model = (static_cast<double>(sectors_asked(memory, std::move(parts))) - kOthers) / kShared;
      CHECK(std::abs(model - (std::stod(found[2]) - kOthers) / kShared) < 0.15);
      ++rows;
    }
    CHECK(rows == 5);
  }
}

TEST_CASE("what waits for a busy slice is shared meanwhile") {
  // counted_waits, H200: beside SMs of other GPCs that keep slices busy, so that four loads take 500 cycles and not
  // 330, two SMs 100 cycles apart share 60 % of their lines, 200 cycles apart a quarter; beside idle ones none.
  const auto second_asks = [](int others) {
    const GpuSpec chip = gpu("h200");
    MemorySystem memory(chip);
    const AddressHash hash(chip);
    const std::int64_t first = chip.sm.gpcs[0], elsewhere = first + chip.sm.gpcs[1];
    std::vector<std::uint64_t> lines;  // of one slice
    for (std::uint64_t line = 0; lines.size() < 401; ++line)
      if (hash.slice(LineAddress::numbered(line)) == 0) lines.push_back(line);
    std::vector<Part> parts;
    for (std::size_t i = 0; i < lines.size(); ++i) {  // L2 has them from now on
      parts.push_back({1000 * static_cast<Cycle>(i), elsewhere, lines[i], 0});
      parts.push_back({1000 * static_cast<Cycle>(i) + 500, first, lines[i], 0});
    }
    constexpr Cycle kBegin = 1000000;
    for (int i = 0; i < others; ++i) parts.push_back({kBegin, elsewhere, lines[static_cast<std::size_t>(i)], 0});
    parts.push_back({kBegin + 1, first, lines.back(), 0});
    parts.push_back({kBegin + 200, first + kSmsPerTpc, lines.back(), 0});
    return sectors_asked(memory, parts) - 2 * lines.size() - static_cast<std::uint64_t>(others) - 1;
  };
  CHECK(second_asks(0) == 1);
  CHECK(second_asks(400) == 0);
}

TEST_CASE("all that share an answer have it later than one that asks alone, the first of them too") {
  // counted_joined: a near load alone 315 to 318 cycles, shared by two SMs 323 to 328.
  const auto replies = [](const GpuSpec& spec, bool shared) {
    MemorySystem memory(spec);
    MemoryRequest request;
    request.line = LineAddress::numbered(0);
    request.sectors = SectorMask::all();
    memory.serve(request);  // L2 has it from now on
    memory.begin_round();
    request.time = 100000;
    request.fill = 7;
    std::vector<Cycle> ready{memory.serve(request)};
    CHECK(!memory.shared_reply());
    if (!shared) return ready;
    request.sm = 1;  // of the same TPC
    request.fill = 9;
    ready.push_back(memory.serve(request));
    REQUIRE(memory.shared_reply());
    CHECK(memory.shared_reply()->sm == 0);
    CHECK(memory.shared_reply()->fill == 7);
    ready[0] += memory.shared_cycles();  // as the engine does
    return ready;
  };
  for (const char* name : {"h200", "h100"}) {
    const Cycle alone = replies(gpu(name), false).front();
    const std::vector<Cycle> both = replies(gpu(name), true);
    CHECK(both[0] - alone >= 8);
    CHECK(both[0] - alone <= 11);
    CHECK(std::abs(both[1] - both[0]) <= 1);
    CHECK(replies(gpu(name, {"request_coalescer.shared_cycles=0"}), true).front() == alone);
  }
}

TEST_CASE("a reply that its SM knows already cannot come later") {
  MemorySystem memory(gpu("h200"));
  MemoryRequest request;
  request.line = LineAddress::numbered(0);
  request.sectors = SectorMask::all();
  memory.serve(request);
  memory.begin_round();
  request.sm = 1;
  request.time = 10;
  memory.serve(request);
  CHECK(!memory.shared_reply());
}

TEST_CASE("without a coalescer every SM asks on its own") {
  CHECK(requests_per_line(gpu("h200", {"request_coalescer.sms_per_request=0"}), 0, false) == 2);
}

TEST_CASE("what waits behind as much as the queues into a GPC hold cannot be joined yet") {
  const auto sectors_of_last = [](const std::vector<std::string>& changes) {
    const GpuSpec chip = gpu("h100", changes);
    MemorySystem memory(chip);
    const AddressHash hash(chip);
    const auto read = [&](std::uint16_t sm, std::uint64_t line, Cycle time) { ask(memory, sm, line, time); };
    std::vector<std::uint64_t> lines;  // of one port
    for (std::uint64_t line = 0; lines.size() < 400; ++line)
      if (hash.slice(LineAddress::numbered(line)) / GpcPorts::kSlicesOfPort == 0) lines.push_back(line);
    Cycle time = 0;
    for (const std::uint64_t line : lines) read(4, line, time += 100);
    time += 10000;
    // The line that both SMs ask for comes behind 50 others of the first SM and 250 of the second.
    for (std::size_t i = 0; i < 50; ++i) read(0, lines[i], time);
    read(0, lines.back(), time);
    for (std::size_t i = 50; i < 300; ++i) read(2, lines[i], time + 1);
    const std::uint64_t before = memory.counters().l2.read_sectors;
    read(2, lines.back(), time + 2);
    return memory.counters().l2.read_sectors - before;
  };
  CHECK(sectors_of_last({}) == kSectorsPerLine);
  CHECK(sectors_of_last({"request_coalescer.queue_cycles=100000"}) == 0);
}
