// Global memory of the modelled H200 against the measured one: L1, L2, HBM latency; loads, stores, the request
// coalescer.
#include "microbench.h"
#include "models/address_hash.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

using u64 = std::uint64_t;

// n lines; lane i reads word i of line i mod n: every bank once.
Access in_all_banks(u64 base, u64 lines) {
  return lanes_at(base, [=](std::size_t lane) { return lane % lines * 128 + lane * 4; });
}
// n lines; the n lanes that read word i/n share a bank.
Access in_one_bank(u64 base, u64 lines) {
  return lanes_at(base, [=](std::size_t lane) { return lane % lines * 128 + lane / lines * 4; });
}
// n lines; lanes in n groups, each of which reads or writes consecutive words of its line.
Access in_groups(u64 base, u64 lines) {
  return lanes_at(base, [=](std::size_t lane) { return lane / (kLanes / lines) * 128 + lane % (kLanes / lines) * 4; });
}

// Line addresses, 4 KiB apart, whose home is the asked partition (or any).
std::vector<u64> lines_of_partition(std::size_t count, int partition) {
  const AddressHash hash(h200());
  std::vector<u64> lines;
  for (u64 at = 1U << 30; lines.size() < count; at += 4096)
    if (partition < 0 || static_cast<int>(hash.home_partition(LineAddress::of(at))) == partition) lines.push_back(at);
  return lines;
}

// One after the other, past L1.
Program chase(const std::vector<u64>& lines) {
  Program program;
  for (const u64 line : lines)
    program.push_back(load_global(strided(line, 4, 4, 1)).bypassing_l1().sets(0).waits_for(0));
  return program;
}

double cycles_of(const Program& program) {
  return static_cast<double>(run_timed(HandMadeKernel(1, 1, program)).cycles);
}

}  // namespace

TEST_CASE("an L1 hit takes 32 cycles, and more with wavefronts and lines") {
  struct {
    const char* what;
    u64 pitch;
    std::uint32_t active;
    double measured;
  } const rows[] = {
      {"LDG.64, one lane", 8, 1, 32},        {"LDG.64, pitch 8 B", 8, ~0U, 34},
      {"LDG.64, pitch 16 B", 16, ~0U, 38},   {"LDG.64, pitch 32 B", 32, ~0U, 47},
      {"LDG.64, pitch 64 B", 64, ~0U, 65},   {"LDG.64, pitch 128 B", 128, ~0U, 101},
      {"LDG.64, pitch 136 B", 136, ~0U, 42},
  };
  for (const auto& [what, pitch, active, measured] : rows)
    check_figure(what, measured, latency(load_global(strided(1U << 20, pitch, 8, active))), 5);
}

TEST_CASE("L1 hits: a request takes a quarter cycle per line or its wavefronts, whichever is more") {
  constexpr u64 kLines[] = {1, 2, 4, 8, 16, 32};
  constexpr double kAllBanks[] = {1.15, 1.15, 1.16, 2.15, 4.3, 8.55};
  constexpr double kOneBank[] = {1.18, 2.14, 4.4, 8.75, 17.5, 34.8};
  for (std::size_t i = 0; i < std::size(kLines); ++i) {
    const std::string lines = std::to_string(kLines[i]) + " lines";
    check_figure("LDG.32 hit, words in 32 banks, " + lines, kAllBanks[i],
                 cycles_per_access(load_global(in_all_banks(1U << 20, kLines[i])), 32), 15);
    check_figure("LDG.32 hit, conflicts, " + lines, kOneBank[i],
                 cycles_per_access(load_global(in_one_bank(1U << 20, kLines[i])), 32), 16);
  }
  check_figure("LDG.64 hit", 2.15, cycles_per_access(load_global(strided(1U << 20, 8, 8)), 32), 10);
  check_figure("LDG.128 hit", 4.4, cycles_per_access(load_global(strided(1U << 20, 16, 16)), 32), 10);
}

TEST_CASE("L2 latency: near 287, far 465; HBM 660") {
  constexpr std::size_t kLoads = 100;
  const std::vector<u64> near = lines_of_partition(kLoads, 0);  // SM 0 sits at partition 0
  check_figure("L2 hit, near", 287, (cycles_of(chase(near) + chase(near)) - cycles_of(chase(near))) / kLoads, 5);

  // CTA 40, of 71 in GPC 4 at partition 1, brings lines of its own partition; later CTA 0, at partition 0, reads them
  // across the fabric, then from the near copy.
  const std::vector<u64> far = lines_of_partition(kLoads, 1);
  const auto cycles = [&](int times) {
    Program reader = repeated(500, step(OpClass::nop).stall(255));
    for (int t = 0; t < times; ++t) reader = reader + chase(far);
    return static_cast<double>(
        run_timed(HandMadeKernel(71, 1, {chase(far), reader, Program{}}, [](std::int64_t cta, int) {
          return cta == 40 ? 0U : cta == 0 ? 1U : 2U;
        })).cycles);
  };
  const double idle = cycles(0), once = cycles(1), twice = cycles(2);
  check_figure("L2 hit, far", 465, (once - idle) / kLoads, 5);
  check_figure("L2 hit, far line read before", 287, (twice - once) / kLoads, 5);

  // Half of the lines have their home on the other side.
  std::vector<u64> cold;
  for (u64 i = 0; i < 400; ++i) cold.push_back((1ULL << 32) + mix_bits(i) % (1ULL << 31) / 128 * 128);
  check_figure("HBM, random order", 660, cycles_of(chase(cold)) / static_cast<double>(cold.size()), 10);
}

TEST_CASE("L2 hits of one SM: a line per cycle, 128 B per cycle") {
  // 16 requests on different lines, over and over, so that none is on its way twice.
  const auto cycles_per_request = [](auto access) {
    const auto cycles = [&](int rounds) {
      Program program;
      for (int r = 0; r < rounds; ++r)
        for (u64 i = 0; i < 8; ++i) program.push_back(load_global(access((1U << 20) + i * 4096)).bypassing_l1());
      std::vector<Program> warps;
      for (u64 w = 0; w < 32; ++w) {
        warps.push_back(program);
        for (Step& s : warps.back())
          for (u64& address : s.accesses[0].address) address += w * 32768;
      }
      return run_timed(
                 HandMadeKernel(1, 1024, warps, [](std::int64_t, int warp) { return static_cast<std::size_t>(warp); }),
                 one_sm())
          .cycles;
    };
    return static_cast<double>(cycles(24) - cycles(8)) / 16 / 8 / 32;
  };
  struct {
    u64 lines;
    double measured;
  } const rows[] = {{4, 4.5}, {8, 8.7}, {16, 17}, {32, 34}};
  for (const auto& [lines, measured] : rows)
    check_figure("LDG.32 past L1, " + std::to_string(lines) + " lines", measured,
                 cycles_per_request([&](u64 base) { return in_all_banks(base, lines); }), 12);
  check_figure("LDG.128 past L1", 4.7, cycles_per_request([](u64 base) { return strided(base, 16, 16); }), 15);
}

TEST_CASE("stores: a cycle for each sector and one more for a line with partial sectors") {
  // Each store's lines follow those of the one before, as in the microbenchmark.
  const auto cycles_per_store = [](const Access& first, u64 bytes) {
    const auto cycles = [&](u64 stores) {
      std::vector<Program> warps(32);
      for (u64 w = 0; w < warps.size(); ++w)
        for (u64 i = 0; i < stores; ++i) {
          Access access = first;
          for (u64& address : access.address) address += (w * 192 + i) * bytes;
          warps[w].push_back(store_global(access));
        }
      return run_timed(
                 HandMadeKernel(1, 1024, warps, [](std::int64_t, int warp) { return static_cast<std::size_t>(warp); }),
                 one_sm())
          .cycles;
    };
    return static_cast<double>(cycles(192) - cycles(64)) / 128 / 32;
  };
  constexpr u64 kLines[] = {1, 2, 4, 8, 16, 32};
  constexpr double kSpread[] = {4.3, 10.6, 21.5, 43, 51, 68};
  constexpr double kGroups[] = {4.3, 4.2, 4.7, 17, 34, 68};
  for (std::size_t i = 0; i < std::size(kLines); ++i) {
    const std::string lines = std::to_string(kLines[i]) + " lines";
    check_figure("STG.32, spread, " + lines, kSpread[i],
                 cycles_per_store(in_all_banks(1U << 20, kLines[i]), kLines[i] * 128), 8);
    check_figure("STG.32, groups, " + lines, kGroups[i],
                 cycles_per_store(in_groups(1U << 20, kLines[i]), kLines[i] * 128), 16);
  }
  check_figure("STG.64", 8.1, cycles_per_store(strided(1U << 20, 8, 8), 256), 5);
  check_figure("STG.128", 16.1, cycles_per_store(strided(1U << 20, 16, 16), 512), 5);
}

namespace {

// CTA i runs on SM i, and all start together.
GpuSpec in_order(std::vector<std::string> changes = {}) {
  changes.insert(changes.end(), {"launch.first_sms=0", "launch.tpc_interval_cycles=0"});
  return gpu("h200", changes);
}

// L2 look-ups per line while SMs read the same lines, SM i later by delays[i] cycles.
double requests_per_line(const std::vector<int>& sms, const std::vector<int>& delays,
                         const GpuSpec& spec = in_order()) {
  constexpr u64 kReads = 48;
  Program reads;
  // Far apart in time, so that only one line is in question; brought to L2 by an SM of another GPC before.
  for (u64 i = 0; i < kReads; ++i) {
    reads.push_back(load_global(strided((1U << 20) + i * 8192 + (i % 16) * 128, 4)).bypassing_l1());
    reads.push_back(step(OpClass::nop).stall(250));
  }
  constexpr std::int64_t kReader = 60;  // of GPC 3, beside the same partition as SM 0
  const Program wait = repeated(200, step(OpClass::nop).stall(255));
  std::vector<Program> programs{Program{}, reads};
  for (const int delay : delays) programs.push_back(wait + Program{step(OpClass::nop).stall(1 + delay)} + reads);
  const HandMadeKernel kernel(132, 32, programs, [&](std::int64_t cta, int) {
    for (std::size_t i = 0; i < sms.size(); ++i)
      if (sms[i] == cta) return i + 2;
    return std::size_t{cta == kReader ? 1U : 0U};
  });
  return static_cast<double>(run_timed(kernel, spec).memory.l2.read_sectors) / (4 * kReads) - 1;
}

std::vector<int> first_of_gpc_0(int count) {
  std::vector<int> sms;
  for (int i = 0; i < count; ++i) sms.push_back(i);
  return sms;
}

}  // namespace

TEST_CASE("the request coalescer serves four SMs of a GPC with one request") {
  struct {
    int sms;
    double measured;
  } const rows[] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 2}, {8, 2}, {10, 3.05}, {12, 3.15}, {16, 4.26}};
  for (const auto& [sms, measured] : rows)
    check_figure(std::to_string(sms) + " SMs", measured,
                 requests_per_line(first_of_gpc_0(sms), std::vector<int>(static_cast<std::size_t>(sms), 0)), 10);
}

TEST_CASE("the request coalescer does not reach beyond a GPC") {
  CHECK(requests_per_line({0, 20}, {0, 0}) == 2);
  CHECK(requests_per_line({3, 9}, {0, 0}) == 1);
}

TEST_CASE("SMs whose ways to L2 differ by more than the window share no request, those of one TPC do") {
  const auto ways = [](const char* cpcs) {
    return in_order({std::string("crossbar.cpc_cycles=") + cpcs, "crossbar.tpc_step_cycles=0"});
  };
  CHECK(requests_per_line({0, 2}, {0, 0}, ways("[0]")) == 1);
  CHECK(requests_per_line({0, 2}, {0, 0}, ways("[0,200,0]")) > 1.9);  // TPCs 0 and 1 lie in CPCs 0 and 1
  CHECK(requests_per_line({0, 6}, {0, 0}, ways("[0,200,0]")) == 1);   // TPC 3 in CPC 0 again
  CHECK(requests_per_line({0, 1}, {0, 0}, ways("[0,200,0]")) == 1);
}

// Measured: requests per line rise from 1 (within 30 cycles) to 2 (from 105 on). The model cuts in the middle of that
// ramp: the same on average over delays, not at each.
TEST_CASE("requests merge when they come within a window") {
  double measured_sum = 0, simulated_sum = 0;
  struct {
    int delay;
    double measured;
  } const rows[] = {{0, 1}, {15, 1}, {30, 1}, {45, 1.2}, {60, 1.5}, {75, 1.75}, {90, 1.95}, {105, 2}, {120, 2}};
  for (const auto& [delay, measured] : rows) {
    CAPTURE(delay);
    const double simulated = requests_per_line({0, 1}, {0, delay});
    if (delay <= 30 || delay >= 105) CHECK(std::abs(simulated - measured) < 0.03);  // one line in 48 may come late
    measured_sum += measured;
    simulated_sum += simulated;
  }
  check_figure("requests per line over all delays", measured_sum, simulated_sum, 10);
}
