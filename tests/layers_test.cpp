#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Which folder may include which: cli -> studies -> results -> engine -> (models, traces) -> isa -> support.
namespace {

namespace fs = std::filesystem;

struct Room {
  std::string_view prefix;  // of a path from the repository's root; the longest that fits counts
  int floor;                // may include its own floor and those below
  std::string_view wing;    // rooms of one floor in different wings may not include each other; "": open to all
};

constexpr Room kRooms[] = {
    {"models/support/", 0, ""}, {"models/isa/", 1, ""},         {"models/", 2, "models"},
    {"traces/", 2, "traces"},   {"traces/open_kernel.", 3, ""}, {"sim/simulate.", 4, ""},  // the engine's front door
    {"sim/engine/", 4, ""},     {"sim/results/", 5, ""},        {"sim/results/views/", 6, ""},
    {"sim/studies/", 9, ""},    {"sim/studies/batch.", 7, ""},  {"sim/studies/measured/", 8, ""},
    {"sim/cli/", 10, ""},       {"sim/main.cpp", 10, ""},
};

// Includes that cross the plan, each to be taken away one day: file or folder, what it includes.
constexpr std::pair<std::string_view, std::string_view> kExceptions[] = {
    {"traces/sass/", "models/register_banks.h"},
};

const Room* room_of(std::string_view path) {
  const Room* found = nullptr;
  for (const Room& room : kRooms)
    if (path.starts_with(room.prefix) && (found == nullptr || room.prefix.size() > found->prefix.size())) found = &room;
  return found;
}

// Why `file` may not include `included`; "" when it may.
std::string refusal(std::string_view file, std::string_view included) {
  const Room* from = room_of(file);
  const Room* to = room_of(included);
  if (from == nullptr) return "stands in no folder that has a floor";
  if (to == nullptr) return "";  // not the project's own
  if (to->floor > from->floor) return "includes upwards";
  if (to->floor == from->floor && to->wing != from->wing) return "includes sideways";
  return "";
}

// What an `#include "..."` names; "" for any other line.
std::string included_by(const std::string& line) {
  constexpr std::string_view begin = "#include \"";
  if (!line.starts_with(begin)) return "";
  return line.substr(begin.size(), line.find('"', begin.size()) - begin.size());
}

bool is_exception(std::string_view file, std::string_view included, std::set<std::size_t>& used) {
  for (std::size_t i = 0; i < std::size(kExceptions); ++i)
    if (file.starts_with(kExceptions[i].first) && included == kExceptions[i].second) {
      used.insert(i);
      return true;
    }
  return false;
}

std::vector<std::string> own_sources() {
  const fs::path root = TILESCOPE_SOURCE_DIR;
  std::vector<std::string> files;
  for (const char* folder : {"models", "traces", "sim"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp")
        files.push_back(fs::relative(entry.path(), root).string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("no folder includes one above it") {
  std::set<std::size_t> used;
  const std::vector<std::string> files = own_sources();
  CHECK(files.size() > 200);
  for (const std::string& file : files) {
    std::ifstream in(fs::path(TILESCOPE_SOURCE_DIR) / file);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const std::string included = included_by(line);
      if (included.empty()) continue;
      const std::string why = refusal(file, included);
      if (!why.empty() && !is_exception(file, included, used))
        FAIL_CHECK(file << ":" << number << ": " << why << ": " << included);
    }
  }
  for (std::size_t i = 0; i < std::size(kExceptions); ++i) {
    CAPTURE(kExceptions[i].first);
    CAPTURE(kExceptions[i].second);
    CHECK_MESSAGE(used.count(i) == 1, "an exception that nothing needs any more");
  }
}

TEST_CASE("the plan of floors tells upwards and sideways from downwards") {
  const struct {
    const char *file, *included, *why;
  } rows[] = {
      {"models/isa/instruction.h", "models/support/units.h", ""},
      {"models/isa/instruction.h", "models/pipes.h", "includes upwards"},
      {"models/support/units.h", "models/isa/instruction.h", "includes upwards"},
      {"models/pipes.h", "traces/raster.h", "includes sideways"},
      {"traces/sass/listing.h", "models/pipes.h", "includes sideways"},
      {"traces/sass/listing.h", "traces/raster.h", ""},
      {"traces/sass/listing.h", "traces/open_kernel.h", "includes upwards"},
      {"sim/engine/timing/sm.h", "models/pipes.h", ""},
      {"sim/engine/timing/sm.h", "sim/simulate.h", ""},
      {"sim/engine/timing/sm.h", "sim/results/metrics.h", "includes upwards"},
      {"sim/results/result.h", "sim/results/views/result_json.h", "includes upwards"},
      {"sim/results/banks/bank_fix.h", "sim/results/metrics.h", ""},
      {"sim/studies/measured/csv_text.h", "sim/studies/compare/comparison.h", "includes upwards"},
      {"sim/studies/calibrate/calibration.h", "sim/studies/measured/csv_text.h", ""},
      {"sim/studies/batch.h", "sim/studies/measured/csv_text.h", "includes upwards"},
      {"sim/studies/sweep/store.h", "sim/cli/parse.h", "includes upwards"},
      {"sim/cli/parse.h", "sim/studies/sweep/store.h", ""},
      {"sim/results/version.cpp", "source_hash.h", ""},
      {"elsewhere/x.h", "sim/simulate.h", "stands in no folder that has a floor"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.file);
    CAPTURE(row.included);
    CHECK(refusal(row.file, row.included) == row.why);
  }
  CHECK(included_by("#include \"models/pipes.h\"  // pipes") == "models/pipes.h");
  CHECK(included_by("#include <vector>").empty());
}
