#include "sim/cli/compare_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "models/support/diagnostic.h"
#include "models/support/name_pattern.h"
#include "models/support/suggest.h"
#include "sim/cli/find_mapping.h"
#include "sim/cli/gpu_options.h"
#include "sim/cli/output.h"
#include "sim/cli/outside_tolerance.h"
#include "sim/cli/parse.h"
#include "sim/cli/progress.h"
#include "sim/cli/threads_option.h"
#include "sim/cli/usage_error.h"
#include "sim/studies/compare/case_runs.h"
#include "sim/studies/compare/compare_view.h"
#include "sim/studies/measured/bundle_rows.h"
#include "sim/studies/measured/measurement_reader.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

Words compared_from(const Values& values) {
  Words names;
  for (const ComparedMetric& metric : compared_metrics()) names.push_back(metric.name);
  Words chosen = words_of(values, "metric");
  for (const std::string& name : chosen)
    if (find_compared_metric(name) == nullptr)
      throw UsageError("--metric: unknown metric " + in_quotes(name) + did_you_mean(name, names),
                       "see: tilescope list metrics, and docs/compare.md");
  return chosen;
}

std::vector<Tolerance> tolerances_from(const Values& values) {
  std::vector<Tolerance> tolerances;
  for (const std::string& text : words_of(values, "tolerance")) {
    auto tolerance = parse_tolerance(text);
    if (!tolerance) throw UsageError("--tolerance: " + tolerance.error());
    tolerances.push_back(*tolerance);
  }
  return tolerances;
}

std::optional<double> most_instructions(const Values& values) {
  if (values.count("max-instructions") == 0) return std::nullopt;
  const auto& text = values["max-instructions"].as<std::string>();
  double number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stopped != text.data() + text.size() || !(number >= 1))
    throw UsageError("--max-instructions: got " + in_quotes(text) + "; must be a number of at least 1, such as 5e7");
  return number;
}

// Keeps the rows whose kernel the pattern occurs in, as it stands or as a regular expression.
std::size_t keep_kernels(std::vector<Measurement>& rows, const Values& values) {
  if (values.count("kernels") == 0) return 0;
  const auto& pattern = values["kernels"].as<std::string>();
  const auto expression = NamePattern::make(pattern);
  const std::size_t left_out = std::erase_if(rows, [&](const Measurement& row) {
    return row.kernel.find(pattern) == std::string::npos && !(expression && expression->occurs_in(row.kernel));
  });
  return left_out;
}

void refuse_no_kernel(const Values& values) {
  const auto& pattern = values["kernels"].as<std::string>();
  const auto expression = NamePattern::make(pattern);
  throw UsageError("--kernels: got " + in_quotes(pattern) + "; no measured kernel's name has it" +
                   (expression ? "" : ", and it is no regular expression (" + expression.error() + ")"));
}

MatchedRows rows_by_mapping(const Values& values, const Words& files, std::size_t& left_out) {
  const KernelMapping mapping = mapping_from(values);
  auto measured = read_measurements(files);
  if (!measured) throw DiagnosticsError(measured.error());
  left_out = keep_kernels(*measured, values);
  if (measured->empty()) refuse_no_kernel(values);
  return match_rows(*std::move(measured), mapping);
}

std::size_t keep_small(MatchedRows& rows, std::optional<double> most) {
  if (!most) return 0;
  const std::size_t left_out =
      std::erase_if(rows.matched, [most](const MatchedRow& row) { return warp_instructions(row) > *most; });
  if (rows.matched.empty() && left_out > 0)
    throw UsageError(fmt::format("--max-instructions: got {:g}; every matched launch has more", *most));
  return left_out;
}

// Each file of measurements beside the bundle of the same place; errors of all of them.
MatchedRows rows_of_bundles(const Values& values, const Words& files, std::size_t& left_out) {
  const Words folders = words_of(values, "bundle");
  if (folders.size() != files.size())
    throw UsageError(
        fmt::format("--bundle names {} and --measured {}; must be as many, each file the measurement of "
                    "the bundle at its place",
                    folders.size(), files.size()));
  if (!values["mapping"].defaulted()) throw UsageError("--mapping: goes without --bundle");
  MatchedRows all;
  std::size_t kept = 0;
  Diagnostics errors;
  const auto add_errors = [&errors](const Diagnostics& more) { errors.insert(errors.end(), more.begin(), more.end()); };
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto bundle = bundle::read_bundle(folders[i]);
    auto measured = read_measurements({files[i]});
    if (!bundle) add_errors(bundle.error());
    if (!measured) add_errors(measured.error());
    if (!bundle || !measured) continue;
    left_out += keep_kernels(*measured, values);
    kept += measured->size();
    auto rows = match_bundle(*std::move(measured), *bundle);
    if (!rows) {
      add_errors(rows.error());
      continue;
    }
    std::move(rows->matched.begin(), rows->matched.end(), std::back_inserter(all.matched));
    std::move(rows->unmatched.begin(), rows->unmatched.end(), std::back_inserter(all.unmatched));
  }
  if (!errors.empty()) throw DiagnosticsError(errors);
  if (kept == 0) refuse_no_kernel(values);
  return all;
}

void refuse_nothing_matched(const MatchedRows& rows) {
  if (!rows.matched.empty()) return;
  Diagnostics errors;
  for (const UnmatchedRow& row : rows.unmatched)
    errors.push_back({row.measured.file, row.measured.line, 1,
                      "kernel " + in_quotes(row.measured.kernel) + " can not be compared: " + row.reason});
  throw DiagnosticsError(errors);
}

std::string text_of(const Comparison& comparison, const std::vector<Judgement>& judgements, const std::string& format) {
  if (format == "json") return compare_json(comparison, judgements);
  if (format == "csv") return compare_csv(comparison);
  if (format == "svg") return compare_svg(comparison);
  if (format == "junit") return compare_junit(comparison, judgements);
  return compare_table(comparison, judgements);
}

void refuse_outside(const std::vector<Judgement>& judgements, const Comparison& comparison) {
  std::string offending;
  for (const Judgement& judgement : judgements)
    if (!judgement.within) offending += (offending.empty() ? "" : "\n") + to_string(judgement, comparison);
  if (!offending.empty()) throw OutsideTolerance(offending);
}

int run_compare(const Values& values, std::ostream& out) {
  const Words files = words_of(values, "measured");
  if (files.empty()) throw UsageError("no --measured FILE given; tilescope compare --measured FILE...");
  const std::string format = chosen(values, "format", {"table", "json", "csv", "junit", "svg"});
  ComparisonRequest request;
  request.options.mode = chosen(values, "mode", {"timing", "counts"}) == "timing" ? Mode::timing : Mode::counts;
  request.options.sample = chosen_sample(values);
  request.options.cache_control = chosen_cache_control(values);
  request.options.threads = threads_from(values);
  request.metrics = compared_from(values);
  request.stalls = values.count("stalls") != 0;
  const std::vector<Tolerance> tolerances = tolerances_from(values);
  if (format == "junit" && tolerances.empty())
    throw UsageError("--format junit needs --tolerance: what is to be judged");
  for (const Tolerance& tolerance : tolerances)
    if (!request.metrics.empty() && !tolerance.metric.empty() &&
        std::find(request.metrics.begin(), request.metrics.end(), tolerance.metric) == request.metrics.end())
      request.metrics.push_back(tolerance.metric);
  const auto most = most_instructions(values);
  const GpuSpec gpu = gpu_from(values);

  std::size_t left_out = 0;
  MatchedRows rows =
      values.count("bundle") != 0 ? rows_of_bundles(values, files, left_out) : rows_by_mapping(values, files, left_out);
  refuse_nothing_matched(rows);
  left_out += keep_small(rows, most);

  Comparison comparison;
  std::vector<Judgement> judgements;
  with_output(values, out, [&](std::ostream& stream) {
    ProgressLine progress("compare");
    request.options.on_progress = [&progress](const Progress& p) { progress.show(p.fraction); };
    comparison = compare(gpu, std::move(rows), request);
    progress.done();
    comparison.files = files;
    comparison.left_out = left_out;
    auto judged = judge(comparison, tolerances);
    if (!judged) throw UsageError("--tolerance: " + judged.error());
    judgements = *std::move(judged);
    stream << text_of(comparison, judgements, format);
  });
  refuse_outside(judgements, comparison);
  return ok;
}

void declare(CommandLine& line) {
  const auto many = [] { return po::value<Words>()->multitoken()->composing(); };
  const auto text = [&line](const char* name, const char* standard, const char* accepted, const char* meaning) {
    line.options.add_options()(name, po::value<std::string>()->default_value(standard)->value_name(accepted), meaning);
  };
  line.options.add_options()("measured", many()->value_name("FILE..."),
                             "what a GPU measured: ncu --csv --page raw, or a table such as "
                             "gpu/measured/h200/gemm_train.csv");
  line.options.add_options()("bundle", many()->value_name("DIR..."),
                             "what was launched: a bundle for each file of measurements, in their order; rows are "
                             "matched by launch order and kernel, without a mapping");
  add_mapping_option(line.options);
  add_gpu_options(line.options);
  text("mode", "timing", "timing|counts", "counts: conflicts and traffic without cycles, in a blink");
  text("sample", "auto", "auto|fast|off", "off: every instruction; auto: of large launches a part; fast: less of them");
  add_cache_control_option(line.options);
  add_threads_option(
      line.options,
      "simulations at a time, one for each of the machine's threads unless given; the answer is the same");
  line.options.add_options()("kernels", po::value<std::string>()->value_name("PATTERN"),
                             "only kernels in whose name this occurs, as it stands or as a regular expression");
  line.options.add_options()("max-instructions", po::value<std::string>()->value_name("N"),
                             "only launches of up to N warp instructions, such as 5e7");
  line.options.add_options()("metric", many()->value_name("NAME..."),
                             "what to compare: any of `tilescope list metrics` that was measured");
  line.options.add_options()("stalls", "also what warps wait for, side by side");
  line.options.add_options()("tolerance", many()->value_name("[METRIC=]P%"),
                             "exit with 3 if the mean absolute error (MAPE) of the metric, cycles unless named, is "
                             "larger, or has no value because 0 was measured; for shares in points, such as L1 hit "
                             "rates, percentage points; may be repeated");
  text("format", "table", "table|json|csv|junit|svg",
       "of the answer; junit has a test per case and judged metric, svg plots the first metric");
  add_output_option(line.options);
}

}  // namespace

Command compare_command() {
  Command command;
  command.name = "compare";
  command.summary = "Hold predictions against what a GPU measured, per kernel and in total";
  command.usage = "compare --measured FILE... [options]";
  command.details =
      "Simulates the launches of every row that a built-in kernel models, or that a bundle has, and lists the others "
      "with\n"
      "the reason.";
  command.examples =
      "tilescope compare --measured gpu/measured/h200/gemm_train.csv --max-instructions 5e7\n"
      "tilescope compare --measured profile.ncu.csv --gpu h100 --mapping my_kernels.yaml --stalls\n"
      "tilescope compare --bundle train.bundle --measured train.ncu.csv --gpu h200\n"
      "tilescope compare --measured gemm.csv --kernels gemm_tiled --metric dram__bytes_read.sum --format csv -o "
      "out.csv\n"
      "tilescope compare --measured gemm.csv --tolerance 10% --tolerance dram__bytes_read.sum=15% --format junit";
  command.declare = declare;
  command.run = run_compare;
  return command;
}

}  // namespace tilescope::cli
