// What the GEMM generators touch, element by element, against what each thread of such a kernel must do.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <utility>

#include "kernel_walk.h"

using namespace tilescope;
using test::for_each_lane;
using test::kernel;

namespace {

struct Size {
  std::int64_t m, n, k;
};

constexpr std::uint64_t kBase = 0x7f0000000000;
constexpr std::uint64_t kMiB2 = 2U << 20U;

// The arrays begin where their first elements are touched: 2 MiB steps from the base, small arrays here.
struct Touched {
  std::map<std::uint64_t, int> a, b, c;  // number of the word of 4 byte -> lanes that touched it
};

Touched touch(const Kernel& gemm) {
  Touched touched;
  test::walk(gemm, [&](OpClass op, const MemoryOperand& operand, const LanePattern& pattern) {
    if (op != OpClass::global_load && op != OpClass::global_store && op != OpClass::async_copy) return;
    for_each_lane(operand, pattern, [&](std::uint64_t address) {
      if (op == OpClass::async_copy && address < kBase) return;  // where it goes to
      const std::uint64_t buffer = (address - kBase) / (2 * kMiB2);
      if (address < kBase || buffer > 2) FAIL("an address outside A, B and C");
      if ((op == OpClass::global_store) != (buffer == 2)) FAIL("a store to A or B, or a load of C");
      auto& counts = buffer == 0 ? touched.a : buffer == 1 ? touched.b : touched.c;
      const std::uint64_t first = (address - kBase) % (2 * kMiB2) / 4;
      for (int word = 0; word < pattern.bytes / 4; ++word) ++counts[first + static_cast<std::uint64_t>(word)];
    });
  });
  return touched;
}

// A is read once per column tile, B once per row tile, C written once; nothing outside the arrays is touched. `inputs`:
// elements of A or B in 4 byte.
void check_touched(const Kernel& gemm, const Size& size, std::int64_t reads_of_a, std::int64_t reads_of_b,
                   std::int64_t inputs = 1) {
  const Touched touched = touch(gemm);
  const auto all = [](const std::map<std::uint64_t, int>& counts, std::int64_t elements, std::int64_t times) {
    if (static_cast<std::int64_t>(counts.size()) != elements) return false;
    for (const auto& [element, count] : counts)
      if (count != times || static_cast<std::int64_t>(element) >= elements) return false;
    return true;
  };
  CHECK(all(touched.a, size.m * size.k / inputs, reads_of_a));
  CHECK(all(touched.b, size.k * size.n / inputs, reads_of_b));
  CHECK(all(touched.c, size.m * size.n, 1));
}

ParameterTexts texts(const Size& size) {
  return {{"M", std::to_string(size.m)}, {"N", std::to_string(size.n)}, {"K", std::to_string(size.k)}};
}

constexpr Size kSizes[] = {{1, 1, 1}, {5, 7, 3}, {33, 17, 19}, {31, 65, 33}, {64, 32, 129}, {3, 70, 16}, {40, 41, 95}};

}  // namespace

TEST_CASE("naive GEMM of any size: every thread reads its row and column once and stores its element") {
  for (const Size& size : kSizes)
    for (const char* lanes : {"col", "row"})
      for (const auto& block : {std::pair{"16", "16"}, {"32", "4"}, {"5", "3"}, {"7", "1"}}) {
        CAPTURE(size.m);
        CAPTURE(size.n);
        CAPTURE(size.k);
        CAPTURE(lanes);
        CAPTURE(block.first);
        ParameterTexts parameters = texts(size);
        parameters.insert(
            {{"lanes", lanes}, {"block_x", block.first}, {"block_y", block.second}, {"raster", "morton"}});
        check_touched(*kernel("gemm_naive", parameters), size, size.n, size.m);
      }
}

TEST_CASE("tiled GEMM of any size: tiles cover A, B and C, and nothing else") {
  for (const Size& size : kSizes)
    for (const std::int64_t tile : {4, 5, 8, 12, 16, 23, 32})
      for (const char* layout : {"0", "1"}) {
        CAPTURE(size.m);
        CAPTURE(size.n);
        CAPTURE(size.k);
        CAPTURE(tile);
        ParameterTexts parameters = texts(size);
        parameters.insert(
            {{"tile", std::to_string(tile)}, {"transpose_a", layout}, {"raster", "grouped"}, {"group", "2"}});
        const std::int64_t columns = (size.n + tile - 1) / tile;
        const std::int64_t rows = (size.m + tile - 1) / tile;
        check_touched(*kernel("gemm_tiled", parameters), size, columns, rows);
      }
}

TEST_CASE("register-tiled GEMM: tiles cover A, B and C, whatever the tile shape") {
  struct {
    const char *bm, *bn, *bk, *tm, *tn, *vector;
  } const rows[] = {{"64", "64", "8", "4", "4", "4"},  {"64", "64", "8", "4", "4", "1"},
                    {"32", "128", "8", "4", "4", "4"}, {"128", "64", "16", "8", "4", "1"},
                    {"16", "16", "4", "2", "4", "4"},  {"64", "32", "8", "8", "4", "4"},
                    {"32", "32", "32", "1", "1", "1"}};
  const Size size{128, 256, 64};
  for (const auto& row : rows) {
    CAPTURE(row.bm);
    CAPTURE(row.bn);
    ParameterTexts parameters = texts(size);
    parameters.insert(
        {{"bm", row.bm}, {"bn", row.bn}, {"bk", row.bk}, {"tm", row.tm}, {"tn", row.tn}, {"vector", row.vector}});
    check_touched(*kernel("gemm_register", parameters), size, 256 / std::stoi(row.bn), 128 / std::stoi(row.bm));
  }
}

TEST_CASE("warp-tiled GEMM: tiles cover A, B and C, whatever a warp's part") {
  const Size size{128, 256, 64};
  struct {
    const char *bm, *bn, *bk, *wm, *wn, *vector;
  } const rows[] = {{"128", "128", "8", "32", "64", "4"},
                    {"64", "128", "16", "32", "32", "4"},
                    {"128", "64", "8", "16", "32", "1"},
                    {"32", "64", "32", "32", "32", "1"}};
  for (const auto& row : rows) {
    CAPTURE(row.bm);
    CAPTURE(row.wm);
    ParameterTexts parameters = texts(size);
    parameters.insert(
        {{"bm", row.bm}, {"bn", row.bn}, {"bk", row.bk}, {"wm", row.wm}, {"wn", row.wn}, {"vector", row.vector}});
    check_touched(*kernel("gemm_warp", parameters), size, 256 / std::stoi(row.bn), 128 / std::stoi(row.bm));
  }
}

TEST_CASE("double-buffered GEMM: copies of tiles cover A and B, whatever the tile") {
  struct {
    const char *tile, *vector;
  } const rows[] = {{"16", "1"}, {"32", "4"}, {"4", "1"}, {"8", "4"}, {"24", "4"}};
  const Size size{96, 192, 96};
  for (const char* code : {"sm_80", "sm_90"})
    for (const auto& row : rows) {
      CAPTURE(row.tile);
      ParameterTexts parameters = texts(size);
      parameters.insert({{"tile", row.tile}, {"vector", row.vector}, {"code", code}});
      check_touched(*kernel("gemm_async", parameters), size, 192 / std::stoi(row.tile), 96 / std::stoi(row.tile));
    }
}

TEST_CASE("tensor-core GEMM: tiles cover A, B and C, whatever a warp's part") {
  struct {
    const char *bm, *bn, *bk, *wm, *wn;
  } const rows[] = {{"128", "128", "32", "64", "32"},
                    {"64", "128", "16", "32", "64"},
                    {"128", "64", "64", "64", "64"},
                    {"32", "32", "32", "16", "16"}};
  const Size size{128, 256, 64};
  for (const char* code : {"sm_80", "sm_90"})
    for (const auto& row : rows) {
      CAPTURE(row.bm);
      CAPTURE(row.wm);
      ParameterTexts parameters = texts(size);
      parameters.insert(
          {{"bm", row.bm}, {"bn", row.bn}, {"bk", row.bk}, {"wm", row.wm}, {"wn", row.wn}, {"code", code}});
      check_touched(*kernel("gemm_tensor", parameters), size, 256 / std::stoi(row.bn), 128 / std::stoi(row.bm), 2);
    }
}

TEST_CASE("no GEMM reads a word of shared memory that its CTA has not written, nor leaves its allocation") {
  const std::pair<const char*, ParameterTexts> rows[] = {
      {"gemm_tiled", {{"tile", "16"}, {"pad_a", "1"}}},
      {"gemm_tiled", {{"tile", "32"}, {"swizzle", "xor"}}},
      {"gemm_tiled", {{"tile", "8"}, {"pad_b", "3"}, {"M", "65"}}},
      {"gemm_tiled", {{"tile", "10"}, {"pad_a", "2"}, {"M", "65"}}},
      {"gemm_register", {{"bm", "64"}, {"bn", "64"}, {"tm", "4"}, {"tn", "4"}}},
      {"gemm_register", {{"bk", "32"}, {"bn", "64"}, {"tm", "2"}, {"tn", "16"}}},
      {"gemm_warp", {{"bm", "128"}, {"bn", "64"}, {"bk", "16"}, {"wn", "32"}}},
      {"gemm_async", {}},
      {"gemm_async", {{"tile", "8"}, {"vector", "1"}, {"code", "sm_80"}}},
      {"gemm_tensor", {{"bn", "64"}}},
      {"gemm_tensor", {{"bm", "64"}, {"bn", "32"}, {"bk", "64"}, {"wm", "16"}, {"wn", "32"}, {"code", "sm_80"}}},
  };
  for (const auto& [name, given] : rows) {
    ParameterTexts parameters = given;
    parameters.insert({{"M", "128"}, {"N", "64"}, {"K", "64"}});
    const auto gemm = kernel(name, parameters);
    const auto stream = gemm->make_stream();
    std::set<std::uint64_t> written, read;
    for (int warp = 0; warp < static_cast<int>(gemm->launch().warps_per_cta()); ++warp)
      test::walk_warp(*gemm, *stream, 0, warp,
                      [&](OpClass op, const MemoryOperand& operand, const LanePattern& pattern) {
                        const bool stores = op == OpClass::shared_store || op == OpClass::async_copy;
                        if (op != OpClass::shared_load && op != OpClass::matrix_load && !stores) return;
                        for_each_lane(operand, pattern, [&](std::uint64_t address) {
                          if (op == OpClass::async_copy && address >= kBase) return;  // where it comes from
                          if (address + pattern.bytes > static_cast<std::uint64_t>(gemm->launch().static_smem_bytes))
                            FAIL("a shared address beyond the allocation");
                          for (int byte = 0; byte < pattern.bytes; byte += 4)
                            (stores ? written : read).insert(address + static_cast<std::uint64_t>(byte));
                        });
                      });
    CHECK(written == read);
  }
}
