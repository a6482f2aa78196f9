#include "sim/studies/sweep/store.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/support/diagnostic.h"

namespace tilescope::sweep {
namespace {

constexpr std::int64_t kApplication = 0x54537374;  // "TSst"
constexpr std::int64_t kVersion = 2;  // 2: keys are XXH3; the tables of 1 are the same, its keys are asked for no more

constexpr const char* kTables = R"sql(
CREATE TABLE results(
  key TEXT PRIMARY KEY,        -- of configuration, kernel, mode and program version
  status TEXT NOT NULL,        -- ok or failed
  reason TEXT NOT NULL,
  result TEXT NOT NULL,        -- JSON
  wall_seconds REAL NOT NULL,
  version TEXT NOT NULL);
CREATE TABLE points(
  study TEXT NOT NULL,
  position INTEGER NOT NULL,   -- in the study, from 1
  key TEXT NOT NULL,
  kernel TEXT NOT NULL,
  gpu TEXT NOT NULL,
  parameters TEXT NOT NULL,    -- JSON
  mode TEXT NOT NULL,
  sample TEXT NOT NULL,
  PRIMARY KEY(study, position));
)sql";

constexpr const char* kPointColumns = "study, position, p.key, kernel, gpu, parameters, mode, sample";

// Before SQLite sees the path: it would call a missing file "unable to open database file".
const std::string& usable(const std::string& path, Store::Access access) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) throw std::invalid_argument(path + ": is a directory; must be a file of results");
  if (access == Store::Access::existing && !fs::exists(status))
    throw std::invalid_argument(path + ": no such file; must be a store that tilescope sweep wrote");
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw std::invalid_argument(path + ": is no regular file; must be a file of results");
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error))
    throw std::invalid_argument(fmt::format("{}: there is no folder {}", path, folder.string()));
  return path;
}

StoredPoint point_of(const Statement& row) {
  return {row.text(0), row.number(1), row.text(2), row.text(3), row.text(4), row.text(5), row.text(6), row.text(7)};
}

StoredResult result_of(const Statement& row, int first) {
  return {row.text(first),     row.text(first + 1) == "ok", row.text(first + 2),
          row.text(first + 3), row.real(first + 4),         row.text(first + 5)};
}

}  // namespace

std::vector<StoredPoint> stored_points(const Plan& plan) {
  std::vector<StoredPoint> points;
  points.reserve(plan.points.size());
  for (const PlannedPoint& planned : plan.points) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
    for (const auto& [name, value] : planned.parameters) parameters[name] = value;
    points.push_back({plan.study.name, static_cast<std::int64_t>(points.size()) + 1, planned.key,
                      plan.study.kernels[planned.kernel].label,
                      plan.study.gpus[plan.variants[planned.variant].gpu].label,
                      parameters.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
                      plan.study.mode == Mode::timing ? "timing" : "counts", name(plan.study.sample)});
  }
  return points;
}

Store::Store(const std::string& path, Access access) : database_(usable(path, access), access == Access::create) {
  check_or_create(access);
  database_.execute("PRAGMA synchronous=EXTRA");
}

void Store::check_or_create(Access access) {
  const auto refuse = [this](const std::string& why) { throw std::invalid_argument(path() + ": " + why); };
  const auto is_store = [&] {
    const std::int64_t application = database_.number("PRAGMA application_id");
    const std::int64_t version = database_.number("PRAGMA user_version");
    if (application == kApplication && version > kVersion)
      refuse(fmt::format("was written by a newer tilescope (store version {}); this one reads versions up to {}",
                         version, kVersion));
    return application == kApplication;
  };
  const auto is_empty = [this] { return database_.number("SELECT count(*) FROM sqlite_master") == 0; };
  try {
    if (is_store()) {
      check_tables();
      // What is added from here on has keys of this version: a program that knows other keys must not add its own.
      if (access == Access::create && database_.number("PRAGMA user_version") < kVersion)
        database_.execute(fmt::format("PRAGMA user_version={}", kVersion));
      return;
    }
    if (!is_empty()) refuse("is a database of another program; must be a store that tilescope sweep wrote");
  } catch (const StoreError& error) {
    if (std::string(error.what()).find("not a database") == std::string::npos) throw;
    refuse("is no store that tilescope sweep wrote");
  }
  if (access == Access::existing) refuse("is empty: nothing was stored in it yet");
  database_.transaction([&] {
    if (is_store()) return;  // another program was faster
    database_.execute(kTables);
    database_.execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplication, kVersion));
  });
}

// Views and computed columns could stand in for the tables.
void Store::check_tables() const {
  const auto refuse = [this](const std::string& why) {
    throw std::invalid_argument(path() + ": " + why + "; must be a store that tilescope sweep wrote");
  };
  const std::map<std::string, std::vector<std::string>> wanted = {
      {"points", {"study", "position", "key", "kernel", "gpu", "parameters", "mode", "sample"}},
      {"results", {"key", "status", "reason", "result", "wall_seconds", "version"}}};
  std::size_t tables = 0;
  Statement parts = database_.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY name");
  while (parts.step()) {
    const std::string type = parts.text(0);
    const std::string name = parts.text(1);
    const bool own_index = type == "index" && name.starts_with("sqlite_autoindex_");
    if (own_index || name.starts_with("sqlite_stat")) continue;
    const bool known = type == "table" && wanted.count(name) != 0 && parts.text(2).starts_with("CREATE TABLE");
    if (!known) refuse(fmt::format("holds a {} {}", in_quotes(type), in_quotes(name)));
    ++tables;
  }
  if (tables != wanted.size()) refuse("lacks the tables points and results");
  for (const auto& [table, columns] : wanted) {
    std::vector<std::string> found;
    Statement rows = database_.prepare("PRAGMA table_xinfo(" + table + ")");
    while (rows.step()) found.push_back(rows.number(6) == 0 ? rows.text(1) : "computed " + rows.text(1));
    if (found != columns) refuse(fmt::format("its table {} has other columns", table));
  }
}

void Store::set_points(const std::vector<StoredPoint>& points) {
  if (points.empty()) return;
  const std::string study = points.front().study;
  std::vector<StoredPoint> before;
  Statement old =
      database_.prepare(fmt::format("SELECT {} FROM points p WHERE study=?1 ORDER BY position", kPointColumns));
  old.bind(1, study);
  while (old.step()) before.push_back(point_of(old));
  old.reset();
  if (before == points) return;
  database_.transaction([&] {
    Statement remove = database_.prepare("DELETE FROM points WHERE study=?1");
    remove.bind(1, study);
    remove.step();
    Statement add = database_.prepare("INSERT INTO points VALUES(?1,?2,?3,?4,?5,?6,?7,?8)");
    for (const StoredPoint& point : points) {
      add.reset();
      add.bind(1, point.study);
      add.bind(2, point.position);
      add.bind(3, point.key);
      add.bind(4, point.kernel);
      add.bind(5, point.gpu);
      add.bind(6, point.parameters);
      add.bind(7, point.mode);
      add.bind(8, point.sample);
      add.step();
    }
  });
}

void Store::add_results(const std::vector<StoredResult>& results) {
  database_.transaction([&] {
    Statement add = database_.prepare("INSERT OR REPLACE INTO results VALUES(?1,?2,?3,?4,?5,?6)");
    for (const StoredResult& result : results) {
      const std::string status = result.ok ? "ok" : "failed";
      add.reset();
      add.bind(1, result.key);
      add.bind(2, status);
      add.bind(3, result.reason);
      add.bind(4, result.result);
      add.bind(5, result.wall_seconds);
      add.bind(6, result.version);
      add.step();
    }
  });
}

std::map<std::string, bool> Store::known() const {
  std::map<std::string, bool> all;
  Statement rows = database_.prepare("SELECT key, status FROM results");
  while (rows.step()) all[rows.text(0)] = rows.text(1) == "ok";
  return all;
}

std::vector<std::string> Store::studies() const {
  std::vector<std::string> names;
  Statement rows = database_.prepare("SELECT DISTINCT study FROM points ORDER BY study");
  while (rows.step()) names.push_back(rows.text(0));
  return names;
}

std::vector<StoredPoint> Store::points() const {
  std::vector<StoredPoint> all;
  Statement rows = database_.prepare(fmt::format("SELECT {} FROM points p ORDER BY study, position", kPointColumns));
  while (rows.step()) all.push_back(point_of(rows));
  return all;
}

void Store::each_point(const std::function<void(const StoredPoint&, const StoredResult*)>& visit) const {
  Statement rows =
      database_.prepare(fmt::format("SELECT {}, r.key, status, reason, result, wall_seconds, version FROM points p "
                                    "LEFT JOIN results r ON r.key=p.key ORDER BY study, position",
                                    kPointColumns));
  while (rows.step()) {
    const StoredPoint point = point_of(rows);
    if (rows.is_null(8)) {
      visit(point, nullptr);
      continue;
    }
    const StoredResult result = result_of(rows, 8);
    visit(point, &result);
  }
}

void Store::each_result(const std::function<void(const StoredResult&)>& visit) const {
  Statement rows = database_.prepare("SELECT key, status, reason, result, wall_seconds, version FROM results");
  while (rows.step()) visit(result_of(rows, 0));
}

}  // namespace tilescope::sweep
