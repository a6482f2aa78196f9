#include "sim/results/metrics.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

using namespace tilescope;

namespace {

double value(const char* name, const RunOutcome& outcome) {
  GpuSpec gpu;
  gpu.clock.sm_mhz = 2000;
  gpu.sm.gpcs = {2};
  gpu.sm.sub_partitions = 4;
  const Metric* metric = find_metric(name);
  REQUIRE(metric != nullptr);
  return metric->value({gpu, Launch{}, outcome});
}

}  // namespace

TEST_CASE("every metric of the JSON contract is there") {
  for (const char* name : {"gpc__cycles_elapsed.max",
                           "gpu__time_duration.sum",
                           "smsp__inst_executed.sum",
                           "smsp__inst_executed_op_global_ld.sum",
                           "smsp__inst_executed_op_global_st.sum",
                           "smsp__inst_executed_op_shared_ld.sum",
                           "smsp__inst_executed_op_shared_st.sum",
                           "smsp__inst_executed_op_ldgsts.sum",
                           "smsp__inst_executed_op_ldsm.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                           "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                           "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                           "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                           "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                           "l1tex__m_xbar2l1tex_read_sectors.sum",
                           "lts__t_sectors_srcunit_tex_op_read.sum",
                           "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
                           "lts__t_sectors_srcunit_ltcfabric.sum",
                           "lts__t_sectors_op_read.sum",
                           "lts__t_sectors_op_write.sum",
                           "lts__t_sector_hit_rate.pct",
                           "dram__bytes_read.sum",
                           "dram__bytes_write.sum",
                           "sm__warps_active.avg.per_cycle_active",
                           "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
                           "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"}) {
    CAPTURE(name);
    CHECK(find_metric(name) != nullptr);
  }
  CHECK(find_metric("no__such.metric") == nullptr);
}

TEST_CASE("every metric has a name of its own, a unit and a meaning") {
  std::set<std::string> names;
  for (const Metric& metric : metrics()) {
    CAPTURE(metric.name);
    CHECK(names.insert(metric.name).second);
    CHECK(!metric.unit.empty());
    CHECK(!metric.meaning.empty());
  }
}

TEST_CASE("asynchronous copies count as ldgsts, matrix loads as ldsm, and as nothing else") {
  RunOutcome outcome;
  outcome.sm.instructions[static_cast<std::size_t>(OpClass::async_copy)] = 3;
  outcome.sm.instructions[static_cast<std::size_t>(OpClass::matrix_load)] = 5;
  CHECK(value("smsp__inst_executed_op_ldgsts.sum", outcome) == 3);
  CHECK(value("smsp__inst_executed_op_ldsm.sum", outcome) == 5);
  CHECK(value("smsp__inst_executed_op_global_ld.sum", outcome) == 0);
  CHECK(value("smsp__inst_executed_op_shared_ld.sum", outcome) == 0);
  CHECK(value("smsp__inst_executed_pipe_lsu.sum", outcome) == 8);
  CHECK(value("smsp__inst_executed.sum", outcome) == 8);
}

TEST_CASE("conflicts are wavefronts less ideal, and time is cycles over the clock") {
  RunOutcome outcome;
  outcome.sm.of(AccessKind::shared_load).wavefronts = 32;
  outcome.sm.of(AccessKind::shared_load).ideal = 1;
  outcome.cycles = 4000;
  CHECK(value("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", outcome) == 31);
  CHECK(value("gpu__time_duration.sum", outcome) == 2000);
}

TEST_CASE("the L2 hit rate counts look-ups in both partitions, and writes as hits") {
  RunOutcome outcome;
  outcome.memory.l2 = {.read_sectors = 100, .read_hit_sectors = 60, .fabric_sectors = 40, .fabric_hit_sectors = 10};
  CHECK(value("lts__t_sectors_op_read.sum", outcome) == 140);
  CHECK(value("lts__t_sector_hit_rate.pct", outcome) == 50);
  outcome.memory.l2.write_sectors = 60;
  CHECK(value("lts__t_sector_hit_rate.pct", outcome) == 65);
}

TEST_CASE("an estimate in which hits exceed look-ups gives no misses, not a huge number") {
  RunOutcome outcome;
  outcome.sm.of(AccessKind::global_load).sectors = 10;
  outcome.sm.of(AccessKind::global_load).hit_sectors = 12;
  CHECK(value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", outcome) == 0);
}

TEST_CASE("a kernel that did nothing divides by nothing") {
  const RunOutcome outcome;
  GpuSpec gpu;
  gpu.clock.sm_mhz = 1000;
  gpu.sm.gpcs = {1};
  for (const Metric& metric : metrics()) {
    CAPTURE(metric.name);
    CHECK(std::isfinite(metric.value({gpu, Launch{}, outcome})));
  }
}
