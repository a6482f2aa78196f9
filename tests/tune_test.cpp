// The search looks closer at fewer and keeps the fastest; its spaces hold what is legal, and say why when nothing is.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "engine_runs.h"
#include "sim/studies/tune/compiled_set.h"
#include "sim/studies/tune/dialect.h"
#include "sim/studies/tune/generator_space.h"
#include "sim/studies/tune/search.h"
#include "sim/studies/tune/tune_view.h"
#include "sweep_files.h"

using namespace tilescope;
using namespace tilescope::tune;
using tilescope::test::h200;

namespace {

const std::string kSet = std::string(TILESCOPE_SOURCE_DIR) + "/configs/tune/gemm_sm90.yaml";
constexpr double kNotRun = std::numeric_limits<double>::infinity();

CompiledSet shipped() {
  auto set = CompiledSet::read(kSet);
  REQUIRE(set.has_value());
  return std::move(*set);
}

std::string refusal(const std::string& text) {
  const auto set = CompiledSet::read_text(text, "set.yaml");
  REQUIRE_FALSE(set.has_value());
  return to_string(set.error());
}

double exact_cycles(const Configuration& one, std::int64_t k) {
  const auto kernel = one.make(k);
  REQUIRE(kernel.has_value());
  return static_cast<double>(test::run(h200(), **kernel, Mode::timing).cycles);
}

// Small tiles of a small problem, in which the rungs that drop something all run.
const Problem kSmall{64, 64, 32, "f32"};
std::vector<Configuration> small_space() { return generator_space(h200(), kSmall, {"gemm_tiled", "gemm_register"}); }
SearchOptions narrow() {
  SearchOptions options;
  options.short_k = 16;
  options.shapes = {8, 0.25, 24};
  options.counting = {4, 0.1, 12};
  options.fast = {2, 0.02, 4};
  return options;
}

}  // namespace

TEST_CASE("a rung passes on its best and what is close to the best, and nothing that failed") {
  struct {
    RungWidth width;
    std::vector<std::size_t> passed;
  } const rows[] = {{{1, 0, 1}, {3}},
                    {{2, 0, 2}, {3, 0}},
                    {{1, 0.1, 9}, {3, 0, 1}},    // 100, 105, 110
                    {{1, 0.1, 2}, {3, 0}},       // no more than that
                    {{9, 0, 9}, {3, 0, 1, 2}}};  // not the one that failed
  const std::vector<double> costs{105, 110, 200, 100, kNotRun};
  for (const auto& [width, passed] : rows) CHECK(passed_on(costs, width) == passed);
  CHECK(passed_on({7, 7, 7}, {2, 0, 2}) == std::vector<std::size_t>{0, 1});
  CHECK(passed_on({kNotRun}, {2, 0, 2}).empty());
}

TEST_CASE("the answer does not depend on the number of threads") {
  std::string first;
  for (const int threads : {1, 3}) {
    SearchOptions options = narrow();
    options.threads = threads;
    const std::string text = tune_json(search(h200(), kSmall, small_space(), options)).dump();
    if (first.empty()) first = text;
    CHECK(text == first);
  }
}

TEST_CASE("halving does not drop the fastest of a small space") {
  const CompiledSet set = shipped();
  const Problem problem{256, 256, 64, "f32"};
  const std::vector<Configuration> space = set.space(h200(), problem, set.families());
  double least = kNotRun;
  for (const Configuration& one : space) least = std::min(least, exact_cycles(one, problem.k));
  SearchOptions options;
  options.short_k = 32;
  options.last = Sample::off;
  const Tuned tuned = search(h200(), problem, space, options);
  REQUIRE(tuned.rungs.size() == 4);
  CHECK(tuned.rungs[0].kept < tuned.rungs[0].tried);
  CHECK(tuned.rungs[2].tried < space.size() / 2);
  CHECK(tuned.best.front().cycles == least);
}

TEST_CASE("what was timed is ranked by time, not by cycles: tensor cores slow the clock down") {
  const CompiledSet set = shipped();
  const Problem problem{2048, 2048, 256, "f16"};
  SearchOptions options;
  options.last = Sample::fast;
  const Tuned tuned = search(h200(), problem, set.space(h200(), problem, set.families()), options);
  bool apart = false;
  for (std::size_t i = 1; i < tuned.best.size(); ++i) {
    const auto nanoseconds = [&](std::size_t at) {
      return tuned.best[at].result["metrics"]["gpu__time_duration.sum"].get<double>();
    };
    CHECK(nanoseconds(i) >= nanoseconds(i - 1));
    apart = apart || tuned.best[i].cycles < tuned.best[i - 1].cycles;
  }
  CHECK(apart);
}

TEST_CASE("every configuration of a space can be made, and they differ") {
  std::vector<std::string> words;
  for (const Configuration& one : small_space()) {
    words.push_back(one.word);
    CHECK(one.make(kSmall.k).has_value());
    CHECK(kSmall.k % one.step == 0);
  }
  std::sort(words.begin(), words.end());
  CHECK(std::adjacent_find(words.begin(), words.end()) == words.end());
}

TEST_CASE("a space without a legal configuration says which size is wrong and what would do") {
  const auto why = [](const Problem& problem, const std::vector<std::string>& families) {
    try {
      generator_space(h200(), problem, families);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(why({100, 128, 64, "f32"}, {"gemm_register"}) ==
        "gemm_register: no configuration fits: M: got 100; must be a multiple of 32, 64, 128 or 256");
  CHECK(why({128, 128, 64, "f16"}, {"gemm_tiled"}) ==
        "no generator makes f16; a set of compiled kernels may (--compiled FILE)");
  CHECK_THROWS_WITH(shipped().space(h200(), {128, 128, 48, "f16"}, {"gemm_specialised"}),
                    doctest::Contains("no configuration fits: K: got 48; must be a multiple of 64"));
}

TEST_CASE("the shipped set: all its instances are launches, and those that no tile divides are left out") {
  const CompiledSet set = shipped();
  struct {
    const char* dtype;
    std::size_t all;
  } const rows[] = {{"f32", 33}, {"f16", 31}, {"bf16", 3}, {"tf32", 3}};
  for (const auto& row : rows) {
    CAPTURE(row.dtype);
    CHECK(set.space(h200(), {512, 512, 256, row.dtype}, set.families()).size() == row.all);
  }
  for (const Configuration& one : set.space(h200(), {64, 512, 256, "f32"}, set.families()))
    CHECK(one.word.find("128x128") == std::string::npos);
}

TEST_CASE("what is wrong with a set of compiled kernels is said with its place") {
  CHECK(refusal("families: 3\n") ==
        "set.yaml:1:1: error: families: got '3'; must be a list of families of compiled kernels\n");
  const std::string begin = "families:\n  - kernel: a\n    columns: [bm]\n    instances: [[1]]\n    name: a\n";
  CHECK(refusal(begin + "    launch: grid ${bn}\n") ==
        "set.yaml:6:5: error: launch: unknown name 'bn' (did you mean n?); must be m, n, k, sms or bm\n");
  CHECK(refusal(begin + "    launch: x\n    dtype: fp16\n") ==
        "set.yaml:7:12: error: dtype: got 'fp16'; must be f32, f16, bf16 or tf32\n");
  CHECK(refusal(begin + "    launch: x\n    multiples: [bm]\n") ==
        "set.yaml:7:5: error: multiples: got 1 values; must be a list of three formulas, for M, N and K\n");
  CHECK(
      refusal("families:\n  - kernel: a\n    columns: [bm, bn]\n    instances: [[1]]\n    name: a\n    launch: x\n") ==
      "set.yaml:4:17: error: instances: got 1 values; must be a list of 2 values, one for each of columns\n");
}

TEST_CASE("timings are taken from a store and kept in it") {
  const SweepFolder folder;
  sweep::Store store(folder / "tiles.db", sweep::Store::Access::create);
  SearchOptions options = narrow();
  options.store = &store;
  const Tuned first = search(h200(), kSmall, small_space(), options);
  const Tuned again = search(h200(), kSmall, small_space(), options);
  CHECK(first.rungs[2].stored == 0);
  CHECK(again.rungs[2].stored == again.rungs[2].tried);
  CHECK(tune_json(again)["best"].dump() == tune_json(first)["best"].dump());
  const auto points = store.points();
  REQUIRE(points.size() == first.rungs[2].tried);
  CHECK(points[0].study == "tune_f32_64x64x32");
}

TEST_CASE("the answer in the words of CUTLASS and of Triton") {
  const auto find = [](const std::string& dtype, const std::string& word) {
    const CompiledSet set = shipped();
    for (const Configuration& one : set.space(h200(), {1024, 1024, 1024, dtype}, set.families()))
      if (one.word == word) return one;
    FAIL(word);
    return Configuration{};
  };
  const Problem f32{1024, 1024, 1024, "f32"};
  const Problem f16{1024, 1024, 1024, "f16"};
  const Configuration warp = find("f32", "gemm_warp_128x128x16_32x64_v4 group 8");
  const std::string text = in_cutlass(warp, f32, 256).value();
  CHECK(text.find("GemmShape<128, 128, 16>,  // of a CTA") != std::string::npos);
  CHECK(text.find("GemmShape<32, 64, 16>,  // of a warp") != std::string::npos);
  CHECK(text.find("GemmIdentityThreadblockSwizzle<8>") != std::string::npos);
  CHECK(
      in_triton(warp, f32, 256).value() ==
      "triton.Config({'BLOCK_SIZE_M': 128, 'BLOCK_SIZE_N': 128, 'BLOCK_SIZE_K': 16, 'GROUP_SIZE_M': 8}, num_stages=2, "
      "num_warps=8)\n");
  const Configuration hopper = find("f16", "gemm_specialised_f16_128x256_s4_g2_c2_p");
  CHECK(in_cutlass(hopper, f16, 384).value().find("cute::Shape<cute::_2, cute::_1, cute::_1>") != std::string::npos);
  CHECK(in_triton(find("f32", "gemm_naive_col_32x8"), f32, 256).error() ==
        "gemm_naive_col_32x8 has no tile in shared memory, so Triton has nothing like it");
}
