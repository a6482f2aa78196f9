#include "sim/cli/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <thread>

#include "models/support/atomic_file.h"
#include "models/support/diagnostic.h"
#include "sim/cli/gpu_options.h"
#include "sim/cli/kernel_argument.h"
#include "sim/cli/limit_option.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/progress.h"
#include "sim/cli/run_bundle.h"
#include "sim/cli/run_view.h"
#include "sim/cli/run_watched.h"
#include "sim/cli/threads_option.h"
#include "sim/cli/usage_error.h"
#include "sim/results/views/activity_svg.h"
#include "sim/results/views/line_view.h"
#include "sim/results/views/perfetto_trace.h"
#include "sim/results/views/result_csv.h"
#include "sim/results/views/result_json.h"
#include "sim/results/views/result_table.h"
#include "sim/results/views/timeline_view.h"
#include "sim/simulate.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

std::vector<std::string> kernels_from(const Values& values) {
  if (values.count("KERNEL") == 0)
    throw UsageError("no KERNEL given; tilescope run KERNEL...", "see: tilescope list kernels");
  return values["KERNEL"].as<std::vector<std::string>>();
}

// Empty: none asked for.
std::string timeline_from(const Values& values, std::size_t kernels, Mode mode) {
  if (values.count("timeline") == 0) return "";
  const auto& path = values["timeline"].as<std::string>();
  if (!path.ends_with(".csv") && !path.ends_with(".json") && !path.ends_with(".svg"))
    throw UsageError("--timeline: got " + in_quotes(path) +
                     "; must end in .csv (a table), .json (a trace for Perfetto) or .svg (a picture of one CTA)");
  if (kernels > 1) throw UsageError("--timeline takes one KERNEL, got " + std::to_string(kernels));
  if (mode == Mode::counts) throw UsageError("--timeline needs --mode timing: counting knows no time");
  return path;
}

// The CTA that `timeline` shows; nullopt: none.
std::optional<std::int64_t> watched_cta(const Values& values, const std::string& timeline, const RunOptions& options) {
  if (timeline.empty() || timeline.ends_with(".csv")) {
    if (values.count("timeline-cta") != 0)
      throw UsageError("--timeline-cta needs --timeline FILE.json or --timeline FILE.svg");
    return std::nullopt;
  }
  if (timeline.ends_with(".svg") && options.sample != Sample::off)
    throw UsageError("--timeline FILE.svg needs --sample off");
  return whole_number(values, "timeline-cta", 0, {0, std::numeric_limits<std::int64_t>::max()});
}

// nullopt: totals are enough.
std::optional<By> by_from(const Values& values) {
  if (values.count("by") == 0) {
    if (values.count("top") != 0) throw UsageError("--top needs --by line or --by source");
    return std::nullopt;
  }
  return chosen(values, "by", {"line", "source"}) == "line" ? By::instruction : By::source;
}

// nullopt: all, in order.
std::optional<std::size_t> top_from(const Values& values) {
  if (values.count("top") == 0) return std::nullopt;
  return static_cast<std::size_t>(whole_number(values, "top", 0, {1, std::numeric_limits<std::int64_t>::max()}));
}

void refuse_missing_lines(const Kernel& kernel, const std::string& word) {
  if (knows_source_lines(kernel)) return;
  throw UsageError(
      "--by source: " + in_quotes(word) + " does not say which lines of source code its instructions are of",
      "compile with nvcc -lineinfo and disassemble with nvdisasm -hex -g; --by line needs neither");
}

std::string text_of(const std::vector<LabelledResult>& results, const std::string& format) {
  const bool by_line = results.front().result.lines.has_value();
  if (format == "table") return by_line ? line_table(results) : result_table(results);
  if (format == "csv") return by_line ? line_csv(results) : result_csv(results);
  if (results.size() == 1)
    return result_json(results.front().result).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
           "\n";
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const LabelledResult& one : results) all.push_back(result_json(one.result));
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::unique_ptr<AtomicFile> open_timeline(const std::string& path) {
  if (path.empty()) return nullptr;
  try {
    return std::make_unique<AtomicFile>(path);
  } catch (const std::system_error& error) {
    throw UsageError(error.what());
  }
}

int run_pictured(const Values& values, const std::vector<std::string>& words, const std::vector<GpuSpec>& gpus,
                 const RunOptions& options, std::ostream& out) {
  check_view_options(values, options, gpus.size());
  std::vector<NamedKernel> kernels;
  for (const std::string& word : words) {
    if (is_table_of_launches(word))
      throw UsageError(fmt::format("--view is for single launches; got {}", in_quotes(word)),
                       "one launch is DIR#ID; see: tilescope bundle list DIR");
    kernels.push_back({word, kernel_of_argument(values, word)});
  }
  return run_view(values, kernels, gpus.front(), options, out);
}

// `results`: of single launches.
int run_once(const Values& values, std::ostream& out, std::vector<LabelledResult>& results) {
  const std::vector<std::string> words = kernels_from(values);
  const bool pictured = values.count("view") != 0;
  const std::string format = chosen(
      values, "format",
      pictured ? std::vector<std::string>{"table", "json", "svg"} : std::vector<std::string>{"table", "json", "csv"});
  RunOptions options;
  options.mode = chosen(values, "mode", {"timing", "counts"}) == "timing" ? Mode::timing : Mode::counts;
  options.sample = chosen_sample(values);
  options.cache_control = chosen_cache_control(values);
  options.threads = threads_from(values);
  const std::optional<By> by = by_from(values);
  const std::optional<std::size_t> top = top_from(values);
  options.by_instruction = by.has_value();
  static_cast<void>(limits_from(values));  // a wrong one is refused with any KERNEL
  const std::string timeline = timeline_from(values, words.size(), options.mode);
  const std::optional<std::int64_t> watched = watched_cta(values, timeline, options);
  const std::vector<GpuSpec> gpus = gpus_from(values);
  if (pictured) return run_pictured(values, words, gpus, options, out);
  if (words.size() == 1 && is_table_of_launches(words.front()))
    return run_bundle_launches(values, words.front(), gpus, options, out);
  if (!timeline.empty() && gpus.size() > 1)
    throw UsageError("--timeline takes one --gpu, got " + std::to_string(gpus.size()));

  std::vector<std::unique_ptr<Kernel>> kernels;  // all of them before any work: a wrong one is refused at once
  kernels.reserve(words.size());
  for (const std::string& word : words) {
    kernels.push_back(kernel_of_argument(values, word));
    if (by == By::source) refuse_missing_lines(*kernels.back(), word);
  }
  if (watched && *watched >= kernels.front()->launch().grid.count())
    throw UsageError(fmt::format("--timeline-cta: got {}; must be below {}, the CTAs of the launch", *watched,
                                 kernels.front()->launch().grid.count()));
  CtaActivity activity(watched.value_or(-1));
  if (watched) options.activity = &activity;
  LaunchHistory history;
  if (timeline.ends_with(".json")) options.history = &history;
  const std::unique_ptr<AtomicFile> timeline_file = open_timeline(timeline);

  with_output(values, out, [&](std::ostream& stream) {
    for (std::size_t i = 0; i < words.size(); ++i)
      for (const GpuSpec& gpu : gpus) {
        const std::string label = gpus.size() == 1 ? words[i] : words[i] + ", " + gpu.name;
        ProgressLine progress(label);
        options.on_progress = [&progress](const Progress& p) { progress.show(p.fraction); };
        const RunOutcome outcome = simulate(gpu, *kernels[i], options);
        progress.done();
        Result result = make_result(gpu, kernels[i]->launch(), options, outcome);
        if (by) {
          result.lines = report_lines(*kernels[i], outcome.instructions, *by);
          if (top) result.lines->keep_hottest(*top);
        }
        if (values.count("wall") != 0) result.provenance.wall_seconds = progress.seconds();
        results.push_back({label, std::move(result)});
        if (timeline_file)
          timeline_file->stream() << (timeline.ends_with(".svg")
                                          ? activity_svg(activity,
                                                         fmt::format("CTA {} of {}, {}", *watched, words[i], gpu.name))
                                      : timeline.ends_with(".csv")
                                          ? timeline_csv(outcome.timeline)
                                          : perfetto_trace({outcome.timeline, history, activity, gpu.clock.sm_mhz,
                                                            outcome.sampled_fraction}));
      }
    stream << text_of(results, format);
  });
  if (timeline_file) timeline_file->commit();
  return ok;
}

int run_kernels(const Values& values, std::ostream& out) {
  std::vector<LabelledResult> results;
  if (values.count("watch") == 0) return run_once(values, out, results);
  const std::vector<std::string> paths = watched_paths(kernels_from(values), words_of(values, "gpu"));
  if (paths.empty()) throw UsageError("--watch: no KERNEL or --gpu is a file that could change");
  run_watched(paths, out, [&] {
    results.clear();
    run_once(values, out, results);
    return results;
  });
  return ok;
}

}  // namespace

Command run_command() {
  Command command;
  command.name = "run";
  command.summary = "Run a kernel through the modelled GPU";
  command.usage = "run KERNEL... [options]";
  command.details =
      "KERNEL is a built-in kernel (tilescope list kernels), a launch file (.yaml) for compiled code, a launch of a "
      "bundle\n"
      "(DIR#ID), or a .tst trace. Several stand side by side, one column each; NAME:KEY=VALUE,KEY=VALUE gives one of "
      "them\n"
      "parameters of its own. DIR simulates all launches of a bundle, DIR#PATTERN those whose kernel's name has the "
      "regular\n"
      "expression: a row each and totals per kernel; exit code 1 when a launch failed or none could be simulated.";
  command.examples =
      "tilescope run gemm_tiled --gpu h100 -p M=1024 -p N=1024 -p K=1024\n"
      "tilescope run gemm_naive gemm_tiled gemm_tiled:swizzle=xor -p M=1024 -p N=1024 -p K=1024\n"
      "tilescope run gemm_tiled --set l2.size_mib=30 --mode counts --format json -o result.json\n"
      "tilescope run gemm_tiled --sample off --timeline ctas.csv\n"
      "tilescope run gemm_tiled -p M=1024 -p N=1024 -p K=1024 --timeline gemm.json\n"
      "tilescope run gemm_naive gemm_tiled gemm_register --view roofline --format svg -o roofline.svg\n"
      "tilescope run gemm_register --view occupancy\n"
      "tilescope run gemm_naive gemm_tiled --view traffic -p M=512 -p N=512 -p K=512\n"
      "tilescope run gemm_tiled --sample off --timeline cta.svg --timeline-cta 5\n"
      "tilescope run traces/samples/sass/gemm_naive.yaml\n"
      "tilescope run traces/samples/sass/gemm_tiled.yaml --by line --top 10\n"
      "tilescope run traces/samples/sass/gemm_tiled.yaml --watch\n"
      "tilescope run train.bundle --gpu a100_40 --gpu h200\n"
      "tilescope run 'train.bundle#softmax' --format csv -o softmax.csv\n"
      "tilescope run train.bundle#7 --by line";
  command.declare = [](CommandLine& line) {
    line.words = {"KERNEL"};
    line.many = true;
    add_several_gpus_options(line.options);
    add_parameter_option(line.options);
    add_limit_option(line.options);
    auto text = [&](const char* name, const char* standard, const char* accepted, const char* meaning) {
      line.options.add_options()(name, po::value<std::string>()->default_value(standard)->value_name(accepted),
                                 meaning);
    };
    text("mode", "timing", "timing|counts", "counts: conflicts and traffic without cycles, in a blink");
    text("sample", "auto", "auto|fast|off",
         "off: every instruction; auto: of large launches a part, with an estimated error; fast: less of them");
    add_cache_control_option(line.options);
    line.options.add_options()("threads", po::value<std::string>()->value_name("N"),
                               "threads to work with, all of the machine's unless given; the result is the same");
    text("format", "table", "table|json|csv", "of the answer; of a --view: table, json or svg");
    line.options.add_options()("view", po::value<std::string>()->value_name("VIEW"),
                               "in place of the table: roofline (how far below which roof), occupancy (what limits the "
                               "CTAs of an SM) or traffic (bytes asked and moved)");
    line.options.add_options()("by", po::value<std::string>()->value_name("line|source"),
                               "counters and stalls of each instruction, or of each line of source code");
    line.options.add_options()("top", po::value<std::string>()->value_name("N"), "of --by: the N hottest lines alone");
    line.options.add_options()(
        "timeline", po::value<std::string>()->value_name("FILE"),
        "when each CTA ran: a table (.csv); what SMs, warps, L2 and HBM did over time: a trace for\n"
        "Perfetto (.json); what one CTA's warps did and waited for: a picture (.svg)");
    line.options.add_options()("timeline-cta", po::value<std::string>()->value_name("N"),
                               "of --timeline FILE.json or FILE.svg: whose warps are shown (0)");
    line.options.add_options()(
        "watch",
        "run again whenever the launch file, anything beside it or a GPU's file changes, and say "
        "what that\nhas changed; until Ctrl-C");
    line.options.add_options()(
        "wall",
        "put the seconds the run took into the JSON's provenance; without it they are null, and\n"
        "equal runs give equal bytes");
    add_output_option(line.options);
  };
  command.run = run_kernels;
  return command;
}

}  // namespace tilescope::cli
