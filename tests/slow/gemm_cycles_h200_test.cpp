// Cycles of GEMM launches that an H200 ran under Nsight Compute (gpu/measured/h200/gemm_train.csv), simulated in full.
// These are training cases: they were looked at while the models were built. Prints one line a case; docs/accuracy.md
// quotes it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "models/config/spec_reader.h"
#include "models/config/text_file.h"
#include "models/gpu_spec.h"
#include "sim/simulate.h"
#include "traces/kernels/registry.h"

using namespace tilescope;

namespace {

constexpr double kLargestCase = 5e7;  // warp instructions; the larger launches take minutes

using Row = std::map<std::string, std::string>;

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      result.emplace_back();
    else
      result.back() += c;
  }
  return result;
}

std::vector<Row> measured_rows() {
  const auto text = read_text_file(std::string(TILESCOPE_SOURCE_DIR) + "/gpu/measured/h200/gemm_train.csv");
  REQUIRE(text.has_value());
  std::istringstream in(*text);
  std::vector<std::string> header;
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = cells(line);
    if (header.empty()) {
      header = fields;
      continue;
    }
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = fields.at(i);
  }
  return rows;
}

// The built-in kernel that models a compiled instance, from the instance's name (gpu/kernels/instances.h).
std::pair<std::string, ParameterTexts> kernel_of(const Row& row) {
  const std::string& name = row.at("kernel");
  ParameterTexts parameters = {{"M", row.at("m")}, {"N", row.at("n")}, {"K", row.at("k")}};
  std::smatch part;
  if (std::regex_match(name, part, std::regex("gemm_naive_(col|row)_(\\d+)x(\\d+)"))) {
    parameters.insert({{"lanes", part[1]}, {"block_x", part[2]}, {"block_y", part[3]}});
    return {"gemm_naive", parameters};
  }
  if (std::regex_match(name, part, std::regex("gemm_tiled_t(\\d+)_a(\\d+)_b(\\d+)(_transposed|_xor)?(_bounds)?"))) {
    parameters.insert(
        {{"tile", part[1]}, {"pad_a", part[2]}, {"pad_b", part[3]}, {"bounds", part[5].length() > 0 ? "1" : "0"}});
    if (part[4] == "_transposed") parameters["transpose_a"] = "1";
    if (part[4] == "_xor") parameters["swizzle"] = "xor";
    return {"gemm_tiled", parameters};
  }
  REQUIRE(std::regex_match(name, part, std::regex("gemm_register_(\\d+)x(\\d+)x(\\d+)_(\\d+)x(\\d+)_v(\\d)")));
  parameters.insert(
      {{"bm", part[1]}, {"bn", part[2]}, {"bk", part[3]}, {"tm", part[4]}, {"tn", part[5]}, {"vector", part[6]}});
  if (row.at("group") != "1") parameters.insert({{"raster", "grouped"}, {"group", row.at("group")}});
  return {"gemm_register", parameters};
}

}  // namespace

TEST_CASE("H200: the cycles of measured GEMM launches come out within 10 % on average") {
  const auto gpu = read_spec<GpuSpec>(std::string(TILESCOPE_SOURCE_DIR) + "/configs/gpus/h200.yaml");
  REQUIRE(gpu.has_value());
  std::vector<double> errors;
  std::string table;
  for (const Row& row : measured_rows()) {
    if (std::stod(row.at("smsp__inst_executed.sum")) > kLargestCase) continue;
    const auto [name, parameters] = kernel_of(row);
    const auto kernel = make_kernel(name, parameters);
    REQUIRE(kernel.has_value());
    RunOptions options;
    options.sample = Sample::off;
    options.threads = 2;
    const RunOutcome outcome = simulate(*gpu, **kernel, options);
    const double measured = std::stod(row.at("gpc__cycles_elapsed.max"));
    const double error = 100 * (static_cast<double>(outcome.cycles) / measured - 1);
    errors.push_back(std::abs(error));
    table += fmt::format("{:<34} {:>5} {:>5} {:>5} {:>10} {:>10.0f} {:>+7.1f} %\n", row.at("kernel"), row.at("m"),
                         row.at("n"), row.at("k"), outcome.cycles, measured, error);
  }
  REQUIRE(errors.size() >= 30);
  std::sort(errors.begin(), errors.end());
  double mean = 0;
  for (const double error : errors) mean += error / static_cast<double>(errors.size());
  const double median = errors[errors.size() / 2];
  const double p90 = errors[errors.size() * 9 / 10];
  MESSAGE(fmt::format(
      "{:<34} {:>5} {:>5} {:>5} {:>10} {:>10} {:>9}\n{}mean {:.1f} %, median {:.1f} %, p90 {:.1f} %, worst {:.1f} %",
      "instance", "M", "N", "K", "predicted", "measured", "error", table, mean, median, p90, errors.back()));
  CHECK(mean <= 10);
  CHECK(p90 <= 20);
}
