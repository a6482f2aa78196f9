#include "sim/cli/sweep_study.h"

#include <fmt/format.h>

#include "models/support/accepted.h"
#include "models/support/diagnostic.h"
#include "models/support/suggest.h"
#include "models/support/text_file.h"
#include "sim/cli/find_config.h"
#include "sim/cli/usage_error.h"
#include "sim/studies/sweep/study_reader.h"

namespace tilescope::cli {
namespace {

tl::expected<std::string, std::string> gpu_file(const std::string& name) {
  try {
    return find_gpu(name);
  } catch (const UsageError& error) {
    return tl::unexpected(std::string(error.what()));
  }
}

// "sweep mrege": a misspelt action reads as a study.
void refuse_action(const std::string& word) {
  if (word.find_first_of("./") != std::string::npos || read_text_file(word)) return;
  const std::vector<std::string> actions = {"run", "plan", "merge", "export", "show", "diff", "submit"};
  throw UsageError(fmt::format("unknown action or study {}{}; must be a study file, {}", in_quotes(word),
                               did_you_mean(word, actions), list_of(actions)),
                   "see: tilescope sweep --help");
}

sweep::Plan plan_of(tl::expected<sweep::Study, Diagnostics> study) {
  if (!study) throw DiagnosticsError(study.error());
  auto plan = sweep::make_plan(std::move(*study));
  if (!plan) throw DiagnosticsError(plan.error());
  return std::move(*plan);
}

}  // namespace

sweep::Plan read_plan(const std::string& path) {
  refuse_action(path);
  return plan_of(sweep::read_study(path, gpu_file));
}

sweep::Plan read_plan_text(const std::string& text, const std::string& name) {
  return plan_of(sweep::read_study_text(text, name, gpu_file));
}

sweep::Shard shard_from(const Values& values) {
  if (values.count("shard") == 0) return {};
  const auto& text = values["shard"].as<std::string>();
  const std::size_t slash = text.find('/');
  const auto number = parse_integer(text.substr(0, slash));
  const auto of = slash == std::string::npos ? std::nullopt : parse_integer(text.substr(slash + 1));
  if (!number || !of || *of < 1 || *of > kMostShards || *number < 1 || *number > *of)
    throw UsageError(fmt::format("--shard: got {}; must be I/N, such as 1/4 to 4/4", in_quotes(text)));
  return {static_cast<std::size_t>(*number), static_cast<std::size_t>(*of)};
}

std::string points_text(std::size_t points) { return fmt::format("{} point{}", points, points == 1 ? "" : "s"); }

std::string duration_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace tilescope::cli
