// Global loads of one warp with a stride, against published wavefront counts of an A100 and a GH100
// (tests/data/published_curves.csv). The published loop moves on by 32 strides per load, so the figures are means over
// where a load's base lies. Where the buffer began is not published; with strides of a power of two it decides. Whole
// tag cycles, which an even line would give, were not measured there, and an odd line fits all four curves.
#include "models/tag_stage.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine_runs.h"
#include "models/access_cost.h"
#include "models/isa/pattern_table.h"

using namespace tilescope;

namespace {

using Curve = std::map<int, double>;  // value by stride, in elements

Curve published(const std::string& gpu, const std::string& benchmark) {
  std::ifstream file(TILESCOPE_TEST_DATA "/published_curves.csv");
  Curve curve;
  const std::string wanted = gpu + "," + benchmark + ",";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(wanted)) continue;
    std::istringstream cells(line.substr(wanted.size()));
    int x = 0;
    char comma = 0;
    std::string unit;
    double value = 0;
    cells >> x >> comma;
    std::getline(cells, unit, ',');
    cells >> value;
    curve[x] = value;
  }
  return curve;
}

struct PerLoad {
  double tag = 0, data = 0;
};

constexpr std::uint64_t kBuffer = 0x7f00'0000'0000ULL + kLineBytes;

PerLoad modelled(int stride, int bytes) {
  constexpr int kLoads = 512;
  PatternTable patterns;
  const AccessCosts costs(test::h200(), patterns);
  PerLoad sum;
  for (int load = 0; load < kLoads; ++load) {
    std::array<std::uint64_t, kLanes> address{};
    for (std::size_t lane = 0; lane < address.size(); ++lane)
      address[lane] =
          kBuffer + (static_cast<std::uint64_t>(load) * 32 + lane) * static_cast<std::uint64_t>(stride * bytes);
    const MemoryOperand operand = patterns.operand(address, ~0U, bytes);
    const Footprint& footprint = costs.footprint(operand);
    sum.tag += static_cast<double>(costs.tag_cycles(footprint, LineAddress::of(operand.base))) / kLoads;
    sum.data += static_cast<double>(footprint.data_wavefronts) / kLoads;
  }
  return sum;
}

}  // namespace

TEST_CASE("strided global loads: data wavefronts are the published ones, tag cycles within 6 % on average") {
  for (const std::string gpu : {"a100", "gh100_200"})
    for (const auto& [type, bytes] : {std::pair{std::string("float"), 4}, std::pair{std::string("double"), 8}}) {
      CAPTURE(gpu);
      CAPTURE(type);
      const std::string prefix = "global_load_" + type + "_stride_";
      const Curve tag = published(gpu, prefix + "tag_wavefronts");
      const Curve data = published(gpu, prefix + "data_wavefronts");
      REQUIRE(tag.size() >= 16);
      REQUIRE(data.size() == tag.size());
      double error = 0;
      for (const auto& [stride, measured] : tag) {
        CAPTURE(stride);
        const PerLoad load = modelled(stride, bytes);
        CHECK(load.data == doctest::Approx(data.at(stride)).epsilon(0.005));
        CAPTURE(load.tag);
        CAPTURE(measured);
        CHECK(std::abs(load.tag - measured) <= std::max(0.25 * measured, 0.5));  // each
        error += std::abs(load.tag - measured) / measured / static_cast<double>(tag.size());
      }
      CAPTURE(error);
      CHECK(error < 0.06);
    }
}

TEST_CASE("tag cycles: a quarter of the lines when they spread, never fewer, never more than twice that") {
  PatternTable patterns;
  const AccessCosts costs(test::h200(), patterns);
  for (const std::uint64_t pitch : {128, 256, 384, 512, 1024, 4096, 8192, 65536, 1 << 20}) {
    CAPTURE(pitch);
    std::array<std::uint64_t, kLanes> address{};
    for (std::size_t lane = 0; lane < address.size(); ++lane) address[lane] = (1ULL << 32) + lane * pitch;
    const MemoryOperand operand = patterns.operand(address, ~0U, 4);
    const auto cycles = costs.tag_cycles(costs.footprint(operand), LineAddress::of(operand.base));
    CHECK(cycles >= 8);
    CHECK(cycles <= 16);
    if (pitch == 4096) CHECK(cycles == 8);  // measured on an H200
  }
  CHECK(TagStage().cycles(Footprint{}, LineAddress::numbered(5)) == 1);
}
