// A fence between ordinary and asynchronous accesses to shared memory, and a bulk store behind it, against
// gpu/measured/h200/async_fence.csv: the microbenchmark's own code.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr int kRounds = 17;  // as gpu/microbench/async_fence.cu, with the first

double measured(const std::string& the_case) {
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/h200/async_fence.csv");
  const std::string row = "async_fence,question=" + the_case + ",cycles,";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(row)) return std::stod(line.substr(row.size()));
  FAIL("no row: " << row);
  return 0;
}

// Cycles of a round. `until`: 0, the warps have met; 3, the copy is complete.
double predicted(int stores, int warps, bool fence, int until, const std::vector<std::string>& changes = {}) {
  const SassScratch scratch;
  const std::string file = scratch.write(
      "fence.yaml", "kernel: {sass: " + sass_data + "async_fence.sm_90.sass.zst, elf: " + sass_data +
                        "async_fence.sm_90.elf, name: pass_fenceILi" + std::to_string(stores) + "ELNS1_5FenceE" +
                        std::to_string(fence ? 1 : 0) + "ELNS1_5UntilE" + std::to_string(until) +
                        "E}\ngrid: [1]\nblock: [256]\ndynamic_smem: 65536\nargs: [" + std::to_string(warps) +
                        ", {i8: 0}, {buffer: 2MiB}, {buffer: 64}]\n");
  const auto outcome = run(gpu("h200", changes), *sass_kernel(file), Mode::timing, Sample::off, 1);
  return static_cast<double>(outcome.timeline.at(0).end - outcome.timeline.at(0).start) / kRounds;
}

}  // namespace

TEST_CASE("a fence waits until what its warp has stored into shared memory has passed") {
  for (const int stores : {4, 8}) {
    for (const int warps : {1, 4}) {
      CAPTURE(stores);
      CAPTURE(warps);
      const std::string the_case =
          "fence;stores=" + std::to_string(stores) + ";warps=" + std::to_string(warps) + ";fence=";
      const double hardware = measured(the_case + "yes") - measured(the_case + "no");
      CHECK(std::abs(predicted(stores, warps, true, 0) - predicted(stores, warps, false, 0) - hardware) < 50);
    }
    CHECK(predicted(stores, 4, true, 0) > predicted(stores, 4, false, 0) + 20);
  }
  CHECK(predicted(4, 4, true, 0, {"fences.async_cycles=100"}) > predicted(4, 4, true, 0) + 50);
}

TEST_CASE("a wait for a bulk store lasts until the store is complete") {
  for (const int stores : {4, 8}) {
    for (const int warps : {1, 4}) {
      CAPTURE(stores);
      CAPTURE(warps);
      const std::string shape = "stores=" + std::to_string(stores) + ";warps=" + std::to_string(warps);
      const double hardware = measured("send;" + shape + ";until=complete") - measured("fence;" + shape + ";fence=no");
      const double model = predicted(stores, warps, true, 3) - predicted(stores, warps, false, 0);
      CHECK(model == doctest::Approx(hardware).epsilon(0.25));
    }
  }
}
