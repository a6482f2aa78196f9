// The study of a sweep command's STUDY word, and the values that several of those commands take.
#pragma once

#include <string>

#include "sim/cli/command.h"
#include "sim/studies/sweep/plan.h"

namespace tilescope::cli {

constexpr int kMostShards = 100'000;
constexpr int kMostJobs = 1024;

// Throws DiagnosticsError with everything that is wrong with the file.
sweep::Plan read_plan(const std::string& path);
// The same of a study's text, as if it stood in the file `name` of the current folder.
sweep::Plan read_plan_text(const std::string& text, const std::string& name);

// "2/4": the second of four shards. UsageError for anything else.
sweep::Shard shard_from(const Values& values);

// "1 point", "12 points".
std::string points_text(std::size_t points);

// "0.4 s", "12 s", "5 min", "3.2 h".
std::string duration_text(double seconds);

}  // namespace tilescope::cli
