// Counters of single instructions against Nsight Compute's source page (gpu/measured/h200/instructions.csv).
//
// Exact, instruction by instruction: how often it was executed, and the global sectors it asked for. Stalls of
// gemm_tiled: the hardware samples warps, so a share of all samples has a standard error; the ten instructions with
// most of them must be the hottest here too.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "engine_runs.h"
#include "models/support/text_file.h"
#include "sim/studies/measured/csv_text.h"
#include "sim/studies/measured/kernel_mapping.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Line {
  std::string instruction;
  std::uint64_t executed = 0, global_sectors = 0, samples = 0;
};

// By kernel, in order of address.
std::map<std::string, std::vector<Line>> measured_lines() {
  const std::string path = TILESCOPE_SOURCE_DIR "/gpu/measured/h200/instructions.csv";
  const auto text = read_text_file(path);
  REQUIRE(text.has_value());
  Diagnostics errors;
  const auto records = parse_csv(
      *text, path, 1, [](std::string_view line) { return line.starts_with("#"); }, errors);
  REQUIRE(errors.empty());
  const auto field = [&](const CsvRecord& record, const char* name) {
    for (std::size_t i = 0; i < records[0].size(); ++i)
      if (records[0][i].text == name) return record.at(i).text;
    FAIL("no column " << name);
    return std::string();
  };
  std::map<std::string, std::vector<Line>> lines;
  for (auto record = records.begin() + 1; record != records.end(); ++record)
    lines[field(*record, "kernel")].push_back({field(*record, "instruction"), std::stoull(field(*record, "executed")),
                                               std::stoull(field(*record, "global_sectors")),
                                               std::stoull(field(*record, "samples"))});
  return lines;
}

RunOutcome run_lines(const std::string& name, const char* size, Dim3 grid, Dim3 block, Mode mode) {
  const auto mapping = KernelMapping::read(TILESCOPE_SOURCE_DIR "/gpu/measured/compiled.yaml");
  REQUIRE(mapping.has_value());
  Measurement row;
  row.kernel = name;
  row.columns = {{"m", size}, {"n", size}, {"k", size}, {"group", "1"}};
  row.grid = grid;
  row.block = block;
  const auto mapped = mapping->map(row);
  REQUIRE(mapped.has_value());
  const auto kernel = make_kernel(*mapped);
  REQUIRE(kernel.has_value());
  RunOptions options;
  options.mode = mode;
  options.sample = Sample::off;
  options.threads = 2;
  options.by_instruction = true;
  return simulate(h200(), **kernel, options);
}

}  // namespace

TEST_CASE("every instruction is executed and asks for sectors as often as the hardware says") {
  const auto measured = measured_lines();
  struct {
    const char *name, *size;
    Dim3 grid, block;
  } const kernels[] = {{"gemm_tiled_t32_a0_b0", "1024", {32, 32, 1}, {32, 32, 1}},
                       {"gemm_register_64x64x8_4x4_v4", "512", {8, 8, 1}, {256, 1, 1}},
                       {"gemm_tensor_128x128x32", "1024", {8, 8, 1}, {256, 1, 1}}};
  for (const auto& [name, size, grid, block] : kernels) {
    CAPTURE(name);
    const RunOutcome outcome = run_lines(name, size, grid, block, Mode::counts);
    const std::vector<Line>& lines = measured.at(name);
    REQUIRE(outcome.instructions.size() >= lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      CAPTURE(i);
      CAPTURE(lines[i].instruction);
      InstructionCounters here = outcome.instructions[i];
      // A warp's last EXIT stands behind the listing's instructions.
      if (lines[i].instruction == "EXIT" && i + 1 < lines.size() && lines[i + 1].instruction.starts_with("BRA"))
        here += outcome.instructions.back();
      CHECK(here.executed == lines[i].executed);
      CHECK(here.of(AccessKind::global_load).sectors + here.of(AccessKind::global_store).sectors ==
            lines[i].global_sectors);
    }
  }
}

TEST_CASE("warps wait where the hardware's samples say") {
  const std::vector<Line> lines = measured_lines().at("gemm_register_64x64x8_4x4_v4");
  const RunOutcome outcome = run_lines("gemm_register_64x64x8_4x4_v4", "512", {8, 8, 1}, {256, 1, 1}, Mode::timing);
  double all_here = 0, all_there = 0, in_common = 0;
  const auto here = [&](std::size_t i) {
    double sum = 0;
    for (const std::uint64_t cycles : outcome.instructions[i].stall_cycles) sum += static_cast<double>(cycles);
    return sum;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    all_here += here(i);
    all_there += static_cast<double>(lines[i].samples);
  }
  for (std::size_t i = 0; i < lines.size(); ++i)
    in_common += std::min(here(i) / all_here, static_cast<double>(lines[i].samples) / all_there);
  INFO("share of warp cycles at the same instructions: " << in_common);
  CHECK(in_common > 0.75);  // 0.78
}
