// When CTAs end that share an SM, against gpu/measured/<gpu>/scheduler.csv.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "sass_runs.h"

using namespace tilescope;
using namespace tilescope::test;

namespace {

struct Shape {
  int ctas = 0, threads = 0;
};

// Ends of the CTAs, the oldest first, as parts of when the last ends. Cycles.
std::vector<double> parts(const std::vector<double>& ends) {
  const double last = *std::max_element(ends.begin(), ends.end());
  std::vector<double> result;
  result.reserve(ends.size());
  for (const double end : ends) result.push_back(end / last);
  return result;
}

std::vector<double> measured(const std::string& gpu_name, const std::string& stream, const Shape& shape) {
  std::map<int, double> ends;
  std::ifstream file(TILESCOPE_SOURCE_DIR "/gpu/measured/" + gpu_name + "/scheduler.csv");
  const std::regex row("scheduler,stream=" + stream + ";ctas=" + std::to_string(shape.ctas) +
                       ";threads=" + std::to_string(shape.threads) + ";cta=([0-9]+),end,([0-9.e+]+),cycle");
  std::smatch found;
  for (std::string line; std::getline(file, line);)
    if (std::regex_match(line, found, row)) ends[std::stoi(found[1])] = std::stod(found[2]);
  REQUIRE(ends.size() == static_cast<std::size_t>(shape.ctas));
  std::vector<double> in_order;
  in_order.reserve(ends.size());
  for (const auto& one : ends) in_order.push_back(one.second);
  return parts(in_order);
}

// The same code on one SM. All but claims and signals is its own: nothing else reaches L2.
std::vector<double> predicted(const std::string& gpu_name, int number, const Shape& shape) {
  const SassScratch scratch;
  const std::string ctas = std::to_string(shape.ctas);
  const std::string words = "{buffer: 64, init: zero}, ";
  const std::string file = scratch.write(
      "race.yaml", "kernel: {sass: " + sass_data + "scheduler.sm_90.sass.zst, name: raceILNS1_6StreamE" +
                       std::to_string(number) + ", arch: sm_90, static_smem: 4112}\ngrid: [" + ctas + "]\nblock: [" +
                       std::to_string(shape.threads) + "]\nargs: [" + ctas + ", {f32: 1.0}, 0, " + words + words +
                       words + "{buffer: 64KiB}, {buffer: 64KiB}]\n");
  const auto kernel = sass_kernel(file);
  const GpuSpec spec = gpu(gpu_name, {"sm.gpcs=[1]", "launch.first_sms=0"});
  std::vector<double> ends(static_cast<std::size_t>(shape.ctas));
  for (const FinishedCta& cta : run(spec, *kernel, Mode::timing).timeline)
    ends.at(static_cast<std::size_t>(cta.cta)) = static_cast<double>(cta.end);
  return parts(ends);
}

}  // namespace

TEST_CASE("CTAs that share an SM end one after another as on hardware") {
  const struct {
    const char* name;
    int number;  // in gpu/microbench/scheduler.cu
    double tolerance;
  } streams[] = {
      {"dependent_ffma", 1, 0.03},
      {"lds", 2, 0.12},  // on hardware accesses of the older CTA wait less behind those of the younger
      {"tile", 4, 0.065},
      {"tile_barrier", 5, 0.05},
  };
  for (const char* name : {"h200", "h100"}) {
    for (const auto& stream : streams) {
      for (const Shape& shape : {Shape{2, 256}, Shape{4, 256}, Shape{8, 256}, Shape{2, 1024}}) {
        CAPTURE(name);
        CAPTURE(stream.name);
        CAPTURE(shape.ctas);
        CAPTURE(shape.threads);
        const std::vector<double> ends = predicted(name, stream.number, shape);
        const std::vector<double> on_hardware = measured(name, stream.name, shape);
        for (std::size_t cta = 0; cta < ends.size(); ++cta) {
          CAPTURE(cta);
          CHECK(std::abs(ends[cta] - on_hardware[cta]) < stream.tolerance);
        }
      }
    }
  }
}
