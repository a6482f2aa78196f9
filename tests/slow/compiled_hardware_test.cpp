// Every kernel of gpu/kernels, its machine code executed, against what Nsight Compute counted on an H200: the training
// launches of gpu/measured/h200.
//
// Exact: instructions, memory instructions, those of each pipe, requests, sectors, registers, and the wavefronts that
// shared loads need without conflicts. Wavefronts with conflicts may only be more on hardware, whose counters include
// passes that depend on timing: up to 4 % for loads, a quarter for stores.
#include <doctest/doctest.h>

#include "engine_runs.h"
#include "sim/results/metrics.h"
#include "sim/results/result.h"
#include "sim/studies/measured/matched_rows.h"
#include "sim/studies/measured/measurement_reader.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr double kMostInstructions = 2e7;  // of a launch; the larger ones take minutes

MatchedRows measured() {
  const std::string folder = TILESCOPE_SOURCE_DIR "/gpu/measured/";
  auto rows = read_measurements(
      {folder + "h200/gemm_train.csv", folder + "h200/train_more.csv", folder + "h200/train_tail.csv"});
  REQUIRE(rows.has_value());
  std::erase_if(*rows,
                [](const Measurement& row) { return row.metric("smsp__inst_executed.sum") > kMostInstructions; });
  const auto mapping = KernelMapping::read(folder + "compiled.yaml");
  REQUIRE(mapping.has_value());
  return match_rows(*std::move(rows), *mapping);
}

}  // namespace

TEST_CASE("compiled kernels execute, request and conflict as the hardware counted") {
  const MatchedRows rows = measured();
  for (const UnmatchedRow& row : rows.unmatched) FAIL_CHECK(row.measured.label() << ": " << row.reason);
  CHECK(rows.matched.size() >= 50);
  std::map<std::string, int> families;
  for (const MatchedRow& row : rows.matched) {
    const std::string label = row.measured.label();
    CAPTURE(label);
    ++families[row.mapped.kernel];
    const auto kernel = make_kernel(row.mapped);
    REQUIRE(kernel.has_value());
    RunOptions options;
    options.mode = Mode::counts;
    options.sample = Sample::off;
    options.threads = 2;
    const Result result = make_result(h200(), (*kernel)->launch(), options, simulate(h200(), **kernel, options));
    const auto here = [&](const std::string& name) { return result.metric(name).value(); };
    const auto there = [&](const std::string& name) { return row.measured.metric(name); };
    for (const char* op : {"global_ld", "global_st", "shared_ld", "shared_st", "ldgsts", "ldsm"}) {
      const std::string name = std::string("smsp__inst_executed_op_") + op + ".sum";
      CHECK_MESSAGE(here(name) == there(name).value(), name);
    }
    for (const char* what : {"requests", "sectors"})
      for (const char* op : {"ld", "st"}) {
        const std::string name = std::string("l1tex__t_") + what + "_pipe_lsu_mem_global_op_" + op + ".sum";
        CHECK_MESSAGE(here(name) == there(name).value(), name);
      }
    for (const char* pipe : {"adu", "alu", "cbu", "fma", "lsu", "tensor", "tensor_op_hmma_type_hfma2", "uniform"}) {
      const std::string name = std::string("smsp__inst_executed_pipe_") + pipe + ".sum";
      if (const auto seen = there(name)) CHECK_MESSAGE(here(name) == *seen, name);
    }
    CHECK(here("smsp__inst_executed.sum") == there("smsp__inst_executed.sum").value());
    CHECK(here("launch__registers_per_thread") == there("launch__registers_per_thread").value());
    for (const char* op : {"ld", "st"}) {
      const std::string name = std::string("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_") + op + ".sum";
      const double seen = there(name).value(), excess = op == std::string("ld") ? 0.04 : 0.25;
      CHECK_MESSAGE(here(name) <= seen, name);
      CHECK_MESSAGE(here(name) >= seen * (1 - excess), name);
    }
    const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
    const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
    if (there(conflicts)) CHECK(here(wavefronts) - here(conflicts) == *there(wavefronts) - *there(conflicts));
  }
  for (const char* family : {"gemm_naive", "gemm_tiled", "gemm_register", "gemm_async", "gemm_tensor", "copy",
                             "strided", "reread", "transpose", "pointer_chase"})
    CHECK_MESSAGE(families[family] > 0, family);
}
