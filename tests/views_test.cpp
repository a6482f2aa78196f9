// Roofline, occupancy and traffic: closed forms of small launches, and what the command line answers with them.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli_answer.h"
#include "models/gpu_totals.h"
#include "models/support/spec_reader.h"
#include "sim/results/executed_flop.h"
#include "sim/results/launch_bytes.h"
#include "sim/results/occupancy_report.h"
#include "sim/results/roofline.h"
#include "traces/kernels/registry.h"

using namespace tilescope;

namespace {

GpuSpec gpu_named(const std::string& name) {
  return *read_spec<GpuSpec>(std::string(TILESCOPE_SOURCE_DIR) + "/configs/gpus/" + name + ".yaml");
}

std::unique_ptr<Kernel> square(const std::string& name, std::int64_t n, ParameterTexts parameters = {}) {
  for (const char* size : {"M", "N", "K"}) parameters[size] = std::to_string(n);
  return std::move(*make_kernel(name, parameters));
}

nlohmann::json view_json(const std::string& view, std::vector<std::string> words) {
  words.insert(words.begin(), "run");
  for (const char* more : {"--view", view.c_str(), "--format", "json", "-p", "M=64", "-p", "N=64", "-p", "K=64"})
    words.emplace_back(more);
  return nlohmann::json::parse(ask(words).out);
}

// The value of a row of gpu/measured/GPU/microbench.csv.
double measured_row(const std::string& gpu, const std::string& begin) {
  std::ifstream file(std::string(TILESCOPE_SOURCE_DIR) + "/gpu/measured/" + gpu + "/microbench.csv");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(begin + ",")) {
      const std::size_t unit = line.rfind(','), value = line.rfind(',', unit - 1);
      return std::stod(line.substr(value + 1, unit - value - 1));
    }
  return 0;
}

}  // namespace

TEST_CASE("naive GEMM asks for 2 N^3 elements, tiles for 2 N^3 / T; both need each element once") {
  constexpr std::int64_t n = 64;
  constexpr double cube = 2.0 * n * n * n * 4, matrix = n * n * 4;
  const LaunchBytes naive = launch_bytes(*square("gemm_naive", n));
  CHECK(naive.global_read == cube);
  CHECK(naive.global_written == matrix);
  CHECK(naive.shared_read == 0);
  CHECK(naive.least_read == 2 * matrix);
  CHECK(naive.least_written == matrix);
  for (const int tile : {4, 8, 16, 32}) {
    CAPTURE(tile);
    const LaunchBytes tiled = launch_bytes(*square("gemm_tiled", n, {{"tile", std::to_string(tile)}}));
    CHECK(tiled.global_read == cube / tile);
    CHECK(tiled.shared_written == cube / tile);
    CHECK(tiled.shared_read == cube);
    CHECK(tiled.least_read == 2 * matrix);
  }
}

TEST_CASE("a part of the CTAs stands for all, and then the least is not known") {
  const LaunchBytes some = launch_bytes(*square("gemm_naive", 64), 1000);
  CHECK(some.ctas_walked < 16);
  CHECK(some.global_read == 2.0 * 64 * 64 * 64 * 4);
  CHECK_FALSE(some.least_read.has_value());
}

TEST_CASE("the occupancy report says what less of a resource brings, and the model agrees") {
  const GpuSpec gpu = gpu_named("h200");
  const CtaResources cta{.threads = 256, .registers_per_thread = 128, .shared_bytes = 60000};
  const OccupancyReport report = occupancy_report(gpu, cta);
  CHECK(report.now.ctas_per_sm == 2);
  CHECK(report.now.limiter == "registers");
  REQUIRE(report.registers_for_more.has_value());
  CtaResources other = cta;
  other.registers_per_thread = *report.registers_for_more;
  CHECK(occupancy(gpu, other).ctas_per_sm == 3);
  ++other.registers_per_thread;
  CHECK(occupancy(gpu, other).ctas_per_sm == 2);
  CHECK_FALSE(report.shared_for_more.has_value());  // registers stay in the way
  CHECK(report.registers_for_same == 128);
  other = cta;
  other.shared_bytes = report.shared_for_same + gpu.shared.allocation_unit_bytes;
  CHECK((!launch_problems(gpu, other).empty() || occupancy(gpu, other).ctas_per_sm == 1));
  CHECK(report.by_block.size() == 10);
}

TEST_CASE("a kernel stands under the roof of the level that allows least") {
  const auto view = view_json("roofline", {"gemm_tiled"});
  const auto& kernel = view["kernels"][0];
  const double flop = 2.0 * 64 * 64 * 64;
  CHECK(kernel["flop"] == flop);
  double least = 1e300;
  std::string roof;
  for (const auto& level : kernel["levels"]) {
    CHECK(level["flop_per_byte"].get<double>() == doctest::Approx(flop / level["bytes"].get<double>()));
    if (level["allows_flop_per_second"] < least) {
      least = level["allows_flop_per_second"];
      roof = level["level"];
    }
  }
  CHECK(kernel["roof"] == roof);
  CHECK(kernel["roof_flop_per_second"] == least);
  CHECK(kernel["flop_per_second"] < least);
  CHECK(kernel["arithmetic"] == "fp32");
}

TEST_CASE("work that a launch does not state is counted: within 1 % of 2 N^3 for a compiled GEMM of N = 256") {
  const std::string sample = std::string(TILESCOPE_SOURCE_DIR) + "/traces/samples/sass/gemm_naive.yaml";
  const auto view = nlohmann::json::parse(ask({"run", sample, "--view", "roofline", "--format", "json"}).out);
  CHECK(view["kernels"][0]["flop"].get<double>() == doctest::Approx(2.0 * 256 * 256 * 256).epsilon(0.01));
}

TEST_CASE("an addition is one operation, a multiply-add two, for each lane") {
  const struct {
    OpClass op;
    const char* text;
    double flop;
  } rows[] = {{OpClass::fma, "FFMA R1, R2, R3, R4", 64},
              {OpClass::fma, "FADD R1, R2, R3", 32},
              {OpClass::fma, "fma", 64},
              {OpClass::half, "HFMA2 R1, R2, R3, R4", 128},
              {OpClass::half_tensor, "HFMA2.MMA R1, R2, R3, R4", 128},
              {OpClass::half_tensor, "HFMA2.MMA R10, -RZ, RZ, 0, 0", 0},
              {OpClass::fp64, "DADD R2, R4, R6", 32},
              {OpClass::alu, "IADD3 R1, R2, R3, R4", 0}};
  for (const auto& row : rows) {
    CAPTURE(row.text);
    Instruction instruction;
    instruction.op = row.op;
    CHECK(flop_of(instruction, row.text) == row.flop);
  }
}

TEST_CASE("measured ceilings of the YAML are what the microbenchmarks gave, and below the nominal ones") {
  for (const std::string name : {"h100", "h200"}) {
    CAPTURE(name);
    const GpuSpec gpu = gpu_named(name);
    const double cycles = static_cast<double>(gpu.sm.count()) * gpu.clock.sm_mhz * 1e6;
    const auto near = [](double value) { return doctest::Approx(value).epsilon(0.002); };
    CHECK(gpu.measured.fp32_tflops ==
          near(64 * cycles / measured_row(name, "arithmetic,op=ffma;chains=8;warps=32,cycles_per_instruction") / 1e12));
    CHECK(gpu.measured.fp64_tflops ==
          near(64 * cycles / measured_row(name, "arithmetic,op=dfma;chains=8;warps=32,cycles_per_instruction") / 1e12));
    CHECK(gpu.measured.shared_gbs ==
          near(128 * cycles / 1e9 /
               measured_row(name, "throughput_shared,op=ld;bits=32;ways=1;warps=8,cycles_per_instruction")));
    CHECK(gpu.measured.l2_gbs == near(measured_row(name, "bandwidth,op=read;readers=one;mib=36,rate")));
    CHECK(gpu.measured.hbm_gbs == near(measured_row(name, "bandwidth,op=read;readers=one;mib=1024,rate")));
    const Ceilings all = ceilings(gpu);
    for (const auto& list : {all.memory, all.arithmetic})
      for (const Ceiling& one : list) CHECK(one.value() <= one.nominal);
  }
}

TEST_CASE("every view answers in text, JSON and SVG, for several kernels") {
  for (const std::string view : {"roofline", "occupancy", "traffic"}) {
    CAPTURE(view);
    const auto json = view_json(view, {"gemm_naive", "gemm_tiled:tile=16"});
    CHECK(json["schema"] == "tilescope." + view + "/1");
    CHECK(json["kernels"].size() == 2);
    const CliAnswer svg = ask({"run", "gemm_naive", "gemm_tiled:tile=16", "-p", "M=64", "-p", "N=64", "-p", "K=64",
                               "--view", view, "--format", "svg"});
    CHECK(svg.code == 0);
    CHECK(svg.out.starts_with("<svg "));
    CHECK(svg.out.ends_with("</svg>\n"));
    CHECK(svg.out.find("gemm_tiled:tile=16") != std::string::npos);
    CHECK(svg.out.find("nan") == std::string::npos);
  }
}

TEST_CASE("what does not go with a view is refused") {
  CHECK(refused(ask({"run", "gemm_tiled", "--view", "roofline", "--mode", "counts"}), "needs --mode timing"));
  CHECK(refused(ask({"run", "gemm_tiled", "--view", "pie"}), "must be"));
  CHECK(refused(ask({"run", "gemm_tiled", "--view", "traffic", "--format", "csv"}),
                "unknown format 'csv'; must be table, json or svg"));
  CHECK(refused(ask({"run", "gemm_tiled", "--view", "traffic", "--by", "line"}), "--by"));
  CHECK(refused(ask({"run", "gemm_tiled", "--format", "svg"}), "must be table, json or csv"));
  CHECK(refused(ask({"run", "gemm_tiled", "--view", "occupancy", "--gpu", "h100", "--gpu", "h200"}), "one --gpu"));
}
