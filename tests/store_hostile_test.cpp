// Databases made to look like a store: nothing in them is run, and each is refused with what it holds.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <stdexcept>

#include "sim/studies/sweep/store.h"
#include "sim/studies/sweep/stored_json.h"
#include "sim/studies/sweep/sweep_table.h"
#include "sweep_files.h"
#include "tests/cli_answer.h"

using namespace tilescope::sweep;

namespace {

void execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

// A store as it should be, then changed.
std::string store_with(const SweepFolder& folder, const std::string& sql) {
  const std::string path = folder / "forged.db";
  std::filesystem::remove(path);
  { const Store made(path, Store::Access::create); }
  execute(path, sql);
  return path;
}

}  // namespace

TEST_CASE("a store whose tables are something else is refused") {
  const SweepFolder folder;
  const std::string endless =
      "DROP TABLE points; CREATE VIEW points AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) "
      "SELECT 'a' study, i position, 'k' key, 'copy' kernel, 'h200' gpu, '{}' parameters, 'counts' mode, 'off' sample "
      "FROM n;";
  struct {
    std::string sql, reason;
  } const rows[] = {
      {endless, "holds a 'view' 'points'; must be a store that tilescope sweep wrote"},
      {"CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM points; END;", "holds a 'trigger' 't'"},
      {"DROP TABLE points;", "lacks the tables points and results"},
      {"CREATE TABLE more(x);", "holds a 'table' 'more'"},
      {"DROP TABLE points; CREATE VIRTUAL TABLE points USING fts5(study, position, key, kernel, gpu, parameters, mode, "
       "sample);",
       "holds a 'table' 'points"},
      {"DROP TABLE points; CREATE TABLE points(study, position, key, kernel, gpu, parameters, mode, sample AS "
       "(zeroblob(1000)));",
       "its table points has other columns"},
      {"ALTER TABLE results DROP COLUMN version;", "its table results has other columns"},
  };
  for (const auto& [sql, reason] : rows) {
    CAPTURE(sql);
    const std::string path = store_with(folder, sql);
    for (const char* command : {"show", "export", "merge"}) {
      CAPTURE(command);
      std::vector<std::string> words = {"sweep", command, path};
      if (std::string(command) == "merge") words = {"sweep", "merge", "-o", folder / "out.db", path};
      CHECK(refused(ask(words), path + ": " + reason));
    }
  }
}

TEST_CASE("a result that is no object of JSON is refused with its point") {
  const SweepFolder folder;
  const std::string deep = std::string(100'000, '[');
  for (const std::string& json : {std::string("{"), deep, std::string("[1]"), std::string("{\"metrics\": 7}"),
                                  std::string("{\"metrics\": {\"a\": ") + deep}) {
    CAPTURE(json.substr(0, 40));
    const std::string path =
        store_with(folder,
                   "INSERT INTO points VALUES('tiles', 1, 'k', 'copy', 'h200', '{}', 'counts', 'off');"
                   "INSERT INTO results VALUES('k', 'ok', '', '" +
                       json + "', 1, '0.1.0');");
    CHECK(refused(ask({"sweep", "export", path}), "point 1 of study 'tiles' has a damaged result"));
  }
  CHECK(stored_object("{\"a\": {\"b\": [1]}}").has_value());
}

TEST_CASE("parameters that are no object of JSON are refused with their point") {
  const SweepFolder folder;
  const std::string path =
      store_with(folder,
                 "INSERT INTO points VALUES('tiles', 1, 'k', 'copy', 'h200', '{\"a\": [[', 'counts', 'off');"
                 "INSERT INTO results VALUES('k', 'failed', 'x', '', 1, '0.1.0');");
  CHECK(refused(ask({"sweep", "export", path}), "point 1 of study 'tiles' has a damaged result"));
  CHECK(ask({"sweep", "merge", "-o", folder / "out.db", path}).err.find("json") == std::string::npos);
}
