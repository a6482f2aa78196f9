// A walk adds up to the product, whatever the layout of the tiles: its values come through the kernel's own addresses.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli_answer.h"
#include "sim/results/walk/gemm_walk.h"
#include "sim/results/walk/halo_walk.h"
#include "sim/results/walk/tree_walk.h"
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

TEST_CASE("a tree over 32 values: 5 steps and 31 additions with either addressing; whole warps rest with sequential") {
  const auto small = walk_tree({});
  REQUIRE(small.has_value());
  REQUIRE(small->walks.size() == 2);
  for (const TreeWalk& walk : small->walks) {
    CHECK(walk.steps.size() == 5);
    CHECK(walk.additions() == 31);
    CHECK(walk.steps.back().first_sum == 32 * 33 / 2);
  }
  const auto large = walk_tree({{"values", "256"}});
  REQUIRE(large.has_value());
  const auto warps = [&](std::size_t walk) {
    std::vector<int> all;
    for (const TreeStep& step : large->walks[walk].steps) all.push_back(step.warps);
    return all;
  };
  CHECK(warps(0) == std::vector{8, 8, 8, 8, 8, 4, 2, 1});
  CHECK(warps(1) == std::vector{4, 2, 1, 1, 1, 1, 1, 1});
  CHECK(large->walks[0].divergent_warp_steps() == 47);
  CHECK(large->walks[1].divergent_warp_steps() == 5);
  CHECK_FALSE(walk_tree({{"values", "48"}}).has_value());
}

TEST_CASE("a halo of one pixel around 32 x 32: 34 x 34 elements, in two rounds, and half as many sectors again") {
  const auto halo = walk_halo({});
  REQUIRE(halo.has_value());
  CHECK(halo->elements() == 34 * 34);
  CHECK(halo->inner_sectors == 32 * 4);
  CHECK(halo->sectors == 34 * 6);
  REQUIRE(halo->rounds.size() == 2);
  CHECK(halo->rounds[1].threads == 34 * 34 - 1024);
  const auto none = walk_halo({{"radius", "0"}, {"tile", "16"}});
  REQUIRE(none.has_value());
  CHECK(none->sectors == none->inner_sectors);
  CHECK(none->rounds.size() == 1);
}

TEST_CASE("sketches answer in JSON and pictures as well") {
  CHECK(nlohmann::json::parse(ask({"walk", "tree", "--format", "json"}).out)["walks"][0]["steps"].size() == 5);
  CHECK(nlohmann::json::parse(ask({"walk", "halo", "--format", "json"}).out)["elements"] == 1156);
  CHECK(ask({"walk", "tree:values=1024", "--format", "svg"}).out.find("a box for each warp") != std::string::npos);
  CHECK(ask({"walk", "halo", "--format", "svg"}).out.find("34 x 34") != std::string::npos);
}
