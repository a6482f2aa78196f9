// Constants that are cold when a launch begins: models/constant_cache.h by itself and against
// gpu/measured/<gpu>/constant_cache*.csv, and what it does to a launch.
#include "models/constant_cache.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "measured_value.h"
#include "microbench.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr int kSubPartitions = 4;
constexpr ConstantCacheSpec kSpec = {.miss_cycles = 100,
                                     .load_miss_cycles = 200,
                                     .load_cycles = 2.5,
                                     .load_issue_cycles = 6,
                                     .load_queue_entries = 2,
                                     .line_cycles = 10,
                                     .memory_cycles = 1000};

Instruction reads(std::uint8_t line) {
  Instruction one;
  one.op = OpClass::alu;
  one.constant = line;
  return one;
}

// Code that reads a line each of a bank, `stride` byte apart, from a block's beginning on.
std::vector<Instruction> code_of(bool own, int stride, int count) {
  std::vector<Instruction> code;
  code.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    code.push_back(reads(own ? ConstantLine::own(0x300 + i * stride)
                             : ConstantLine::other(i * stride / static_cast<int>(ConstantLine::kBlock), i * stride)));
  return code;
}

// wait in `case`, by place; medians over SMs. Cycles.
std::map<std::string, double> measured(const std::string& file) {
  std::ifstream in(std::string(TILESCOPE_SOURCE_DIR "/gpu/measured/") + file);
  std::map<std::string, double> found;
  for (std::string line; std::getline(in, line);) {
    const std::size_t name = line.find(','), metric = line.find(',', name + 1), value = line.find(',', metric + 1);
    if (value == std::string::npos || line.substr(metric + 1, value - metric - 1) != "wait") continue;
    found[line.substr(name + 1, metric - name - 1)] = std::stod(line.substr(value + 1));
  }
  REQUIRE(!found.empty());
  return found;
}

constexpr int kShown = 6;   // places that a case has
constexpr double kHit = 8;  // cycles between the two clock reads where the constant is there

// One warp after the other reads; what each waits for, by place.
std::vector<std::vector<double>> waits_in_turn(const std::vector<Instruction>& code, const std::vector<int>& subs) {
  ConstantCache cache(h200().constant_cache, kSubPartitions, code, false);
  std::vector<std::vector<double>> waits;
  Cycle now = 4000;
  for (const int sub : subs) {
    waits.emplace_back();
    for (int i = 0; i < kShown; ++i) {
      const Cycle there = cache.operand(static_cast<std::size_t>(sub), code[static_cast<std::size_t>(i)], now);
      waits.back().push_back(static_cast<double>(there - now));
      now = there + static_cast<Cycle>(kHit);
    }
    now += 6000;
  }
  return waits;
}

// Four sub-partitions read lines at once; `check`: read, sub-partition, cycles from this read to the next one.
template <class Check>
void all_read_at_once(bool alone, const Check& check) {
  const std::vector<Instruction> code = code_of(true, 64, kShown);
  ConstantCache cache(h200().constant_cache, kSubPartitions, code, alone);
  std::vector<Cycle> now(kSubPartitions, 0);
  for (std::size_t at = 0; at < kShown; ++at)
    for (std::size_t sub = 0; sub < kSubPartitions; ++sub) {
      const Cycle there = cache.operand(sub, code[at], now[sub]);
      check(at, sub, kHit + static_cast<double>(there - now[sub]));
      now[sub] = there + static_cast<Cycle>(kHit);
    }
}

}  // namespace

TEST_CASE("lines are numbered by bank and block") {
  CHECK(ConstantLine::own(0x28) == 1);
  CHECK(ConstantLine::own(0x210) == 1 + 8);
  CHECK(ConstantLine::own(0x23f) == ConstantLine::own(0x200));
  CHECK(ConstantLine::own(8192) == ConstantLine::kNone);
  CHECK(!ConstantLine::is_other(ConstantLine::own(8191)));
  CHECK(ConstantLine::other(0, 0) == ConstantLine::kOther);
  CHECK(ConstantLine::other(2, 0x1040) == ConstantLine::kOther + 9);
  CHECK(ConstantLine::block_of(ConstantLine::other(2, 0x10c0)) == 2);
  CHECK(ConstantLine::other(ConstantLine::kOtherBlocks, 0) == ConstantLine::kNone);
  // A trace may hold any byte.
  for (int line = ConstantLine::kOther; line <= 255; ++line)
    CHECK(ConstantLine::block_of(static_cast<std::uint8_t>(line)) < ConstantLine::kOtherBlocks);
}

TEST_CASE("a sub-partition waits once for a line, the next one for its own copy, one after the other") {
  const std::vector<Instruction> code = {reads(1), reads(2)};
  ConstantCache cache(kSpec, kSubPartitions, code, false);
  CHECK(cache.operand(0, code[0], 50) == 150);
  CHECK(cache.operand(0, code[0], 60) == 150);
  CHECK(cache.operand(1, code[0], 52) == 160);  // the second line that the SM gets
  CHECK(cache.operand(0, code[0], 200) == 200);
  CHECK(cache.operand(0, reads(ConstantLine::kNone), 60) == 60);
}

TEST_CASE("a block of another bank comes from memory once") {
  const std::uint8_t first = ConstantLine::other(0, 0), second = ConstantLine::other(0, 64);
  const std::vector<Instruction> code = {reads(first), reads(second)};
  ConstantCache cache(kSpec, kSubPartitions, code, false);
  CHECK(cache.operand(0, code[0], 0) == 1100);
  CHECK(cache.operand(0, code[1], 1100) == 1200);
  CHECK(cache.operand(3, code[0], 5000) == 5100);
}

TEST_CASE("LDCs have a cache of their own, and a rate") {
  const std::vector<Instruction> code = {reads(1)};
  ConstantCache cache(kSpec, kSubPartitions, code, false);
  CHECK(cache.operand(0, code[0], 0) == 100);
  CHECK(cache.load(0, 1, 1000) == 200);
  CHECK(cache.load(0, 1, 2000) == 0);
  CHECK(cache.load(0, 1, 2000) == 2);  // 2.5 cycles behind, in whole ones
  CHECK(cache.load(0, 1, 2000) == 5);
}

TEST_CASE("a sub-partition has room for a few LDCs that have not gone out") {
  const std::vector<Instruction> code = {reads(1)};
  ConstantCache cache(kSpec, kSubPartitions, code, false);
  for (const Cycle room : {0, 0, 2000, 2002}) {
    CHECK(cache.load_room_at(0) == room);
    cache.load(0, ConstantLine::kNone, 2000);
  }
  CHECK(cache.load_room_at(1) == 0);  // its own queue, though they go out one after the other
  CHECK(cache.load(1, ConstantLine::kNone, 2000) == 10);
}

// What the first instructions of many warps that begin together do: LDC of the stack pointer, S2R of the CTA's place.
TEST_CASE("LDC and registers that lanes share go out one after the other, and wait to issue") {
  const auto ran = [](OpClass op, std::vector<std::string> settings) {
    Program program;
    for (int i = 0; i < 16; ++i) program.push_back(step(op).sets(0));
    settings.insert(settings.end(), {"instruction_cache.miss_cycles=0", "constant_cache.miss_cycles=0"});
    return run_timed(HandMadeKernel(1, 32 * kLanes, program), gpu("h200", settings));
  };
  const auto waited = [&ran](OpClass op, const char* entries) {
    const auto stalls = ran(op, {std::string("constant_cache.load_queue_entries=") + entries}).sm.stall_cycles;
    return stalls[static_cast<std::size_t>(Stall::mio_throttle)];
  };
  for (const OpClass op : {OpClass::constant_load, OpClass::warp_special}) {
    const Cycle slow = ran(op, {"constant_cache.load_cycles=8"}).cycles;
    CHECK(slow > (32 * 16 - 16) * 8);  // nobody waits for the last ones, four of each sub-partition
    CHECK(slow > 3 * ran(op, {}).cycles);
    CHECK(waited(op, "4") > 2 * waited(op, "512"));
  }
}

TEST_CASE("streams of LDC go out as on hardware") {
  for (const int warps : {1, 2, 4, 8}) {
    Program program;
    for (int i = 0; i < 128; ++i) program.push_back(step(OpClass::constant_load));
    const double cycles =
        static_cast<double>(run_timed(HandMadeKernel(1, warps * 4 * kLanes, program), one_sm()).cycles);
    const double each = measured_value("h200", "constant_rate", fmt::format("op=LDC;subs=4;warps={},cycles", warps));
    check_figure(fmt::format("{} warps of each sub-partition", warps), each * 128 * warps, cycles, 13);
  }
}

TEST_CASE("a run ends before a constant that is not there") {
  const std::vector<Instruction> code = {reads(1), reads(0), reads(1), reads(2), reads(0)};
  ConstantCache cache(kSpec, kSubPartitions, code, false);
  CHECK(cache.operand(0, code[0], 0) == 100);
  CHECK(cache.settled(0, code, 0, 5, 100) == 3);
  CHECK(cache.settled(0, code, 0, 2, 100) == 2);
  CHECK(cache.settled(0, code, 3, 2, 100) == 2);  // the first one has been asked for
  CHECK(cache.operand(0, code[3], 100) == 200);
  CHECK(cache.settled(0, code, 0, 5, 199) == 3);
  CHECK(cache.settled(0, code, 0, 5, 200) == 5);
  ConstantCache warm({}, kSubPartitions, code, false);
  CHECK(warm.operand(0, code[0], 7) == 7);
  CHECK(warm.settled(0, code, 0, 5, 7) == 5);
}

TEST_CASE("waits of warps that come in turn are those of both GPUs") {
  for (const char* name : {"h200", "h100"}) {
    const auto seen = measured(fmt::format("{}/constant_cache.csv", name));
    for (const int stride : {64, 128, 256})
      for (const bool own : {true, false}) {
        if (!own && stride == 128) continue;
        const auto waits = waits_in_turn(code_of(own, stride, kShown), {0});
        for (int at = 0; at < kShown; ++at) {
          const std::string the_case = fmt::format(
              "way={};stride={};count={};ctas=1;warps=1;first=4000;turn=6000;state=flushed;wave=0;warp=0;at={}",
              own ? "operand" : "table", stride, stride == 256 ? 13 : 16, at);
          CAPTURE(the_case);
          REQUIRE(seen.count(the_case) == 1);
          const double wait = kHit + waits[0][static_cast<std::size_t>(at)];
          // Single blocks of a table took twice as long.
          const double off = own ? 0.1 : 1.0;
          CHECK(wait <= seen.at(the_case) * 1.08);
          CHECK(wait >= seen.at(the_case) * (1 - off));
        }
      }
    // Warps 0, 1 and 4 of five: the last one finds what the first one has brought.
    const auto waits = waits_in_turn(code_of(true, 64, kShown), {0, 1, 0});
    for (const auto& [number, warp] : {std::pair{0, 0}, {1, 1}, {2, 4}})
      for (int at = 1; at < kShown; ++at) {
        const std::string the_case = fmt::format(
            "way=operand;stride=64;count=16;ctas=264;warps=5;first=4000;turn=6000;state=flushed;wave=0;warp={};at={}",
            warp, at);
        CAPTURE(the_case);
        REQUIRE(seen.count(the_case) == 1);
        const double wait = kHit + waits[static_cast<std::size_t>(number)][static_cast<std::size_t>(at)];
        CHECK(std::abs(wait - seen.at(the_case)) <= 5);
      }
  }
}

TEST_CASE("four sub-partitions that read at once wait as under Nsight Compute") {
  const auto seen = measured("h200/constant_cache_counted.csv");
  all_read_at_once(false, [&](std::size_t at, std::size_t sub, double wait) {
    if (at < 2 || sub > 1) return;
    const std::string the_case = fmt::format(
        "way=operand;stride=64;count=16;ctas=264;warps=5;first=0;turn=0;state=flushed;wave=0;warp={};at={}", sub, at);
    CAPTURE(the_case);
    REQUIRE(seen.count(the_case) == 1);
    CHECK(std::abs(wait / seen.at(the_case) - 1) < 0.08);
  });
}

TEST_CASE("beside an idle partner four sub-partitions that read at once hardly wait for one another") {
  const auto seen = measured("h200/constant_cache_counted.csv");
  all_read_at_once(true, [&](std::size_t at, std::size_t /*sub*/, double wait) {
    const std::string the_case = fmt::format(
        "way=operand;stride=64;count=16;ctas=66;warps=4;first=0;turn=0;state=first;wave=0;warp=0;at={}", at);
    CAPTURE(the_case);
    REQUIRE(seen.count(the_case) == 1);
    CHECK(std::abs(wait - seen.at(the_case)) <= 10);
  });
}

TEST_CASE("code says which constants it reads, and a launch waits for them") {
  const SassScratch scratch;
  const std::string gemm = sass_samples + "gpu/gemm_naive.sm_90.";
  const auto kernel =
      sass_kernel(scratch.write("naive.yaml", "kernel: {sass: " + gemm + "sass, elf: " + gemm +
                                                  "elf, name: gemm_naiveILNS0_5LanesE0E}\ngrid: [1]\nblock: [32, "
                                                  "1]\nargs: [{buffer: 4096}, {buffer: 4096}, {buffer: 4096}, 32, "
                                                  "32, 32]\n"));
  // LDC R1, c[0x0][0x28] is the first instruction; parameters begin at 0x210.
  CHECK(kernel->code().front().constant == ConstantLine::own(0x28));
  CHECK(std::any_of(kernel->code().begin(), kernel->code().end(), [](const Instruction& one) {
    return one.op != OpClass::constant_load && one.constant == ConstantLine::own(0x210);
  }));
  const auto waited = [&kernel](const std::vector<std::string>& settings) {
    return run(gpu("h200", settings), *kernel, Mode::timing).sm.stall_cycles[static_cast<std::size_t>(Stall::imc_miss)];
  };
  CHECK(waited({}) >= 66);
  CHECK(waited({"constant_cache.miss_cycles=0"}) == 0);
}

TEST_CASE("each cost of a cold constant shows in the cycles of a launch") {
  constexpr int kReads = 8;
  const auto cycles = [](OpClass op, std::uint8_t first, int warps, std::vector<std::string> settings) {
    Program program;
    for (int i = 0; i < kReads; ++i) {
      Step one = op == OpClass::constant_load ? step(op).sets(0).waits_for(0) : step(op);
      one.instruction.constant = static_cast<std::uint8_t>(first + i);
      program.push_back(one);
    }
    settings.emplace_back("instruction_cache.miss_cycles=0");
    return run_timed(HandMadeKernel(1, warps * kLanes, program), gpu("h200", settings)).cycles;
  };
  const std::uint8_t own = ConstantLine::own(0x200), other = ConstantLine::other(0, 0);
  const Cycle warm = cycles(OpClass::alu, own, 1, {"constant_cache.miss_cycles=0"});
  // The first cycles of a wait may be those of the instruction before; nobody waits for the last load.
  const auto about = [](Cycle more, Cycle expected) { return more <= expected && more > expected - 20; };
  CHECK(about(cycles(OpClass::alu, own, 1, {}) - warm, kReads * 66));
  // Four warps: one line after the other, unless the other SM of the TPC is idle.
  const Cycle one_sm = cycles(OpClass::alu, own, 1, {"constant_cache.miss_cycles=0", "sm.gpcs=[1]"});
  CHECK(cycles(OpClass::alu, own, 4, {"sm.gpcs=[1]"}) - one_sm > (kReads - 1) * Cycle{4 * 32 - 8});
  CHECK(cycles(OpClass::alu, own, 4, {}) - warm < kReads * Cycle{66 + 4 * 2});
  CHECK(about(cycles(OpClass::alu, other, 1, {}) - warm, kReads * 66 + kReads / 4 * 486));
  const Cycle loads = cycles(OpClass::constant_load, own, 1, {});
  CHECK(
      about(loads - cycles(OpClass::constant_load, own, 1, {"constant_cache.load_miss_cycles=0"}), (kReads - 1) * 73));
  const auto rate = [&cycles](const char* setting) {
    return cycles(OpClass::constant_load, own, 16,
                  {"constant_cache.load_miss_cycles=0", "constant_cache.line_cycles=0", setting});
  };
  CHECK(rate("constant_cache.load_cycles=8") > 2 * rate("constant_cache.load_cycles=2.6"));
  CHECK(rate("constant_cache.load_issue_cycles=40") > 2 * rate("constant_cache.load_issue_cycles=6"));
}
