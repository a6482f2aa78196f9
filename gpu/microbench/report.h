// Where microbenchmarks put their figures.
//
// PREFIX.csv, one scalar a line:
//   benchmark,case,metric,value,unit
//   latency_global,cache=l1;bytes=1024,latency,37.6,cycle
// PREFIX.traces.csv, many values of one case; what row and index mean, the benchmark's file says:
//   benchmark,case,row,index,value
//   scheduler,stream=ffma;ctas=2,33,4,18230
// PREFIX.yaml is made of the scalars at the end of a run (yaml_fragment.h).
#pragma once

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilescope::gpu {

class Report {
 public:
  explicit Report(const std::string& prefix)
      : scalars_(open(prefix + ".csv", "benchmark,case,metric,value,unit\n")),
        traces_(open(prefix + ".traces.csv", "benchmark,case,row,index,value\n")) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report() {
    std::fclose(scalars_);
    std::fclose(traces_);
  }

  void scalar(const std::string& benchmark, const std::string& the_case, const char* metric, double value,
              const char* unit) {
    std::fprintf(scalars_, "%s,%s,%s,%.6g,%s\n", benchmark.c_str(), the_case.c_str(), metric, value, unit);
    std::fflush(scalars_);
    rows_.push_back({benchmark, the_case, metric, value});
  }
  // A scalar of this run; nothing if it was not measured.
  std::optional<double> find(const std::string& benchmark, const std::string& the_case,
                             const std::string& metric) const {
    for (const Row& row : rows_) {
      if (row.benchmark == benchmark && row.the_case == the_case && row.metric == metric) {
        return row.value;
      }
    }
    return std::nullopt;
  }
  void trace(const std::string& benchmark, const std::string& the_case, int row, int index, long long value) {
    std::fprintf(traces_, "%s,%s,%d,%d,%lld\n", benchmark.c_str(), the_case.c_str(), row, index, value);
  }
  // For what only a profiler can count: one row per launch of a kernel named probe_*, in launch order.
  void launch(const std::string& benchmark, const std::string& the_case) {
    scalar(benchmark, the_case, "launch", launches_++, "");
  }

 private:
  struct Row {
    std::string benchmark;
    std::string the_case;
    std::string metric;
    double value;
  };

  static std::FILE* open(const std::string& path, const char* header) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (file == nullptr) {
      throw std::runtime_error(path + ": cannot be written");
    }
    std::fputs(header, file);
    return file;
  }

  std::FILE* scalars_;
  std::FILE* traces_;
  std::vector<Row> rows_;
  int launches_ = 0;
};

}  // namespace tilescope::gpu
