#include <doctest/doctest.h>

#include "engine_runs.h"
#include "hand_made_kernel.h"
#include "sass_runs.h"
#include "sim/results/result.h"
#include "sim/results/views/result_csv.h"
#include "sim/results/views/result_json.h"
#include "sim/results/views/result_table.h"

using namespace tilescope;
using test::h200;

namespace {

Result result_with(const std::vector<std::string>& approximations) {
  RunOutcome outcome;
  outcome.approximations = approximations;
  return make_result(h200(), Launch{}, RunOptions{}, outcome);
}

const std::vector<std::string> kTwo = {"12 MEMBAR are free", "3 UTMALDG are taken for loads"};

}  // namespace

TEST_CASE("what is approximated is a list in the JSON result, an empty one where nothing is") {
  CHECK(result_json(result_with({}))["approximations"] == nlohmann::json::array());
  CHECK(result_json(result_with(kTwo))["approximations"] == nlohmann::json(kTwo));
}

TEST_CASE("the table says below its rows what is approximated, and nothing where nothing is") {
  const auto table = [](const Result& result) { return result_table({{"kernel", result}}); };
  CHECK(table(result_with(kTwo)) ==
        table(result_with({})) + "approximations:\n  12 MEMBAR are free\n  3 UTMALDG are taken for loads\n");
  const std::string both = result_table({{"one", result_with(kTwo)}, {"two", result_with({})}});
  CHECK(both.find("  approximations:\n    12 MEMBAR are free\n    3 UTMALDG are taken for loads\ntwo\n") !=
        std::string::npos);
  CHECK(result_csv({{"kernel", result_with(kTwo)}}) == result_csv({{"kernel", result_with({})}}));
}

namespace {

std::uint64_t executed(const RunOutcome& outcome, OpClass op) {
  return outcome.sm.instructions[static_cast<std::size_t>(op)];
}

}  // namespace

TEST_CASE("a kernel lists what of it is not modelled, as often as it was executed, in every mode") {
  const test::HandMadeKernel kernel(8, 64, test::repeated(3, test::step(OpClass::cache_hint)));
  for (const Mode mode : {Mode::timing, Mode::counts})
    for (const Sample sample : {Sample::off, Sample::automatic}) {
      CAPTURE(static_cast<int>(mode));
      CAPTURE(static_cast<int>(sample));
      RunOptions options;
      options.mode = mode;
      options.sample = sample;
      const RunOutcome outcome = simulate(h200(), kernel, options);
      CHECK(executed(outcome, OpClass::cache_hint) == 8 * 2 * 3);
      const std::vector<std::string> expected = {"cache control of single lines has no effect (48 warp instructions)"};
      CHECK(outcome.approximations == expected);
      const Result result = make_result(h200(), kernel.launch(), options, outcome);
      CHECK(result_json(result)["approximations"] == nlohmann::ordered_json(expected));
      CHECK(result_table({{"kernel", result}}).find(expected[0]) != std::string::npos);
    }
}

TEST_CASE("a kernel of loads, stores, copies and products lists nothing, as a generator and compiled") {
  const auto built_in = make_kernel("gemm_tiled", {{"M", "256"}, {"N", "256"}, {"K", "256"}});
  REQUIRE(built_in.has_value());
  const auto compiled = test::sass_kernel(test::sass_samples + "gemm_tiled.yaml");
  const auto copies = test::sass_kernel(test::sass_samples + "gemm_async.yaml");
  for (const Kernel* const kernel : {built_in->get(), compiled.get(), copies.get()})
    for (const Mode mode : {Mode::timing, Mode::counts}) {
      const RunOutcome outcome = test::run(h200(), *kernel, mode);
      CHECK(outcome.sm.total_instructions() > 1000);
      CHECK(outcome.approximations.empty());
    }
}
