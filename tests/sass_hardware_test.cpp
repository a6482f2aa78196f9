// Twenty kernels that together use most of what nvcc emits, executed here and on an H200: what they write, bit for bit,
// and what Nsight Compute counted, exactly.
#include <fmt/format.h>

#include "published.h"
#include "sass_runs.h"

using namespace tilescope;

namespace {

std::string launch_file(const test::SassScratch& scratch, const std::string& kernel, int architecture) {
  return scratch.write(
      fmt::format("{}.{}.yaml", kernel, architecture),
      fmt::format(
          "kernel: {{sass: {0}probe.sm_{2}.sass, elf: {0}probe.sm_{2}.elf, name: {1}}}\ngrid: [2]\nblock: [128]\n"
          "dynamic_smem: 1024\nargs: [{{buffer: 64KiB, init: zero}}, {{buffer: 64KiB, file: in.bin}}, 256]\n",
          test::sass_data, kernel, architecture));
}

// Not here: bulk, which has a listing of its own. approx: MUFU is exact here, an approximation on hardware.
bool executed(const std::string& kernel) { return kernel != "bulk"; }

}  // namespace

TEST_CASE("every value that the kernels write is the hardware's") {
  const test::SassScratch scratch;
  scratch.write("in.bin", test::probe_input());
  for (const int architecture : {80, 90}) {
    for (auto& row : test::sass_table("probe_h200.csv")) {
      const std::string kernel = row["kernel"];
      if (!executed(kernel) || kernel == "approx") continue;
      CAPTURE(architecture);
      CAPTURE(kernel);
      auto launch = sass::read_launch_file(launch_file(scratch, kernel, architecture), true);
      if (!launch) FAIL(to_string(launch.error()));
      sass::execute_grid(launch->program, launch->launch, launch->memory, launch->shared_bytes);
      std::vector<std::uint8_t>& written = launch->memory.buffers[0].bytes;
      written.resize(test::kProbeWords * 4);
      CHECK(fmt::format("{:016x}", test::probe_hash(written)) == row["output_hash"]);
    }
  }
}

TEST_CASE("instructions, requests, sectors and wavefronts are those that the hardware counted") {
  const test::SassScratch scratch;
  scratch.write("in.bin", test::probe_input());
  for (auto& row : test::sass_table("probe_h200.csv")) {
    const std::string kernel = row["kernel"];
    if (!executed(kernel) || kernel == "calls") continue;
    CAPTURE(kernel);
    const auto compiled = test::sass_kernel(launch_file(scratch, kernel, 90));
    auto published = test::published(*compiled);
    int counters = 0;
    for (const auto& [counter, value] : row) {
      if (!counter.ends_with(".sum")) continue;
      CAPTURE(counter);
      CHECK(published.at(counter) == std::stod(value));
      ++counters;
    }
    CHECK(counters == 16);
  }
}

TEST_CASE("recursion of lanes in up to three groups executes what the hardware counted") {
  const test::SassScratch scratch;
  for (auto& row : test::sass_table("recursion_h200.csv")) {
    CAPTURE(row["kernel"]);
    CAPTURE(row["lanes"]);
    std::string lanes(128, '\0');
    for (std::size_t l = 0; l < 32; ++l) lanes[4 * l] = static_cast<char>(row["lanes"][l] - '0');
    scratch.write("lanes.bin", lanes);
    const std::string file = scratch.write(
        "recursion.yaml", fmt::format("kernel: {{sass: {}recursion.sm_90.sass, name: {}}}\ngrid: [1]\nblock: [32]\n"
                                      "args: [{{buffer: 4KiB}}, {{buffer: 4KiB, file: lanes.bin}}]\n",
                                      test::sass_data, row["kernel"]));
    CHECK(test::published(*test::sass_kernel(file))["smsp__inst_executed.sum"] ==
          std::stod(row["smsp__inst_executed.sum"]));
  }
}

TEST_CASE("a warp whose lanes part, meet and exit executes what the hardware counted") {
  const test::SassScratch scratch;
  for (auto& row : test::sass_table("meetings/meetings_h100.csv")) {
    CAPTURE(row["kernel"]);
    CAPTURE(row["trips"]);
    CAPTURE(row["finds"]);
    const bool sorts = row["kernel"] == "sorted";
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string trips(128, '\0'), marks(4096, '\0');
    for (std::size_t l = 0; l < 32; ++l) {
      trips[4 * l] = static_cast<char>(digit(row["trips"][l]));
      if (const char find = row["finds"][l]; find != '-')
        marks[4 * (32 * static_cast<std::size_t>(digit(find)) + l)] = '\1';
    }
    if (sorts) trips[0] = static_cast<char>(16 * trips[0] + trips[4]);
    scratch.write("trips.bin", trips);
    scratch.write("marks.bin", marks);
    const std::string file = scratch.write(
        "meetings.yaml", fmt::format("kernel: {{sass: {}meetings/meetings.sm_90.sass, name: {}}}\ngrid: [1]\nblock: "
                                     "[{}]\nargs: [{{buffer: 4KiB, init: zero}}, {{buffer: 128, file: trips.bin}}, "
                                     "{{buffer: 4KiB, file: marks.bin}}]\n",
                                     test::sass_data, row["kernel"], sorts ? 16 : 32));
    CHECK(test::published(*test::sass_kernel(file))["smsp__inst_executed.sum"] ==
          std::stod(row["smsp__inst_executed.sum"]));
  }
}

TEST_CASE("recursion in more groups: known deviation, the hardware keeps lanes apart after the calls") {
  const test::SassScratch scratch;
  scratch.write("in.bin", test::probe_input());
  const auto kernel = test::sass_kernel(launch_file(scratch, "calls", 90));
  CHECK(test::published(*kernel)["smsp__inst_executed.sum"] == 9800);  // H200: 10176
}

TEST_CASE("a warp's stream begins anew as often as it is started, whether warps run alone or together") {
  const test::SassScratch scratch;
  scratch.write("in.bin", test::probe_input());
  for (const std::string kernel : {"divergent", "through_shared"}) {
    CAPTURE(kernel);
    const auto compiled = test::sass_kernel(launch_file(scratch, kernel, 90));
    const auto walk = [&](WarpStream& stream) {
      std::vector<std::uint64_t> seen;
      for (Segment segment; stream.next(segment);) {
        seen.push_back(segment.length);
        seen.push_back(segment.key);
        int operands = 0;
        for (std::uint32_t i = 0; i < segment.length; ++i) operands += memory_operands(segment.code[i].op);
        for (int i = 0; i < operands; ++i) seen.push_back(segment.operands[i].base);
      }
      return seen;
    };
    const auto one = compiled->make_stream(), other = compiled->make_stream();
    one->start(1, 2, Operands::all);
    other->start(1, 2, Operands::global);
    const auto first = walk(*one);
    CHECK(first == walk(*other));
    other->start(0, 0, Operands::all);
    walk(*other);
    other->start(1, 2, Operands::all);
    CHECK(first == walk(*other));
  }
}
