#include <doctest/doctest.h>

#include "engine_runs.h"
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
