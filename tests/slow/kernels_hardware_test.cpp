// The GEMM generators against hardware counters of the kernels they model (gpu/measured/h200/gemm_train.csv).
//
// Exact: memory instructions, requests, sectors, and the wavefronts that shared loads need without conflicts
// (hardware's counter less its conflict counter). Instructions in all: within 2 %. Wavefronts with conflicts may only
// be higher on hardware, whose counter includes passes that depend on timing, not on addresses (one kernel's excess per
// tile changes with the problem size): up to 0.4 % for loads and a quarter for stores in these cases.
#include <doctest/doctest.h>

#include "kernel_walk.h"
#include "sim/studies/measured/matched_rows.h"
#include "sim/studies/measured/measurement_reader.h"
#include "traces/stream_summary.h"

using namespace tilescope;

namespace {

constexpr double kLargestCase = 3e8;  // warp instructions; beyond it counting alone takes seconds

MatchedRows measured() {
  auto rows = read_measurements({TILESCOPE_SOURCE_DIR "/gpu/measured/h200/gemm_train.csv"});
  REQUIRE(rows.has_value());
  std::erase_if(*rows, [](const Measurement& row) { return row.metric("smsp__inst_executed.sum") > kLargestCase; });
  const auto mapping = KernelMapping::read(TILESCOPE_SOURCE_DIR "/configs/mappings/default.yaml");
  REQUIRE(mapping.has_value());
  return match_rows(*std::move(rows), *mapping);
}

}  // namespace

TEST_CASE("generators execute what the compiled kernels execute") {
  const MatchedRows rows = measured();
  CHECK(rows.unmatched.empty());
  REQUIRE(rows.matched.size() > 55);
  for (const MatchedRow& row : rows.matched) {
    const std::string label = row.measured.label();
    CAPTURE(label);
    const StreamSummary sum = summarise(*test::kernel(row.mapped.kernel, row.mapped.parameters));
    const auto seen = [&](const std::string& counter) { return row.measured.metric(counter + ".sum").value(); };
    const auto real = [](std::int64_t count) { return static_cast<double>(count); };
    CHECK(real(sum.count(OpClass::global_load)) == seen("smsp__inst_executed_op_global_ld"));
    CHECK(real(sum.count(OpClass::global_store)) == seen("smsp__inst_executed_op_global_st"));
    CHECK(real(sum.count(OpClass::shared_load)) == seen("smsp__inst_executed_op_shared_ld"));
    CHECK(real(sum.count(OpClass::shared_store)) == seen("smsp__inst_executed_op_shared_st"));
    CHECK(real(sum.global_load_requests) == seen("l1tex__t_requests_pipe_lsu_mem_global_op_ld"));
    CHECK(real(sum.global_load_sectors) == seen("l1tex__t_sectors_pipe_lsu_mem_global_op_ld"));
    CHECK(real(sum.global_store_requests) == seen("l1tex__t_requests_pipe_lsu_mem_global_op_st"));
    CHECK(real(sum.global_store_sectors) == seen("l1tex__t_sectors_pipe_lsu_mem_global_op_st"));
    const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_";
    CHECK(real(sum.shared_load_ideal) ==
          seen(wavefronts + "ld") - seen("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld"));
    const auto within = [&](std::int64_t generated, const std::string& counter, double low, double high) {
      return real(generated) >= seen(counter) * (1 - low) && real(generated) <= seen(counter) * (1 + high);
    };
    CHECK(within(sum.instructions(), "smsp__inst_executed", 0.02, 0.02));
    CHECK(within(sum.shared_load_wavefronts, wavefronts + "ld", 0.004, 0));
    CHECK(within(sum.shared_store_wavefronts, wavefronts + "st", 0.25, 0));
  }
}
