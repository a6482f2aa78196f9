// The GEMM generators against hardware counters of the kernels they model (gpu/measured/h200/gemm_train.csv).
//
// Exact: memory instructions, requests, sectors, and the wavefronts that shared loads need without conflicts
// (hardware's counter less its conflict counter). Instructions in all: within 2 %. Wavefronts with conflicts may only
// be higher on hardware, whose counter includes passes that depend on timing, not on addresses (one kernel's excess per
// tile changes with the problem size): up to 0.4 % for loads and a quarter for stores in these cases.
#include <doctest/doctest.h>

#include "kernel_walk.h"
#include "published.h"
#include "sim/studies/measured/matched_rows.h"
#include "sim/studies/measured/measurement_reader.h"

using namespace tilescope;

namespace {

constexpr double kLargestCase = 6e7;  // warp instructions; beyond it counting alone takes seconds

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
  REQUIRE(rows.matched.size() > 30);
  for (const MatchedRow& row : rows.matched) {
    const std::string label = row.measured.label();
    CAPTURE(label);
    // Instructions, requests and wavefronts do not depend on how many lines the caches look up.
    auto sum = test::published(*test::kernel(row.mapped.kernel, row.mapped.parameters), Mode::counts, Sample::fast);
    const auto seen = [&](const std::string& counter) { return row.measured.metric(counter + ".sum").value(); };
    CHECK(sum["smsp__inst_executed_op_global_ld.sum"] == seen("smsp__inst_executed_op_global_ld"));
    CHECK(sum["smsp__inst_executed_op_global_st.sum"] == seen("smsp__inst_executed_op_global_st"));
    CHECK(sum["smsp__inst_executed_op_shared_ld.sum"] == seen("smsp__inst_executed_op_shared_ld"));
    CHECK(sum["smsp__inst_executed_op_shared_st.sum"] == seen("smsp__inst_executed_op_shared_st"));
    CHECK(sum["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] ==
          seen("l1tex__t_requests_pipe_lsu_mem_global_op_ld"));
    CHECK(sum["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == seen("l1tex__t_sectors_pipe_lsu_mem_global_op_ld"));
    CHECK(sum["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"] ==
          seen("l1tex__t_requests_pipe_lsu_mem_global_op_st"));
    CHECK(sum["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == seen("l1tex__t_sectors_pipe_lsu_mem_global_op_st"));
    const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_";
    CHECK((sum["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] -
           sum["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"]) ==
          seen(wavefronts + "ld") - seen("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld"));
    const auto within = [&](double generated, const std::string& counter, double low, double high) {
      return generated >= seen(counter) * (1 - low) && generated <= seen(counter) * (1 + high);
    };
    CHECK(within(sum["smsp__inst_executed.sum"], "smsp__inst_executed", 0.02, 0.02));
    CHECK(within(sum["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"], wavefronts + "ld", 0.004, 0));
    CHECK(within(sum["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"], wavefronts + "st", 0.25, 0));
  }
}
