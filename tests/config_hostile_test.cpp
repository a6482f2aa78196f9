// Configurations that no one writes by hand: each is refused in one sentence, in time linear in its text.
#include <doctest/doctest.h>

#include <fstream>

#include "models/gpu_spec.h"
#include "models/occupancy.h"
#include "models/pipes.h"
#include "models/support/spec_hash.h"
#include "models/support/spec_reader.h"
#include "models/support/spec_tree.h"
#include "models/support/spec_writer.h"
#include "models/support/yaml_text.h"
#include "tests/cli_answer.h"
#include "tests/cpu_time.h"

using namespace tilescope;

namespace {

std::string refusal(const std::string& text) {
  const auto gpu = read_spec_text<GpuSpec>(text, "gpu.yaml");
  REQUIRE_FALSE(gpu.has_value());
  return to_string(gpu.error().front());
}

std::string h200() { return TILESCOPE_SOURCE_DIR "/configs/gpus/h200.yaml"; }

GpuSpec gpu_with(const std::vector<Override>& overrides) {
  const auto gpu = read_spec<GpuSpec>(h200(), overrides);
  REQUIRE(gpu.has_value());
  return *gpu;
}

std::string refused_setting(const std::string& path, const std::string& value) {
  const auto gpu = read_spec<GpuSpec>(h200(), {{path, value}});
  return gpu ? "" : to_string(gpu.error().front());
}

}  // namespace

TEST_CASE("a file that is not UTF-8 is refused at its first such byte, and what no file holds is still written") {
  CHECK(refusal("name: a\nbase: \xffx\n") == "gpu.yaml:2:7: error: got byte 0xff; must be UTF-8 text");
  GpuSpec gpu = gpu_with({});
  gpu.name = "A100 S\xf4M4";
  CHECK(to_yaml(spec_tree(gpu)).find("\"A100 S\xef\xbf\xbdM4\"") != std::string::npos);
  CHECK_NOTHROW(config_hash(spec_tree(gpu)));
}

TEST_CASE("an alias of what it stands in, and aliases that multiply, are refused where they are") {
  CHECK(refusal("clock: &a [*a]\n") ==
        "gpu.yaml:1:8: error: lists and maps are nested deeper than 100 levels (an alias of what it stands in?)");
  CHECK(refusal("&a sm: {gpcs: &b {x: *b}}\n").find("nested deeper than 100 levels") != std::string::npos);
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k == 0 ? "*a" : ", *a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  CHECK(refusal(bomb).find("the aliases repeat more than 1000000 values") != std::string::npos);
}

TEST_CASE("an alias of a value stands for it") {
  const auto document = parse_yaml("a: &n 12\nb: *n\n", "x.yaml");
  REQUIRE(document.has_value());
  CHECK((*document)["b"].Scalar() == "12");
}

TEST_CASE("lists within lists are refused, however deep") {
  for (const std::string open : {"[", "{a: ", "- ", "? "}) {
    std::string text;
    while (text.size() < (1U << 19U)) text += open;
    CAPTURE(open);
    CHECK(refusal(text).find("gpu.yaml:1:") == 0);
  }
}

TEST_CASE("a hundred thousand keys are read in linear time") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + ":\n";
  const CpuTime time;
  const auto gpu = read_spec_text<GpuSpec>(text, "gpu.yaml");
  REQUIRE_FALSE(gpu.has_value());
  CHECK(gpu.error().size() > 100'000);
  CHECK(time.seconds() < 20);
}

TEST_CASE("text that is not text is refused") {
  CHECK(refusal(std::string("name: a\0b\n", 10)).find("holds a NUL byte; must be YAML text") != std::string::npos);
  CHECK(refusal("name: \xff\xfe\n").find("gpu.yaml:1:7: error: got byte 0xff; must be UTF-8 text") == 0);
}

TEST_CASE("a number that is none, or out of range, is refused with the range") {
  struct {
    const char *path, *value;
  } const rows[] = {{"clock.sm_mhz", "nan"},
                    {"clock.sm_mhz", "inf"},
                    {"clock.sm_mhz", "1e308"},
                    {"clock.sm_mhz", "1e999"},
                    {"clock.sm_mhz", "-1"},
                    {"l2.slices", "0x10"},
                    {"l2.slices", "1e2"},
                    {"l2.slices", "99999999999999999999"},
                    {"l2.slices", "-5"},
                    {"sm.gpcs", "[1, [2]]"},
                    {"sm.gpcs", "[]"},
                    {"sm.gpcs", "&a [*a]"},
                    {"l2.replacement", "{a: b}"},
                    {"l2.size_mib", "[*a]"}};
  for (const auto& [path, value] : rows) {
    CAPTURE(path);
    CAPTURE(value);
    const std::string label = std::string("--set ") + path + "=" + value;
    CHECK(refused_setting(path, value).starts_with(label + ": error: " + path));
  }
}

TEST_CASE("every cycle count of the pipes is kept as it is, up to the end of its range") {
  const GpuSpec gpu = gpu_with({{"pipes.constant_latency_cycles", "400"},
                                {"pipes.special_latency_cycles", "200"},
                                {"pipes.tensor_latency_cycles", "200"},
                                {"pipes.xu_latency_cycles", "200"},
                                {"pipes.fp64_latency_cycles", "200"},
                                {"pipes.wide_issue_cycles", "32"},
                                {"pipes.uniform_issue_cycles", "32"},
                                {"pipes.uniform_operand_cycles", "32"},
                                {"pipes.fma_lanes", "1"}});
  const PipeTable pipes(gpu);
  CHECK(pipes[OpClass::constant_load].latency == 400);
  CHECK(pipes[OpClass::warp_special].latency == 200);
  CHECK(pipes[OpClass::tensor].latency == 200);
  CHECK(pipes[OpClass::xu].latency == 200);
  CHECK(pipes[OpClass::fp64].latency == 200);
  CHECK(pipes[OpClass::imad_wide].dispatch == 32);
  CHECK(pipes[OpClass::uniform].interval == 32);
  CHECK(pipes[OpClass::fma].interval == 32);
}

TEST_CASE("a GPU whose limits can not hold a CTA is refused with the limit, before anything is simulated") {
  struct {
    const char *setting, *reason;
  } const rows[] = {
      {"sm.max_warps=4", "a CTA of 8 warps does not fit into an SM of 4 (sm.max_warps)"},
      {"sm.max_threads=128", "a CTA of 8 warps does not fit into an SM of 128 threads (sm.max_threads)"},
      {"sm.registers=1024", "8 warps of 32 registers per thread need 8192 registers, 7168 more than the SM's 1024"},
      {"shared.reserved_per_cta_bytes=65536", ""}};
  for (const auto& [setting, reason] : rows) {
    CAPTURE(setting);
    const CliAnswer answer = ask({"run", "gemm_naive", "-p", "M=64", "-p", "N=64", "-p", "K=8", "-p", "block_x=32",
                                  "-p", "block_y=8", "--set", setting, "--mode", "counts"});
    if (std::string(reason).empty())
      CHECK(answer.code == 0);
    else
      CHECK(refused(answer, reason));
  }
  GpuSpec gpu = gpu_with({{"shared.reserved_per_cta_bytes", "65536"}});
  const std::string problem = "do not fit into an SM's";
  const auto problems = launch_problems(gpu, {32, 32, gpu.shared.max_per_cta_kib * 1024});
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().find(problem) != std::string::npos);
}

TEST_CASE("more shared memory than the data array it lies in is a contradiction") {
  CHECK(refused_setting("l1.size_kib", "257") == "");
  CHECK(refused_setting("shared.max_per_sm_kib", "4096").find("max_per_sm_kib must not exceed l1.size_kib") !=
        std::string::npos);
}
