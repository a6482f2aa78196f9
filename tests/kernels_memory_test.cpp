// The memory kernels: who touches what.
#include <doctest/doctest.h>

#include <map>

#include "kernel_walk.h"
#include "traces/stream_summary.h"

using namespace tilescope;
using test::for_each_lane;
using test::kernel;

namespace {

constexpr std::uint64_t kBase = 0x7f0000000000;

// Byte offset in the first buffer -> how many lanes read there.
std::map<std::uint64_t, int> reads(const Kernel& kernel) {
  std::map<std::uint64_t, int> counts;
  test::walk(kernel, [&](OpClass op, const MemoryOperand& operand, const LanePattern& pattern) {
    if (op == OpClass::global_load) for_each_lane(operand, pattern, [&](std::uint64_t at) { ++counts[at - kBase]; });
  });
  return counts;
}

void check_even(const std::map<std::uint64_t, int>& counts, std::uint64_t bytes, std::uint64_t width, int times) {
  CHECK(counts.size() == bytes / width);
  bool even = true;
  for (const auto& [at, count] : counts) even = even && at % width == 0 && at < bytes && count == times;
  CHECK(even);
}

}  // namespace

TEST_CASE("a pointer chase goes round its chain, one lane and one load at a time") {
  struct {
    const char *bytes, *stride, *steps;
    std::size_t elements;
  } const rows[] = {
      {"4096", "128", "64", 32}, {"1000", "8", "375", 125}, {"128", "128", "5", 1}, {"1024", "128", "20", 8}};
  for (const auto& row : rows) {
    const auto chase = kernel("pointer_chase", {{"bytes", row.bytes}, {"stride", row.stride}, {"steps", row.steps}});
    std::vector<std::uint64_t> order;
    test::walk(*chase, [&](OpClass op, const MemoryOperand& operand, const LanePattern& pattern) {
      if (op != OpClass::global_load) return;
      CHECK(pattern.active == 1);
      order.push_back(operand.base - kBase);
    });
    REQUIRE(order.size() == static_cast<std::size_t>(std::stoi(row.steps)));
    for (std::size_t i = 0; i < order.size(); ++i)
      REQUIRE(order[i] == i % row.elements * static_cast<std::uint64_t>(std::stoi(row.stride)));
  }
}

TEST_CASE("every load of a pointer chase waits for the one before") {
  const auto chase = kernel("pointer_chase", {{"steps", "16"}});
  int boards = 0;
  for (const Instruction& instruction : chase->code())
    if (instruction.op == OpClass::global_load) {
      CHECK(instruction.write_scoreboard != kNoScoreboard);
      if (boards++ > 0) CHECK(instruction.wait_mask != 0);
    }
}

TEST_CASE("cyclic re-reading: each element has one reader per pass, ragged sets too") {
  for (const char* bytes : {"65536", "40960", "36928", "16", "131072"})
    for (const char* passes : {"1", "3"}) {
      CAPTURE(bytes);
      const auto reread = kernel(
          "reread", {{"form", "cyclic"}, {"bytes", bytes}, {"ctas", "3"}, {"threads", "96"}, {"passes", passes}});
      check_even(reads(*reread), std::stoul(bytes), 16, std::stoi(passes));
    }
}

TEST_CASE("shared set: CTA i reads chunk i mod n; one buffer: every CTA reads all of it in every pass") {
  const auto set = kernel("reread", {{"form", "shared_set"},
                                     {"bytes", "12288"},
                                     {"chunk", "4096"},
                                     {"ctas", "6"},
                                     {"threads", "64"},
                                     {"width", "8"}});
  check_even(reads(*set), 12288, 8, 2);
  const auto buffer = kernel("reread", {{"form", "per_sm_buffer"},
                                        {"bytes", "5000"},
                                        {"ctas", "4"},
                                        {"threads", "64"},
                                        {"width", "4"},
                                        {"passes", "2"}});
  check_even(reads(*buffer), 5000, 4, 8);
}

TEST_CASE("copy reads and writes every element once; a stride costs a sector per lane") {
  const auto copy = kernel("copy", {{"bytes", "100000"}, {"width", "8"}});
  check_even(reads(*copy), 100000, 8, 1);
  const StreamSummary sum = summarise(*copy);
  CHECK(sum.global_load_lanes == sum.global_store_lanes);
  CHECK(sum.global_load_sectors == 100000 / 32);
  const auto strided = [](const char* stride) {
    return summarise(*kernel("strided", {{"elements", "4096"}, {"stride", stride}})).global_load_sectors;
  };
  CHECK(strided("1") == 4096 / 8);
  CHECK(strided("2") == 4096 / 4);
  CHECK(strided("8") == 4096);
  CHECK(strided("33") == 4096);
}

TEST_CASE("transpose: every element is read and written once, and a pad or swizzle removes the conflicts") {
  for (const char* form : {"naive", "tiled"})
    for (const auto& [m, n] : {std::pair{64, 96}, {33, 70}, {5, 100}}) {
      const auto transpose = kernel(
          "transpose", {{"M", std::to_string(m)}, {"N", std::to_string(n)}, {"form", form}, {"raster", "column"}});
      check_even(reads(*transpose), static_cast<std::uint64_t>(m) * n * 4, 4, 1);
      CHECK(summarise(*transpose).global_store_lanes == m * n);
    }
  const auto wavefronts = [](const char* pad, const char* swizzle) {
    return summarise(*kernel("transpose", {{"M", "32"}, {"N", "32"}, {"pad", pad}, {"swizzle", swizzle}}))
        .shared_load_wavefronts;
  };
  CHECK(wavefronts("0", "none") == 32 * 32);
  CHECK(wavefronts("1", "none") == 32);
  CHECK(wavefronts("0", "xor") == 32);
}
