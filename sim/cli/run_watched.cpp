#include "sim/cli/run_watched.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <set>
#include <thread>

#include "models/support/diagnostic.h"
#include "sim/cli/file_watch.h"
#include "sim/cli/stop_request.h"
#include "sim/cli/usage_error.h"
#include "sim/results/views/number_text.h"

namespace tilescope::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::milliseconds kLookEvery{200};
// What an edit is made for, as far as a run knows it.
constexpr std::array<std::string_view, 8> kTold = {"gpc__cycles_elapsed.max",
                                                   "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                                                   "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                                                   "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                                   "l1tex__t_sector_hit_rate.pct",
                                                   "lts__t_sector_hit_rate.pct",
                                                   "dram__bytes_read.sum",
                                                   "sm__warps_active.avg.per_cycle_active"};

void complain(const std::exception& error) {
  if (const auto* usage = dynamic_cast<const UsageError*>(&error)) {
    std::cerr << "tilescope: " << usage->what() << "\n";
    if (!usage->hint().empty()) std::cerr << usage->hint() << "\n";
  } else if (dynamic_cast<const DiagnosticsError*>(&error) != nullptr) {
    std::cerr << error.what();
  } else {
    std::cerr << "tilescope: " << error.what() << "\n";
  }
}

std::string told(double value) {
  return value == std::floor(value) && value < 1e15 ? grouped(value) : fmt::format("{:.4g}", value);
}

}  // namespace

std::vector<std::string> watched_paths(const std::vector<std::string>& words, const std::vector<std::string>& gpus) {
  std::set<std::string> paths;
  for (const std::string& word : words) {
    const fs::path file = word.substr(0, word.find('#'));
    std::error_code error;
    if (fs::is_directory(file, error)) paths.insert(file.string());
    if (fs::is_regular_file(file, error))
      paths.insert(file.has_parent_path() ? file.parent_path().string() : std::string("."));
  }
  for (const std::string& gpu : gpus) {
    std::error_code error;
    if (fs::is_regular_file(gpu, error)) paths.insert(gpu);
  }
  return {paths.begin(), paths.end()};
}

std::string changes(const std::vector<LabelledResult>& before, const std::vector<LabelledResult>& after) {
  if (before.size() != after.size()) return "";
  std::string text;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (before[i].label != after[i].label) return "";
    for (const std::string_view metric : kTold) {
      const std::optional<double> then = before[i].result.metric(metric), now = after[i].result.metric(metric);
      if (!then || !now || *then == *now) continue;
      text +=
          fmt::format("{}{} {} -> {}", after.size() == 1 ? "" : after[i].label + ": ", metric, told(*then), told(*now));
      if (*then != 0) text += fmt::format(" ({:+.1f} %)", 100 * (*now / *then - 1));
      text += "\n";
    }
  }
  return text;
}

void run_watched(const std::vector<std::string>& paths, std::ostream& out,
                 const std::function<std::vector<LabelledResult>()>& run) {
  FileWatch watch(paths);
  std::vector<LabelledResult> last;
  for (bool first = true;; first = false) {
    try {
      std::vector<LabelledResult> now = run();
      if (!last.empty() && !now.empty()) {
        const std::string differences = changes(last, now);
        out << "\nsince the last run:" << (differences.empty() ? " nothing has changed\n" : "\n" + differences);
      }
      last = std::move(now);
    } catch (const std::exception& error) {
      if (first && dynamic_cast<const UsageError*>(&error) != nullptr) throw;  // no edit of a file will help
      complain(error);
    }
    out << fmt::format("\nwaiting for a change in {} (Ctrl-C ends)\n", fmt::join(paths, ", ")) << std::flush;
    const StopRequest stop;
    while (!watch.changed()) {
      if (stop.signal_number() != 0) return;
      std::this_thread::sleep_for(kLookEvery);
    }
    std::this_thread::sleep_for(kLookEvery);  // whoever writes may not be done
    static_cast<void>(watch.changed());
  }
}

}  // namespace tilescope::cli
