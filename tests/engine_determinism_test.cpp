// The same inputs give the same bytes, whatever the number of threads.
#include "engine_runs.h"
#include "kernel_walk.h"

using namespace tilescope;
using namespace tilescope::test;

TEST_CASE("every counter, the cycles and the timeline are the same with 1, 2 and 3 threads and in a second run") {
  struct {
    std::string name;
    ParameterTexts parameters;
  } const rows[] = {
      {"gemm_tiled", {{"M", "256"}, {"N", "256"}, {"K", "256"}, {"tile", "32"}}},
      {"gemm_register", {{"M", "384"}, {"N", "256"}, {"K", "64"}}},
      {"gemm_naive", {{"M", "100"}, {"N", "70"}, {"K", "50"}}},
      {"transpose", {}},
  };
  struct {
    Mode mode;
    Sample sample;
  } const ways[] = {{Mode::timing, Sample::off},
                    {Mode::timing, Sample::automatic},
                    {Mode::counts, Sample::off},
                    {Mode::counts, Sample::automatic}};
  for (const auto& row : rows)
    for (const auto& [mode, sample] : ways) {
      CAPTURE(row.name);
      const auto with = [&](int threads) {
        return numbers(run(h200(), *kernel(row.name, row.parameters), mode, sample, threads));
      };
      const auto one = with(1);
      CHECK((with(1) == one));
      CHECK((with(2) == one));
      CHECK((with(3) == one));
    }
}

TEST_CASE("a kernel that was run before gives the same again") {  // the table of patterns it has filled changes nothing
  const auto made = kernel("gemm_tiled", {{"M", "128"}, {"N", "128"}, {"K", "128"}});
  const auto first = numbers(run(h200(), *made, Mode::timing));
  CHECK((numbers(run(h200(), *made, Mode::timing)) == first));
}

TEST_CASE("more SMs than CTAs, more threads than SMs") {
  const GpuSpec two = gpu("h200", {"sm.gpcs=[1, 1]"});
  const auto made = kernel("gemm_tiled", {{"M", "96"}, {"N", "96"}, {"K", "64"}});
  CHECK((numbers(run(two, *made, Mode::timing, Sample::off, 5)) == numbers(run(two, *made, Mode::timing))));
}
