// What must come out of the engine whatever the time model does: the stream's own totals, and bounds by footprint.
#include "engine_runs.h"
#include "kernel_walk.h"
#include "stream_summary.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Shape {
  std::string kernel;
  std::int64_t m, n, k;
  ParameterTexts others;

  ParameterTexts parameters() const {
    ParameterTexts all = others;
    all["M"] = std::to_string(m);
    all["N"] = std::to_string(n);
    all["K"] = std::to_string(k);
    return all;
  }
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"gemm_naive", 192, 160, 96, {}},
      {"gemm_naive", 100, 77, 51, {{"lanes", "row"}}},
      {"gemm_tiled", 256, 256, 256, {{"tile", "32"}}},
      {"gemm_tiled", 256, 192, 128, {{"tile", "16"}, {"pad_a", "1"}}},
      {"gemm_tiled", 100, 77, 51, {{"tile", "32"}, {"transpose_a", "1"}, {"swizzle", "xor"}}},
      {"gemm_register", 256, 256, 128, {}},
  };
  return all;
}

std::uint64_t up(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

TEST_CASE("instructions, requests, sectors and wavefronts are the stream's totals, in every mode") {
  for (const Shape& shape : shapes()) {
    const auto made = kernel(shape.kernel, shape.parameters());
    const StreamSummary expected = summarise(*made);
    for (const Mode mode : {Mode::timing, Mode::counts})
      for (const Sample sample : {Sample::off, Sample::automatic}) {
        CAPTURE(shape.kernel);
        CAPTURE(static_cast<int>(mode));
        const SmCounters sm = run(h200(), *made, mode, sample).sm;
        for (std::size_t op = 0; op < sm.instructions.size(); ++op)
          CHECK(sm.instructions[op] == up(expected.executed[op]));
        CHECK(sm.of(AccessKind::global_load).requests == up(expected.global_load_requests));
        CHECK(sm.of(AccessKind::global_load).sectors == up(expected.global_load_sectors));
        CHECK(sm.of(AccessKind::global_store).requests == up(expected.global_store_requests));
        CHECK(sm.of(AccessKind::global_store).sectors == up(expected.global_store_sectors));
        CHECK(sm.of(AccessKind::shared_load).wavefronts == up(expected.shared_load_wavefronts));
        CHECK(sm.of(AccessKind::shared_load).ideal == up(expected.shared_load_ideal));
        CHECK(sm.of(AccessKind::shared_store).wavefronts == up(expected.shared_store_wavefronts));
        CHECK(sm.of(AccessKind::shared_store).ideal == up(expected.shared_store_ideal));
        CHECK(sm.ctas == up(made->launch().grid.count()));
      }
  }
}

TEST_CASE("A and B must come from HBM once; C goes to L2 sector by sector") {
  for (const Shape& shape : shapes())
    for (const Mode mode : {Mode::timing, Mode::counts}) {
      CAPTURE(shape.kernel);
      const RunOutcome outcome = run(h200(), *kernel(shape.kernel, shape.parameters()), mode);
      const std::int64_t a_and_b = 4 * (shape.m * shape.k + shape.k * shape.n);
      CHECK(outcome.memory.hbm.read_bytes >= up(a_and_b));
      CHECK(outcome.memory.hbm.read_bytes <= up(a_and_b + a_and_b / 20 + 4096));  // everything fits in L2
      CHECK(outcome.memory.l2.write_sectors + outcome.sm.joined_sectors ==
            outcome.sm.of(AccessKind::global_store).sectors);
      CHECK(outcome.memory.l2.write_sectors * 32 >= up(4 * shape.m * shape.n));
      // Threads of the naive and tiled kernels hold one column each, so that no sector is written in two goes.
      if (shape.n % 8 == 0 && shape.kernel != "gemm_register")
        CHECK(outcome.memory.l2.write_sectors * 32 == up(4 * shape.m * shape.n));
    }
}

TEST_CASE("what L1 does not hold comes from L2, and each level asks for no more than the one above") {
  for (const Shape& shape : shapes())
    for (const Mode mode : {Mode::timing, Mode::counts}) {
      CAPTURE(shape.kernel);
      const RunOutcome outcome = run(h200(), *kernel(shape.kernel, shape.parameters()), mode);
      CHECK(outcome.sm.fill_sectors + outcome.sm.of(AccessKind::global_load).hit_sectors ==
            outcome.sm.of(AccessKind::global_load).sectors);
      CHECK(outcome.memory.l2.read_sectors <= outcome.sm.fill_sectors);  // the coalescer takes some away
      CHECK(outcome.memory.l2.read_hit_sectors <= outcome.memory.l2.read_sectors);
      CHECK(outcome.memory.l2.fabric_hit_sectors <= outcome.memory.l2.fabric_sectors);
    }
  const GpuSpec a100 = gpu("a100");  // no coalescer
  const RunOutcome outcome = run(a100, *kernel("gemm_tiled", shapes()[2].parameters()), Mode::timing);
  CHECK(outcome.memory.l2.read_sectors == outcome.sm.fill_sectors);
}

TEST_CASE("every cycle of a warp's residence has a reason") {
  for (const Shape& shape : shapes()) {
    CAPTURE(shape.kernel);
    const SmCounters sm = run(h200(), *kernel(shape.kernel, shape.parameters()), Mode::timing).sm;
    std::uint64_t accounted = 0;
    for (const std::uint64_t cycles : sm.stall_cycles) accounted += cycles;
    CHECK(accounted == sm.warp_cycles);
    CHECK(sm.stall_cycles[static_cast<std::size_t>(Stall::selected)] == sm.total_instructions());
  }
}

TEST_CASE("the timeline has every CTA once, on an SM that had room") {
  const auto made = kernel("gemm_tiled", {{"M", "512"}, {"N", "1024"}, {"K", "32"}});
  const RunOutcome outcome = run(h200(), *made, Mode::timing);
  std::vector<int> seen(static_cast<std::size_t>(made->launch().grid.count()));
  REQUIRE(outcome.timeline.size() == seen.size());
  for (const FinishedCta& cta : outcome.timeline) {
    ++seen.at(static_cast<std::size_t>(cta.cta));
    CHECK(cta.start < cta.end);
    std::int64_t together = 0;
    for (const FinishedCta& other : outcome.timeline)
      together += other.sm == cta.sm && other.start <= cta.start && cta.start < other.end ? 1 : 0;
    CHECK(together <= outcome.occupancy.ctas_per_sm);
  }
  CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
}
