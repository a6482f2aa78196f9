// A walk adds up to the product, whatever the layout of the tiles: its values come through the kernel's own addresses.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli_answer.h"
#include "sim/results/walk/gemm_walk.h"
#include "traces/kernels/registry.h"

using namespace tilescope;

namespace {

std::unique_ptr<Kernel> made(const std::string& name, ParameterTexts parameters, int m, int n, int k) {
  parameters["M"] = std::to_string(m);
  parameters["N"] = std::to_string(n);
  parameters["K"] = std::to_string(k);
  auto kernel = make_kernel(name, parameters);
  REQUIRE(kernel.has_value());
  return std::move(*kernel);
}

double expected(const GemmWalk& walk) {
  double sum = 0;
  for (std::int64_t k = 0; k < walk.k; ++k) sum += walk.a({walk.output.row, k}) * walk.b({k, walk.output.column});
  return sum;
}

}  // namespace

TEST_CASE("the claims' 4x4 product with T = 2: 11, then 90; 64 elements are loaded, by the naive kernel 128") {
  const auto walk = walk_gemm(*made("gemm_tiled", {{"tile", "2"}}, 4, 4, 4), {0, 0});
  REQUIRE(walk.has_value());
  REQUIRE(walk->phases.size() == 2);
  CHECK(walk->phases[0].value == 11);
  CHECK(walk->phases[1].value == 90);
  CHECK(walk->phases[0].barriers_before == 1);
  CHECK(walk->phases[0].loads.size() == 2);
  CHECK(walk->phases[0].loads[0].lanes.size() == 4);
  CHECK(walk->loaded_elements == 64);
  const auto naive = walk_gemm(*made("gemm_naive", {{"block_x", "4"}, {"block_y", "4"}}, 4, 4, 4), {0, 0});
  REQUIRE(naive.has_value());
  CHECK(naive->loaded_elements == 128);
  CHECK(naive->phases.back().value == 90);
}

TEST_CASE("whatever the layout, edges or depth, the value behind the last phase is the product") {
  const struct {
    const char* kernel;
    ParameterTexts parameters;
    int m, n, k;
    Element element;
  } rows[] = {
      {"gemm_tiled", {{"tile", "4"}}, 12, 12, 12, {7, 10}},
      {"gemm_tiled", {{"tile", "4"}}, 10, 9, 11, {9, 8}},
      {"gemm_tiled", {{"tile", "8"}, {"pad_a", "1"}, {"pad_b", "1"}}, 16, 16, 40, {15, 3}},
      {"gemm_tiled", {{"tile", "8"}, {"swizzle", "xor"}}, 16, 16, 24, {5, 14}},
      {"gemm_tiled", {{"tile", "16"}, {"transpose_a", "1"}}, 32, 32, 32, {31, 17}},
      {"gemm_tiled", {{"tile", "2"}}, 4, 4, 18, {3, 3}},
      {"gemm_naive", {{"lanes", "row"}}, 20, 24, 29, {19, 23}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.kernel);
    CAPTURE(row.k);
    const auto walk = walk_gemm(*made(row.kernel, row.parameters, row.m, row.n, row.k), row.element);
    REQUIRE(walk.has_value());
    REQUIRE_FALSE(walk->phases.empty());
    CHECK(walk->phases.back().value == expected(*walk));
    std::size_t products = 0;
    for (const Phase& phase : walk->phases) products += phase.products.size();
    CHECK(products == static_cast<std::size_t>(row.k));
  }
}

TEST_CASE("a walk answers in JSON and in frames, one for each phase") {
  const std::vector<std::string> words = {"walk", "gemm_tiled", "-p", "M=4", "-p", "N=4", "-p", "K=4", "-p", "tile=2"};
  auto with = [&](const char* format) {
    auto all = words;
    all.insert(all.end(), {"--format", format});
    return ask(all).out;
  };
  const auto json = nlohmann::json::parse(with("json"));
  CHECK(json["schema"] == "tilescope.walk/1");
  CHECK(json["phases"].size() == 2);
  CHECK(json["phases"][1]["value"] == 90);
  const std::string svg = with("svg");
  CHECK(svg.find("phase 2 of 2") != std::string::npos);
  CHECK(svg.find("= 90") != std::string::npos);
}
