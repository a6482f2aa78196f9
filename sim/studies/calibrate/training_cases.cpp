#include "sim/studies/calibrate/training_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>

#include "sim/results/views/number_text.h"
#include "sim/studies/compare/case_runs.h"
#include "traces/kernels/registry.h"

namespace tilescope::calibrate {
namespace {

// The word that says so, as it is written there; "" for none.
std::string held_out_word(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string_view first : {"hold", "held"}) {
    for (std::size_t at = lower.find(first); at != std::string::npos; at = lower.find(first, at + 1)) {
      std::size_t end = at + first.size();
      if (end < lower.size() && std::string_view("-_ ").find(lower[end]) != std::string_view::npos) ++end;
      if (lower.compare(end, 3, "out") == 0) return std::string(text.substr(at, end + 3 - at));
    }
  }
  return "";
}

constexpr const char* kWhyNot = "; must be training data, since a prediction of what was fitted to is no prediction";

std::string row_name(const Measurement& row) { return fmt::format("{}:{}: {}", row.file, row.line, row.label()); }

std::vector<Target> targets_of(const Measurement& row, const std::vector<const Metric*>& metrics) {
  std::vector<Target> targets;
  for (const Metric* metric : metrics_or_time(metrics)) {
    const auto value = row.metric(metric->name);
    if (value && *value > 0) targets.push_back({row.label(), metric, *value});
    if (metrics.empty() && !targets.empty()) break;  // time only where there are no cycles
  }
  return targets;
}

}  // namespace

std::vector<const Metric*> metrics_or_time(const std::vector<const Metric*>& metrics) {
  if (!metrics.empty()) return metrics;
  return {find_metric("gpc__cycles_elapsed.max"), find_metric("gpu__time_duration.sum")};
}

std::optional<Diagnostic> held_out(const std::string& path, const std::string& text) {
  const std::string in_name = held_out_word(std::filesystem::path(path).filename().string());
  if (!in_name.empty()) return Diagnostic{path, 0, 0, fmt::format("its name says {}{}", in_quotes(in_name), kWhyNot)};
  std::string_view rest = text;
  for (int line = 1; rest.starts_with('#') || rest.starts_with("=="); ++line) {
    const std::string_view here = rest.substr(0, rest.find('\n'));
    const std::string word = held_out_word(here);
    if (!word.empty()) return Diagnostic{path, line, 1, fmt::format("its header says {}{}", in_quotes(word), kWhyNot)};
    rest.remove_prefix(std::min(here.size() + 1, rest.size()));
  }
  return std::nullopt;
}

TrainingCases training_cases(const MatchedRows& rows, const std::vector<const Metric*>& metrics,
                             double most_instructions) {
  TrainingCases result;
  std::map<MappedKernel, std::size_t> known;  // where in result.cases
  for (const UnmatchedRow& row : rows.unmatched) result.left_out.push_back({row_name(row.measured), row.reason});
  for (const MatchedRow& row : rows.matched) {
    std::vector<Target> targets = targets_of(row.measured, metrics);
    const double instructions = targets.empty() ? 0 : warp_instructions(row);
    if (targets.empty() || instructions > most_instructions) {
      result.left_out.push_back(
          {row_name(row.measured), targets.empty() ? "has no value above zero of the chosen metrics"
                                                   : fmt::format("has {} warp instructions, more than the {} allowed",
                                                                 grouped(instructions), grouped(most_instructions))});
      continue;
    }
    const auto [place, is_new] = known.emplace(row.mapped, result.cases.size());
    if (is_new) {
      auto kernel = make_kernel(row.mapped);
      if (!kernel) throw std::logic_error("a matched row whose kernel can not be made: " + kernel.error());
      result.cases.push_back({row.measured.label(), std::move(*kernel), instructions, {}});
    }
    auto& all = result.cases[place->second].targets;
    std::move(targets.begin(), targets.end(), std::back_inserter(all));
  }
  return result;
}

}  // namespace tilescope::calibrate
