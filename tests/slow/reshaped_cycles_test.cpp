// Shapes of the register-tiled GEMM whose own code is set aside: what they take with the code of the nearest other
// compiled shape, against their own. Prints the table that docs/engine.md sums up: tilescope_slow_tests
// --source-file='*/reshaped_cycles_test.cpp' --success
#include <fmt/format.h>

#include <cmath>

#include "engine_runs.h"
#include "sim/results/metrics.h"
#include "sim/results/result.h"
#include "traces/kernels/compiled_listings.h"
#include "traces/kernels/gemm_register.h"
#include "traces/kernels/template_numbers.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

double cycles(const Kernel& kernel) {
  RunOptions options;
  options.sample = Sample::off;
  options.threads = 2;
  return make_result(h200(), kernel.launch(), options, simulate(h200(), kernel, options))
      .metric("gpc__cycles_elapsed.max")
      .value();
}

}  // namespace

TEST_CASE("register tiles from the code of other shapes: cycles within 4 % on average, within 15 % each") {
  double sum = 0;
  int shapes = 0;
  for (const std::string& function : compiled_functions("gemm_register")) {
    const std::vector<int> n = template_numbers(function);
    const GemmRegisterSpec spec{.problem = {.m = 512, .n = 512, .k = 512},
                                .bm = n[0],
                                .bn = n[1],
                                .bk = n[2],
                                .tm = n[3],
                                .tn = n[4],
                                .vector = n[5]};
    const std::string other = GemmRegister::nearest_sample(spec, function);
    const double own = cycles(GemmRegister(spec, function)), reshaped = cycles(GemmRegister(spec, other));
    const double error = 100 * (reshaped / own - 1);
    CHECK_MESSAGE(std::abs(error) < 15,
                  fmt::format("{} from {}: {:.0f}, itself {:.0f}: {:+.1f} %", function, other, reshaped, own, error));
    sum += std::abs(error);
    ++shapes;
  }
  CHECK_MESSAGE(sum / shapes < 4, fmt::format("{:.1f} % on average of {}", sum / shapes, shapes));
}
