// tests/golden/holdout.csv: how far predictions are from what an H200 measured, of launches that no model was built on.
// The test fails when an error has grown by more than its margin. `tools/update-golden holdout` writes the figures
// anew.
//
// The launches are those of gpu/measured/h200/holdout*.csv with at most kMostInstructions measured warp instructions: a
// rule that looks at size alone. By generators, and by the machine code of the measured kernels.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli_answer.h"

namespace {

constexpr const char* kFile = "tests/golden/holdout.csv";
constexpr const char* kMostInstructions = "1e7";

struct Line {
  std::string source, metric;
  int cases = 0;
  double mean = 0, mean_margin = 0, p90 = 0, p90_margin = 0;
};

// Comments and the header, then the lines.
std::pair<std::string, std::vector<Line>> read_lines() {
  std::string head;
  std::vector<Line> lines;
  std::ifstream file(kFile);
  for (std::string text; std::getline(file, text);) {
    if (text.starts_with("#") || text.starts_with("source,")) {
      head += text + "\n";
      continue;
    }
    CAPTURE(text);
    std::istringstream cells(text);
    std::string cell[7];
    for (std::string& one : cell) std::getline(cells, one, ',');
    REQUIRE(!cell[6].empty());
    const auto number = [](const std::string& s) { return std::stod(s); };
    lines.push_back(
        {cell[0], cell[1], std::stoi(cell[2]), number(cell[3]), number(cell[4]), number(cell[5]), number(cell[6])});
  }
  REQUIRE(!lines.empty());
  return {head, lines};
}

nlohmann::json totals(const std::string& source) {
  std::vector<std::string> arguments{"compare",
                                     "--gpu",
                                     "h200",
                                     "--measured",
                                     "gpu/measured/h200/holdout.csv",
                                     "gpu/measured/h200/holdout_large.csv",
                                     "--max-instructions",
                                     kMostInstructions,
                                     "--threads",
                                     "2",
                                     "--format",
                                     "json"};
  if (source == "compiled") arguments.insert(arguments.end(), {"--mapping", "gpu/measured/compiled.yaml"});
  const CliAnswer said = ask(arguments);
  REQUIRE_MESSAGE(said.code == 0, said.err);
  return nlohmann::json::parse(said.out).at("totals");
}

bool updating() {
  const char* asked = std::getenv("TILESCOPE_UPDATE_GOLDEN");
  return asked != nullptr && *asked == '1';
}

}  // namespace

TEST_CASE("held-out launches: no error has grown by more than its margin") {
  std::filesystem::current_path(TILESCOPE_SOURCE_DIR);
  auto [head, lines] = read_lines();
  std::map<std::string, nlohmann::json> answers;
  std::string table;
  bool better = false;
  for (Line& line : lines) {
    if (!answers.contains(line.source)) answers[line.source] = totals(line.source);
    const auto& now = answers[line.source].at(line.metric);
    const int cases = now.at("cases");
    const double mean = now.at("mean"), p90 = now.at("p90");
    const std::string text =
        fmt::format("{:<10} {:<40} {:>2} launches  mean {:.2f} -> {:.2f} ({:+.2f})  p90 {:.2f} -> {:.2f} ({:+.2f})",
                    line.source, line.metric, cases, line.mean, mean, mean - line.mean, line.p90, p90, p90 - line.p90);
    table += text + "\n";
    if (updating()) {
      line.cases = cases, line.mean = mean, line.p90 = p90;
      continue;
    }
    CHECK_MESSAGE(cases == line.cases, text);
    CHECK_MESSAGE(mean <= line.mean + line.mean_margin, text);
    CHECK_MESSAGE(p90 <= line.p90 + line.p90_margin, text);
    better = better || mean < line.mean - 0.05;
  }
  fmt::print("{}{}", table, better ? "some are better than written: tools/update-golden holdout\n" : "");
  if (!updating()) return;
  std::ofstream file(kFile);
  file << head;
  for (const Line& line : lines)
    file << fmt::format("{},{},{},{:.2f},{},{:.2f},{}\n", line.source, line.metric, line.cases, line.mean,
                        line.mean_margin, line.p90, line.p90_margin);
}
