#include "sim/cli/calibrate_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <thread>

#include "models/support/accepted.h"
#include "models/support/atomic_file.h"
#include "models/support/diagnostic.h"
#include "models/support/suggest.h"
#include "models/support/text_file.h"
#include "sim/cli/find_config.h"
#include "sim/cli/find_mapping.h"
#include "sim/cli/gpu_options.h"
#include "sim/cli/parse.h"
#include "sim/cli/progress.h"
#include "sim/cli/threads_option.h"
#include "sim/cli/usage_error.h"
#include "sim/studies/calibrate/calibration.h"
#include "sim/studies/calibrate/calibration_plan.h"
#include "sim/studies/calibrate/calibration_view.h"
#include "sim/studies/calibrate/fitted_text.h"
#include "sim/studies/calibrate/training_cases.h"
#include "sim/studies/measured/measurement_reader.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;
namespace cal = tilescope::calibrate;

using Words = std::vector<std::string>;

template <class T>
T value_of(tl::expected<T, Diagnostics> expected) {
  if (!expected) throw DiagnosticsError(expected.error());
  return std::move(*expected);
}

Words measured_files(const Values& values) {
  Words files = words_of(values, "measured");
  if (files.empty()) throw UsageError("no --measured FILE given", "see: tilescope calibrate --help");
  Diagnostics errors;
  for (const std::string& file : files) {
    const auto text = read_text_file(file, largest_measured_file);
    if (!text) {
      errors.push_back(text.error());
    } else if (const auto why = cal::held_out(file, *text)) {
      errors.push_back(*why);
    }
  }
  if (!errors.empty()) throw DiagnosticsError(errors);
  return files;
}

std::vector<const Metric*> metrics_from(const Values& values) {
  std::vector<std::string> known;
  for (const Metric& metric : metrics()) known.push_back(metric.name);
  std::vector<const Metric*> chosen;
  Diagnostics errors;
  for (const std::string& name : words_of(values, "metric")) {
    const Metric* metric = find_metric(name);
    if (metric == nullptr)
      errors.push_back(
          {"--metric " + name, 0, 0, "unknown metric" + did_you_mean(name, known) + "; see: tilescope list metrics"});
    else if (std::find(chosen.begin(), chosen.end(), metric) != chosen.end())
      errors.push_back({"--metric " + name, 0, 0, "given more than once"});
    else
      chosen.push_back(metric);
  }
  if (!errors.empty()) throw DiagnosticsError(errors);
  return chosen;
}

cal::TrainingCases cases_from(const Values& values, const Words& files, const std::vector<const Metric*>& chosen) {
  const auto most = static_cast<double>(whole_number(values, "max-instructions", 0, {1, std::int64_t{1} << 50U}));
  const KernelMapping mapping = mapping_from(values);
  cal::TrainingCases training =
      cal::training_cases(match_rows(value_of(read_measurements(files)), mapping), chosen, most);
  if (!training.cases.empty()) return training;
  std::string text = fmt::format("{}: no row can be fitted to", list_of(files, "and"));
  for (const cal::LeftOut& row : training.left_out) text += "\n  " + row.label + ": " + row.reason;
  throw UsageError(text);
}

std::unique_ptr<AtomicFile> open_output(const Values& values) {
  if (values.count("output") == 0)
    throw UsageError("no -o FILE given; must name the file for the fitted GPU (or use --dry-run)");
  try {
    return std::make_unique<AtomicFile>(values["output"].as<std::string>());
  } catch (const std::system_error& error) {
    throw UsageError(error.what());
  }
}

// Refused before the fit, not after it.
void check_replaceable(const cal::GpuFile& gpu, const std::vector<cal::ChosenParameter>& parameters) {
  cal::Calibration unchanged;
  for (const cal::ChosenParameter& parameter : parameters)
    unchanged.parameters.push_back({parameter, parameter.before, std::nullopt, cal::AtBound::no});
  value_of(cal::fitted_text(gpu, unchanged));
}

int run_calibrate(const Values& values, std::ostream& out) {
  const std::string format = chosen(values, "format", {"table", "json"});
  const bool dry = values.count("dry-run") != 0;
  if (dry && format == "json") throw UsageError("--dry-run prints a table only; must be --format table");
  if (values.count("set") != 0)
    throw UsageError(
        "--set: not supported, since the fitted file is the GPU's own with nothing but fitted values "
        "replaced; put the value into a copy of that file and give it as --gpu");
  cal::CalibrationOptions options;
  options.most_iterations = static_cast<int>(whole_number(values, "max-iterations", 0, {1, 1000}));
  options.sample = chosen_sample(values);
  options.threads = threads_from(values);
  const auto metrics = metrics_from(values);
  const Words files = measured_files(values);
  const cal::GpuFile gpu = value_of(cal::read_gpu_file(find_gpu(values["gpu"].as<std::string>())));
  const auto parameters =
      value_of(cal::choose_parameters(gpu, words_of(values, "parameter"), cal::metrics_or_time(metrics)));
  check_replaceable(gpu, parameters);
  const std::unique_ptr<AtomicFile> file = dry ? nullptr : open_output(values);
  const cal::TrainingCases training = cases_from(values, files, metrics);
  if (dry) {
    out << cal::plan_table(gpu, parameters, training, options.most_iterations);
    return ok;
  }

  ProgressLine progress("calibrate, if all iterations are needed");
  options.on_progress = [&](std::size_t done, std::size_t expected) {
    progress.show(static_cast<double>(done) / static_cast<double>(expected));
  };
  auto calibration = cal::calibrate(gpu, parameters, training.cases, options);
  if (!calibration) throw std::runtime_error(calibration.error());
  calibration->measured_files = files;
  calibration->left_out = training.left_out;
  file->stream() << value_of(cal::fitted_text(gpu, *calibration));
  out << (format == "json" ? cal::calibration_json(*calibration) : cal::calibration_table(*calibration));
  file->commit();
  return ok;
}

}  // namespace

Command calibrate_command() {
  Command command;
  command.name = "calibrate";
  command.summary = "Fit a GPU's free parameters to measurements";
  command.usage = "calibrate --measured FILE... [options] -o FITTED.yaml";
  command.details =
      "Minimises the squares of log(predicted/measured) over the launches in FILE (Nsight Compute's --csv --page raw,\n"
      "or a file as in gpu/measured), and writes the GPU's file with the fitted values in place. Refuses, with exit\n"
      "code 1, what the measurements do not determine. docs/calibrate.md says which parameters are free.";
  command.examples =
      "tilescope calibrate --measured gpu/measured/h200/gemm_train.csv --dry-run\n"
      "tilescope calibrate --measured gpu/measured/h200/gemm_train.csv --parameter lsu.pipeline_cycles -o fitted.yaml\n"
      "tilescope calibrate --measured mine.csv --gpu mine.yaml --parameter hbm.latency_ns=80:200 -o fitted.yaml";
  command.declare = [](CommandLine& line) {
    auto add = line.options.add_options();
    auto many = [] { return po::value<Words>()->composing(); };
    auto text = [](const std::string& standard) { return po::value<std::string>()->default_value(standard); };
    add("measured", many()->value_name("FILE"), "measurements to fit to: training data; may be repeated");
    add_gpu_options(line.options);
    add_mapping_option(line.options);
    add("parameter", many()->value_name("KEY[=LOW:HIGH]"),
        "fit this one, within these bounds; may be repeated; all that are free unless given");
    add("metric", many()->value_name("NAME"),
        "fit this one; may be repeated; gpc__cycles_elapsed.max unless given, or gpu__time_duration.sum\n"
        "for a row that has no cycles");
    add("max-iterations", text("20")->value_name("N"), "steps of the fit");
    add("max-instructions", text("50000000")->value_name("N"), "leave out launches of more warp instructions");
    add("sample", text("auto")->value_name("auto|fast|off"), "of each simulation; off: every instruction");
    add("threads", po::value<std::string>()->value_name("N"),
        "launches to simulate side by side, all of the machine's threads unless given; the result is the same");
    add("format", text("table")->value_name("table|json"), "of the report on the standard output");
    add("dry-run", "show launches, parameters and the number of simulations; simulate and write nothing");
    add("output,o", po::value<std::string>()->value_name("FILE"), "the fitted GPU's file, whole or not at all");
  };
  command.run = run_calibrate;
  return command;
}

}  // namespace tilescope::cli
