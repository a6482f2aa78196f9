// The memory kernels: who touches what.
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "kernel_walk.h"
#include "stream_summary.h"

using namespace tilescope;
using test::for_each_lane;
using test::kernel;

namespace {

constexpr std::uint64_t kFirstBuffer = 0x7f0000000000;

// Byte offset in the first buffer -> how many lanes read there.
std::map<std::uint64_t, int> reads(const Kernel& kernel) {
  std::map<std::uint64_t, int> counts;
  test::walk(kernel, [&](OpClass op, const MemoryOperand& operand, const LanePattern& pattern) {
    if (op == OpClass::global_load)
      for_each_lane(operand, pattern, [&](std::uint64_t at) { ++counts[at - kFirstBuffer]; });
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
  } const rows[] = {{"4096", "128", "64", 32}, {"1000", "8", "375", 125}, {"128", "128", "5", 1},
                    {"1024", "128", "20", 8},  {"384", "128", "100", 3},  {"1152", "128", "59", 9}};
  for (const auto& row : rows) {
    const auto chase = kernel("pointer_chase", {{"bytes", row.bytes}, {"stride", row.stride}, {"steps", row.steps}});
    std::vector<std::uint64_t> order;
    test::walk(*chase, [&](OpClass op, const MemoryOperand& operand, const LanePattern& pattern) {
      if (op != OpClass::global_load) return;
      CHECK(pattern.active == 1);
      order.push_back(operand.base - kFirstBuffer);
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

TEST_CASE("a strided read takes the first word of wider elements") {
  const auto wide = kernel("strided", {{"elements", "4096"}, {"stride", "1"}, {"width", "16"}});
  check_even(reads(*wide), 4096 * 16, 16, 1);
  CHECK(summarise(*wide).global_load_sectors == 4096 / 2);
  int words = 0;
  test::walk(*wide, [&](OpClass, const MemoryOperand&, const LanePattern& pattern) { words += pattern.bytes == 4; });
  CHECK(words == 4096 / 32);
}

TEST_CASE("a warp of copy without a fourth element leaves before it") {
  // One CTA: warp 0 has the last 32 of 800 elements.
  const auto copy = kernel("copy", {{"bytes", "3200"}, {"width", "4"}});
  StreamCounter stays(*copy), leaves(*copy);
  stays.add_warp(0, 0);
  leaves.add_warp(0, 1);
  CHECK(stays.total().instructions() == 41);
  CHECK(stays.total().count(OpClass::global_store) == 4);
  CHECK(leaves.total().instructions() == 37);
  CHECK(leaves.total().count(OpClass::global_store) == 3);
}

TEST_CASE("transpose: one warp executes what the listing of its instance has") {
  struct {
    const char *form, *tile, *block_rows, *pad, *swizzle;
    int plain, bounds;
  } const rows[] = {{"naive", "32", "8", "0", "none", 28, 43},  {"naive_write", "32", "8", "0", "none", 28, 42},
                    {"naive", "16", "16", "0", "none", 18, 24}, {"naive_write", "16", "16", "0", "none", 18, 24},
                    {"tiled", "32", "8", "0", "none", 51, 77},  {"tiled", "32", "8", "1", "none", 51, 77},
                    {"tiled", "32", "8", "0", "xor", 64, 90},   {"tiled", "32", "32", "0", "none", 31, 35},
                    {"tiled", "32", "32", "1", "none", 31, 35}, {"tiled", "32", "32", "0", "xor", 32, 36},
                    {"tiled", "64", "16", "0", "xor", 64, 90}};
  for (const auto& row : rows)
    for (const bool bounds : {false, true}) {
      CAPTURE(row.form);
      CAPTURE(row.tile);
      CAPTURE(row.swizzle);
      CAPTURE(bounds);
      const auto transpose = kernel("transpose", {{"M", "128"},
                                                  {"N", bounds ? "130" : "128"},
                                                  {"form", row.form},
                                                  {"tile", row.tile},
                                                  {"block_rows", row.block_rows},
                                                  {"pad", row.pad},
                                                  {"swizzle", row.swizzle}});
      StreamCounter one(*transpose);
      one.add_warp(0, 0);
      // Where nvcc takes one comparison more for the 32 x 8 tile than for others, the generator does not.
      const std::int64_t listed = bounds ? row.bounds : row.plain;
      CHECK(one.total().instructions() <= listed);
      CHECK(one.total().instructions() >= listed - (std::string(row.form) == "naive" && bounds ? 1 : 0));
    }
}

TEST_CASE("re-reading once: one warp executes as many instructions as the listing of its instance, or a tenth off") {
  struct {
    const char* width;
    int rows, instructions;
  } const listed[] = {{"4", 1, 80},   {"4", 8, 116},  {"8", 6, 123},   {"8", 13, 148}, {"16", 3, 113},
                      {"16", 5, 130}, {"16", 8, 140}, {"16", 12, 177}, {"16", 16, 196}};
  for (const auto& row : listed) {
    CAPTURE(row.width);
    CAPTURE(row.rows);
    const auto reread = kernel("reread", {{"form", "per_sm_buffer"},
                                          {"bytes", std::to_string(row.rows * 64 * std::stoi(row.width))},
                                          {"threads", "64"},
                                          {"width", row.width}});
    StreamCounter one(*reread);
    one.add_warp(0, 0);
    CHECK(std::abs(one.total().instructions() - row.instructions) <= row.instructions / 10);
  }
}

TEST_CASE("re-reading a ragged row: warps beyond its end take no turn") {
  const auto reread =
      kernel("reread", {{"form", "per_sm_buffer"}, {"bytes", "1536"}, {"threads", "64"}, {"ctas", "1"}});
  StreamCounter inside(*reread), outside(*reread);
  inside.add_warp(0, 0);
  outside.add_warp(0, 1);
  CHECK(inside.total().count(OpClass::global_load) == 2);
  CHECK(outside.total().count(OpClass::global_load) == 1);
}

TEST_CASE("transpose: every element is read and written once, and a pad or swizzle removes the conflicts") {
  for (const char* form : {"naive", "naive_write", "tiled"})
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
