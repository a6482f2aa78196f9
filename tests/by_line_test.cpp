// Counters per instruction and per line of source code: their sums are the run's, and each counter stands at the
// instruction that caused it.
#include <algorithm>
#include <array>

#include "engine_runs.h"
#include "hand_made_kernel.h"
#include "kernel_walk.h"
#include "sass_runs.h"
#include "sim/results/line_report.h"
#include "sim/results/source_files.h"
#include "traces/file/trace_reader.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

constexpr std::uint64_t kBuffer = 1U << 30;

// Four SMs and 4 MiB of L2: quick to set up.
const GpuSpec& small_gpu() {
  static const GpuSpec spec = gpu("h200", {"sm.gpcs=[4]", "l2.size_mib=4"});
  return spec;
}

RunOutcome run_attributed(const Kernel& kernel, Mode mode, Sample sample = Sample::off, int threads = 1) {
  RunOptions options;
  options.mode = mode;
  options.sample = sample;
  options.threads = threads;
  options.by_instruction = true;
  return simulate(small_gpu(), kernel, options);
}

std::vector<std::uint64_t> numbers(const WorkCounters& c) {
  std::vector<std::uint64_t> all = {c.of(AccessKind::shared_load).wavefronts,
                                    c.of(AccessKind::shared_load).ideal,
                                    c.of(AccessKind::shared_store).wavefronts,
                                    c.of(AccessKind::shared_store).ideal,
                                    c.of(AccessKind::global_load).requests,
                                    c.of(AccessKind::global_load).sectors,
                                    c.of(AccessKind::global_load).hit_sectors,
                                    c.of(AccessKind::global_store).requests,
                                    c.of(AccessKind::global_store).sectors,
                                    c.fill_sectors,
                                    c.tag_cycles,
                                    c.data_wavefronts};
  all.insert(all.end(), c.stall_cycles.begin(), c.stall_cycles.end());
  return all;
}

void check_sums(const Kernel& kernel, const RunOutcome& outcome) {
  REQUIRE(outcome.instructions.size() == kernel.code().size());
  InstructionCounters sum;
  std::array<std::uint64_t, kOpClasses> by_class{};
  for (std::size_t i = 0; i < outcome.instructions.size(); ++i) {
    sum += outcome.instructions[i];
    by_class[static_cast<std::size_t>(kernel.code()[i].op)] += outcome.instructions[i].executed;
  }
  CHECK(numbers(sum) == numbers(outcome.sm));
  CHECK(by_class == outcome.sm.instructions);
}

// What the address of an instruction decides, the same in both engines.
std::vector<std::uint64_t> fixed(const InstructionCounters& c) {
  return {c.executed,
          c.of(AccessKind::shared_load).wavefronts,
          c.of(AccessKind::shared_load).ideal,
          c.of(AccessKind::shared_store).wavefronts,
          c.of(AccessKind::shared_store).ideal,
          c.of(AccessKind::global_load).requests,
          c.of(AccessKind::global_load).sectors,
          c.of(AccessKind::global_store).requests,
          c.of(AccessKind::global_store).sectors,
          c.tag_cycles,
          c.data_wavefronts};
}

struct NamedKernel {
  const char* name;
  std::unique_ptr<Kernel> kernel;
};

// Two kinds of warps, barriers, bank conflicts, misses, a load with every lane off.
std::unique_ptr<Kernel> mixed() {
  const Program loads = {load_global(strided(kBuffer, 128)).sets(0),
                         step(OpClass::fma).waits_for(0),
                         load_shared(strided(0, 8)).sets(1),
                         step(OpClass::barrier),
                         load_global(strided(kBuffer, 4, 4, 0)),
                         step(OpClass::shared_store, {strided(0, 128)}),
                         step(OpClass::barrier)};
  const Program stores = {store_global(strided(kBuffer + 65536, 4)), step(OpClass::barrier), step(OpClass::barrier)};
  return std::make_unique<HandMadeKernel>(5, 96, std::vector<Program>{loads, stores},
                                          [](std::int64_t, int warp) { return warp == 2 ? 1U : 0U; });
}

std::vector<NamedKernel> kernels() {
  std::vector<NamedKernel> all;
  all.push_back({"generator", test::kernel("gemm_tiled", {{"M", "64"}, {"N", "64"}, {"K", "64"}, {"tile", "16"}})});
  all.push_back({"hand made", mixed()});
  all.push_back({"trace", open_trace(TILESCOPE_SOURCE_DIR "/traces/samples/tiny.tst")});
  all.push_back({"compiled", sass_kernel(sass_samples + "through_shared.yaml")});
  return all;
}

const std::string kTiled =
    "grid: [2, 2]\nblock: [32, 32]\nargs: [{buffer: 16KiB}, {buffer: 16KiB}, {buffer: 16KiB}, 64, 64, 64]\n";

}  // namespace

TEST_CASE("counters of the instructions add up to the run's, whatever makes the instructions") {
  for (const auto& [name, kernel] : kernels()) {
    CAPTURE(name);
    for (const auto& [mode, sample] : {std::pair{Mode::timing, Sample::off}, std::pair{Mode::counts, Sample::off},
                                       std::pair{Mode::timing, Sample::automatic}})
      check_sums(*kernel, run_attributed(*kernel, mode, sample));
  }
}

TEST_CASE("counting by instruction changes nothing else, and threads change nothing at all") {
  for (const auto& [name, kernel] : kernels()) {
    CAPTURE(name);
    for (const Mode mode : {Mode::timing, Mode::counts}) {
      const RunOutcome one = run_attributed(*kernel, mode), three = run_attributed(*kernel, mode, Sample::off, 3);
      CHECK(test::numbers(one) == test::numbers(run(small_gpu(), *kernel, mode)));
      CHECK(run(small_gpu(), *kernel, mode).instructions.empty());
      REQUIRE(one.instructions.size() == three.instructions.size());
      for (std::size_t i = 0; i < one.instructions.size(); ++i) {
        CHECK(one.instructions[i].executed == three.instructions[i].executed);
        CHECK(numbers(one.instructions[i]) == numbers(three.instructions[i]));
      }
    }
  }
}

TEST_CASE("both engines agree on each instruction where time has no say") {
  for (const auto& [name, kernel] : kernels()) {
    CAPTURE(name);
    const RunOutcome timed = run_attributed(*kernel, Mode::timing), counted = run_attributed(*kernel, Mode::counts);
    for (std::size_t i = 0; i < timed.instructions.size(); ++i) {
      CAPTURE(i);
      if (kernel->code()[i].op != OpClass::barrier && kernel->code()[i].op != OpClass::exit)
        CHECK(fixed(timed.instructions[i]) == fixed(counted.instructions[i]));
    }
  }
}

TEST_CASE("each counter stands at the instruction that caused it, a stall at the one that waits") {
  const auto kernel = mixed();
  const RunOutcome outcome = run_attributed(*kernel, Mode::timing);
  const auto& at = outcome.instructions;
  constexpr std::uint64_t warps = 10;  // of five CTAs, two each
  CHECK(at[0].executed == warps);
  CHECK(at[0].of(AccessKind::global_load).requests == warps);
  CHECK(at[0].of(AccessKind::global_load).sectors == 32 * warps);
  CHECK(at[0].fill_sectors + at[0].of(AccessKind::global_load).hit_sectors == 32 * warps);
  const auto stalls = [&](std::size_t i, Stall stall) { return at[i].stall_cycles[static_cast<std::size_t>(stall)]; };
  CHECK(stalls(1, Stall::long_scoreboard) == outcome.sm.stall_cycles[static_cast<std::size_t>(Stall::long_scoreboard)]);
  CHECK(stalls(1, Stall::long_scoreboard) > 400 * warps);
  CHECK(at[2].of(AccessKind::shared_load).wavefronts == 2 * warps);
  CHECK(at[2].of(AccessKind::shared_load).ideal == warps);
  CHECK(at[4].of(AccessKind::global_load).requests == 0);
  CHECK(at[4].data_wavefronts == warps);
  CHECK(at[5].of(AccessKind::shared_store).wavefronts == 32 * warps);
  CHECK(at[8].executed == 5);
  CHECK(at[8].of(AccessKind::global_store).sectors == 4 * 5);
  CHECK(stalls(4, Stall::barrier) + stalls(7, Stall::barrier) + stalls(10, Stall::barrier) +
            stalls(11, Stall::barrier) ==
        outcome.sm.stall_cycles[static_cast<std::size_t>(Stall::barrier)]);
}

TEST_CASE("stalls of a sample grow to the whole launch without losing any to rounding") {
  std::vector<InstructionCounters> whole(3), timed(3);
  const auto wait = static_cast<std::size_t>(Stall::wait);
  timed[0].stall_cycles[wait] = timed[1].stall_cycles[wait] = timed[2].stall_cycles[wait] = 1;
  take_grown_stalls(whole, timed, 0.7);
  CHECK(whole[0].stall_cycles[wait] + whole[1].stall_cycles[wait] + whole[2].stall_cycles[wait] == grown(3, 0.7));
  CHECK(grown(3, 0.7) == 4);
}

TEST_CASE("the report shows each instruction of a listing once, with its text") {
  const auto kernel = sass_kernel(sass_samples + "through_shared.yaml");
  const RunOutcome outcome = run_attributed(*kernel, Mode::counts);
  const LineReport report = report_lines(*kernel, outcome.instructions, By::instruction);
  CHECK(report.rows.size() < kernel->code().size());  // the second form of each EXIT is folded into the first
  std::uint64_t executed = 0, exits = 0;
  std::uint32_t address = 0;
  for (const LineRow& row : report.rows) {
    CHECK(row.source.address == address);
    address += 16;
    executed += row.counters.executed;
    if (row.source.text.find("EXIT") != std::string::npos) exits += row.counters.executed;
  }
  CHECK(executed == outcome.sm.total_instructions());
  const Launch& launch = kernel->launch();
  CHECK(exits >= static_cast<std::uint64_t>(launch.grid.count() * launch.warps_per_cta()));
}

TEST_CASE("by source line: the instructions of a line are added up, files in order, lines ascending") {
  const SassScratch scratch;
  const auto kernel = sass_kernel(scratch.write(
      "lines.yaml",
      "kernel: {sass: " + sass_samples + "gemm_tiled.sm_80.sass, registers: 32, static_smem: 8192}\n" + kTiled));
  CHECK(knows_source_lines(*kernel));
  const RunOutcome outcome = run_attributed(*kernel, Mode::counts);
  const LineReport lines = report_lines(*kernel, outcome.instructions, By::source);
  REQUIRE(lines.rows.size() > 5);
  CHECK(std::is_sorted(lines.rows.begin(), lines.rows.end(),
                       [](const LineRow& a, const LineRow& b) { return a.source.line < b.source.line; }));
  std::size_t instructions = 0;
  std::uint64_t executed = 0;
  const LineRow* product = nullptr;
  for (const LineRow& row : lines.rows) {
    CHECK(row.source.file.ends_with("gemm_tiled.cuh"));
    instructions += row.instructions;
    executed += row.counters.executed;
    if (product == nullptr || row.instructions > product->instructions) product = &row;
  }
  CHECK(instructions == 128);
  CHECK(executed == outcome.sm.total_instructions());
  // The product of the tiles: all shared loads, 32 of A and 32 of B per step.
  CHECK(product->counters.of(AccessKind::shared_load).wavefronts == outcome.sm.of(AccessKind::shared_load).wavefronts);
  CHECK(product->counters.of(AccessKind::global_load).requests == 0);
}

TEST_CASE("source text is read where the marker says, beside the listing, or not at all") {
  const SassScratch scratch;
  scratch.write("own.cu", "first\n  second line  \n");
  CHECK(SourceFiles(scratch.path.string()).text_of("own.cu", 2) == "second line");
  CHECK(SourceFiles(scratch.path.string()).text_of("/nowhere/own.cu", 1) == "first");
  CHECK(SourceFiles("").text_of((scratch.path / "own.cu").string(), 1) == "first");
  CHECK(SourceFiles("").text_of("/nowhere/own.cu", 1).empty());
  CHECK(SourceFiles(scratch.path.string()).text_of("own.cu", 3).empty());
  CHECK(SourceFiles(scratch.path.string()).text_of("own.cu", 0).empty());
  CHECK(SourceFiles(scratch.path.string()).text_of("", 1).empty());
}

TEST_CASE("the hottest lines come first") {
  const auto kernel = mixed();
  LineReport report = report_lines(*kernel, run_attributed(*kernel, Mode::timing).instructions, By::instruction);
  const std::uint64_t all = report.total.stall_cycles();
  report.keep_hottest(3);
  REQUIRE(report.rows.size() == 3);
  CHECK(report.rows[0].source.index == 1);  // waits for global memory
  CHECK(report.rows[0].main_stall() == Stall::long_scoreboard);
  CHECK(report.heat(report.rows[0]) >= report.heat(report.rows[1]));
  CHECK(report.heat(report.rows[1]) >= report.heat(report.rows[2]));
  CHECK(report.total.stall_cycles() == all);
  CHECK_FALSE(knows_source_lines(*kernel));
}
