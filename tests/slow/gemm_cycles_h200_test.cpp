// Cycles of GEMM launches that an H200 ran under Nsight Compute (gpu/measured/h200/gemm_train.csv), simulated in full.
// These are training cases: they were looked at while the models were built. Prints one line a case; docs/accuracy.md
// quotes it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/spec_reader.h"
#include "sim/studies/compare/comparison.h"
#include "sim/studies/measured/measurement_reader.h"

using namespace tilescope;

namespace {

constexpr double kLargestCase = 2e7;  // warp instructions; the larger launches take minutes

MatchedRows measured() {
  const std::string sources = TILESCOPE_SOURCE_DIR;
  auto rows = read_measurements({sources + "/gpu/measured/h200/gemm_train.csv"});
  REQUIRE(rows.has_value());
  std::erase_if(*rows, [](const Measurement& row) { return row.metric("smsp__inst_executed.sum") > kLargestCase; });
  const auto mapping = KernelMapping::read(sources + "/configs/mappings/default.yaml");
  REQUIRE(mapping.has_value());
  return match_rows(*std::move(rows), *mapping);
}

}  // namespace

TEST_CASE("H200: the cycles of measured GEMM launches come out within 10 % on average") {
  const auto gpu = read_spec<GpuSpec>(std::string(TILESCOPE_SOURCE_DIR) + "/configs/gpus/h200.yaml");
  REQUIRE(gpu.has_value());
  ComparisonRequest request;
  request.metrics = {"gpc__cycles_elapsed.max"};
  request.options.sample = Sample::off;
  request.options.threads = 2;
  const Comparison comparison = compare(*gpu, measured(), request);
  REQUIRE(comparison.unmatched.empty());
  REQUIRE(comparison.cases.size() >= 20);
  std::string table;
  for (const ComparedCase& one : comparison.cases) {
    const PredictionError& error = one.values.at(0).error;
    table += fmt::format("{:<48} {:>10.0f} {:>10.0f} {:>+7.1f} %\n", one.label, error.predicted, error.measured,
                         error.error.value());
  }
  const ErrorStatistics& errors = comparison.metrics.at(0).statistics;
  MESSAGE(fmt::format("{:<48} {:>10} {:>10} {:>9}\n{}mean {:.1f} %, median {:.1f} %, p90 {:.1f} %, worst {}", "launch",
                      "predicted", "measured", "error", table, errors.mean, errors.median, errors.p90,
                      comparison.cases[comparison.metrics[0].worst_case.value()].label));
  CHECK(errors.mean <= 10);
  CHECK(errors.p90 <= 20);
}
