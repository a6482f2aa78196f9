#include "sim/results/bottleneck.h"

#include <doctest/doctest.h>

#include "sim/cli/gpu_options.h"

using namespace tilescope;

namespace {

struct Case {
  GpuSpec gpu = cli::read_gpu("h200");
  Launch launch;
  RunOutcome outcome;
  double busy_cycles;  // of all SMs

  Case() {
    outcome.cycles = 100000;
    outcome.occupancy.ctas_per_sm = 2;
    launch.grid = {1000, 1, 1};
    busy_cycles = static_cast<double>(gpu.sm.count() * outcome.cycles);
    outcome.sm.active_cycles = static_cast<std::uint64_t>(busy_cycles);
  }
  Bottleneck found() const {
    const MetricSource source{gpu, launch, outcome};
    return bottleneck(source, utilisations(source));
  }
};

}  // namespace

TEST_CASE("the busiest resource is the bottleneck, with the share that conflicts have in it") {
  Case c;
  c.outcome.sm.data_wavefronts = static_cast<std::uint64_t>(0.9 * c.busy_cycles);
  c.outcome.sm.of(AccessKind::shared_load).wavefronts = c.outcome.sm.data_wavefronts;
  c.outcome.sm.of(AccessKind::shared_load).ideal = c.outcome.sm.data_wavefronts / 2;
  CHECK(c.found().name == "lsu_data_stage");
  CHECK(c.found().reason == "shared-memory data stage: 90 % of its wavefront peak; bank conflicts add 50 %");
}

TEST_CASE("HBM at its peak is the bottleneck") {
  Case c;
  const double ns = static_cast<double>(c.outcome.cycles) * 1000 / c.gpu.clock.sm_mhz;
  c.outcome.memory.hbm.read_bytes = static_cast<std::uint64_t>(0.8 * ns * c.gpu.hbm.bandwidth_gbs);
  CHECK(c.found().name == "hbm_bandwidth");
}

TEST_CASE("where no resource is busy, the longest stall is the bottleneck") {
  Case c;
  c.outcome.sm.stall_cycles[static_cast<std::size_t>(Stall::long_scoreboard)] = 60;
  c.outcome.sm.stall_cycles[static_cast<std::size_t>(Stall::barrier)] = 40;
  c.outcome.sm.stall_cycles[static_cast<std::size_t>(Stall::not_selected)] = 100;
  CHECK(c.found().name == "latency_long_scoreboard");
  CHECK(c.found().reason.find("waited for global or local memory for 30 %") != std::string::npos);
}

TEST_CASE("SMs without work come before anything that happens in the others") {
  Case c;
  c.launch.grid = {20, 1, 1};
  c.outcome.sm.active_cycles /= 5;
  c.outcome.sm.data_wavefronts = c.outcome.sm.active_cycles;
  CHECK(c.found().name == "idle_sms");
  CHECK(c.found().reason.find("20 CTAs on 132 SMs (0.08 waves)") != std::string::npos);
}
