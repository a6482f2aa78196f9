// The file that keeps a study's results: SQLite, described in docs/sweep.md.
//
// Every result is written within one transaction, which is on the disk when it returns: a killed program, a full disk
// or a power cut loses what was not finished and nothing else. Several programs may use one store.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/studies/sweep/database.h"
#include "sim/studies/sweep/plan.h"

namespace tilescope::sweep {

struct StoredResult {
  std::string key;
  bool ok = true;
  std::string reason;  // of a failure
  std::string result;  // as JSON, docs/result-format.md; empty for a failure
  double wall_seconds = 0;
  std::string version;
};

// A point of a study, and which result is its.
struct StoredPoint {
  std::string study;
  std::int64_t position = 0;  // in the study, from 1
  std::string key;
  std::string kernel, gpu;  // as the study writes them
  std::string parameters;   // a JSON object of texts, in the order of the columns
  std::string mode, sample;
  bool operator==(const StoredPoint&) const = default;
};

std::vector<StoredPoint> stored_points(const Plan& plan);

class Store {
 public:
  enum class Access { create, existing };
  // std::invalid_argument for a file that is no store, or a newer program's; StoreError when it cannot be used.
  Store(const std::string& path, Access access);

  const std::string& path() const { return database_.path(); }

  // The study's points are these and no others. Results stay.
  void set_points(const std::vector<StoredPoint>& points);
  // New results, or the same ones again.
  void add_results(const std::vector<StoredResult>& results);

  // Key to whether it succeeded.
  std::map<std::string, bool> known() const;
  std::vector<std::string> studies() const;
  std::vector<StoredPoint> points() const;  // by study and position

  // By study and position; null for a point without a result.
  void each_point(const std::function<void(const StoredPoint&, const StoredResult*)>& visit) const;
  void each_result(const std::function<void(const StoredResult&)>& visit) const;

 private:
  void check_or_create(Access access);
  void check_tables() const;

  Database database_;
};

}  // namespace tilescope::sweep
