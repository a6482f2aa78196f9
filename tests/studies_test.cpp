#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli_answer.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> shipped_studies() {
  std::vector<fs::path> studies;
  for (const auto& entry : fs::directory_iterator(TILESCOPE_SOURCE_DIR "/configs/studies"))
    if (entry.path().extension() == ".yaml") studies.push_back(entry.path());
  std::sort(studies.begin(), studies.end());
  return studies;
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool any_starts_with(const std::vector<std::string>& lines, const std::string& start) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(start); });
}

}  // namespace

TEST_CASE("every shipped study can be planned, says what one learns, and its table has a row per point") {
  const auto studies = shipped_studies();
  CHECK(studies.size() >= 5);
  for (const fs::path& study : studies) {
    CAPTURE(study.string());
    const auto text = lines_of(study);
    CHECK(any_starts_with(text, "study: " + study.stem().string()));
    CHECK(any_starts_with(text, "learns: "));
    CHECK(any_starts_with(text, "# columns: "));
    CHECK(any_starts_with(text, "# plot: "));

    const CliAnswer plan = ask({"sweep", "plan", study.string()});
    CHECK(plan.err.empty());
    REQUIRE(plan.code == 0);
    const auto points = static_cast<std::size_t>(std::count(plan.out.begin(), plan.out.end(), '\n'));

    const fs::path results = fs::path(TILESCOPE_SOURCE_DIR "/docs/studies") / study.stem();
    const auto rows = lines_of(results.string() + ".csv");
    CHECK(rows.size() == points + 1);
    CHECK(fs::file_size(results.string() + ".csv") <= 50'000);
    CHECK(fs::exists(results.string() + ".svg"));
  }
}
