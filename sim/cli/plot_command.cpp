#include "sim/cli/plot_command.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>

#include "sim/cli/gpu_options.h"
#include "sim/cli/kernel_argument.h"
#include "sim/cli/limit_option.h"
#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/plot_sweep.h"
#include "sim/cli/progress.h"
#include "sim/cli/run_bundle.h"
#include "sim/cli/run_view.h"
#include "sim/cli/sweep_table_options.h"
#include "sim/cli/threads_option.h"
#include "sim/cli/usage_error.h"
#include "sim/results/views/residency_chart.h"
#include "sim/results/views/roofline_chart.h"

namespace tilescope::cli {
namespace {

namespace po = boost::program_options;

constexpr int kWidthOfNoTerminal = 80;

// Of the terminal, where the answer goes to one.
int usual_width(const Values& values) {
  winsize size{};
  if (values.count("output") != 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return kWidthOfNoTerminal;
  return std::clamp<int>(size.ws_col, kLeastChartWidth, kMostChartWidth);
}

ChartStyle style_from(const Values& values) {
  return {static_cast<int>(whole_number(values, "width", usual_width(values), {kLeastChartWidth, kMostChartWidth})),
          values.count("ascii") != 0};
}

void refuse_options(const Values& values, std::initializer_list<const char*> options, const char* why) {
  for (const char* option : options)
    if (values.count(option) != 0 && !values[option].defaulted()) throw UsageError(fmt::format("--{} {}", option, why));
}

std::string timeline_of(const NamedKernel& named, const GpuSpec& gpu, RunOptions options, const ChartStyle& style) {
  ProgressLine progress(named.word);
  options.on_progress = [&progress](const Progress& p) { progress.show(p.fraction); };
  const RunOutcome outcome = simulate(gpu, *named.kernel, options);
  progress.done();
  const bool sampled = outcome.sampled_fraction < 1;
  const ResidencyChart chart{fmt::format("{} on {}: CTAs on the SMs", named.word, gpu.name),
                             outcome.timeline,
                             static_cast<int>(gpu.sm.count()),
                             static_cast<int>(outcome.occupancy.ctas_per_sm),
                             sampled ? 0 : outcome.cycles,
                             gpu.clock.sm_mhz};
  const std::string note = fmt::format("of the {:.3g} % of the launch that was timed; --sample off: all of it\n",
                                       100 * outcome.sampled_fraction);
  return residency_chart(chart, style) + (sampled ? note : "");
}

std::string kernel_plot(const Values& values, const std::vector<std::string>& words, const ChartStyle& style) {
  refuse_options(values, {"x", "y", "series", "log", "where", "study"}, "is for stores; it does not go with --view");
  const std::string view = chosen(values, "view", {"roofline", "timeline"});
  if (view == "timeline" && words.size() > 1)
    throw UsageError(fmt::format("--view timeline takes one KERNEL, got {}", words.size()));
  if (words.size() > kMostChartedKernels)
    throw UsageError(
        fmt::format("--view roofline takes at most {} KERNELs, got {}", kMostChartedKernels, words.size()));
  RunOptions options;
  options.sample = chosen_sample(values);
  options.threads = threads_from(values);
  const GpuSpec gpu = gpu_from(values);
  std::vector<NamedKernel> kernels;
  for (const std::string& word : words) {
    if (is_table_of_launches(word))
      throw UsageError("plot is for single launches; got " + in_quotes(word),
                       "one launch is DIR#ID; see: tilescope bundle list DIR");
    kernels.push_back({word, kernel_of_argument(values, word)});
  }
  return view == "timeline" ? timeline_of(kernels.front(), gpu, options, style)
                            : roofline_chart(roofline_of(kernels, gpu, options), style);
}

int run_plot(const Values& values, std::ostream& out) {
  if (values.count("KERNEL") == 0)
    throw UsageError("no STORE or KERNEL given; tilescope plot STORE... | KERNEL...", "see: tilescope plot --help");
  const auto& words = values["KERNEL"].as<std::vector<std::string>>();
  const ChartStyle style = style_from(values);
  std::string text;
  if (values.count("view") != 0) {
    text = kernel_plot(values, words, style);
  } else {
    if (values.count("x") == 0 || values.count("y") == 0)
      throw UsageError("must be given --x and --y (of a store's points), or --view (of kernels)",
                       "see: tilescope plot --help");
    refuse_options(values, {"gpu", "set", "param", "sample", "threads", "limit"}, "is for kernels; it needs --view");
    text = sweep_plot(values, words, style);
  }
  with_output(values, out, [&](std::ostream& stream) { stream << text; });
  return ok;
}

}  // namespace

Command plot_command() {
  Command command;
  command.name = "plot";
  command.summary = "Draw a chart in the terminal: points of a sweep, a roofline, when CTAs ran";
  command.usage = "plot STORE... --x NAME --y METRIC | KERNEL... --view VIEW [options]";
  command.details =
      "Of stores (tilescope sweep): a METRIC over a parameter, a line for each value of --series and each store; bars "
      "where\n"
      "the parameter's values are words. Of points that share both, the best counts; METRIC:max or METRIC:min says "
      "what is\n"
      "good. NAME and METRIC are columns of `sweep export`.\n"
      "Of kernels: runs them. roofline: operations per byte at each level against the speed. timeline: the CTAs of "
      "groups of\n"
      "SMs over time, darker where more places are taken.";
  command.examples =
      "tilescope plot tiles.db --x bm --y tflops --series raster\n"
      "tilescope plot before.db after.db --x M --y gpc__cycles_elapsed.max --log --where \"bm == 64\"\n"
      "tilescope plot gemm_naive gemm_tiled gemm_register --view roofline\n"
      "tilescope plot gemm_tiled --view timeline --sample off --width 120 --ascii";
  command.declare = [](CommandLine& line) {
    line.words = {"KERNEL"};  // or STORE: where words are completed, a file is a KERNEL too
    line.many = true;
    const auto text = [&](const char* name, const char* accepted, const char* meaning) {
      line.options.add_options()(name, po::value<std::string>()->value_name(accepted), meaning);
    };
    text("x", "NAME", "of stores: what stands to the right, such as bm");
    text("y", "METRIC", "of stores: what stands upwards, such as tflops");
    text("series", "NAME", "of stores: a line for each of its values");
    line.options.add_options()("log", "of stores: METRIC on a logarithmic axis");
    add_where_options(line.options);
    text("view", "roofline|timeline", "of kernels: what to draw");
    add_gpu_options(line.options);
    add_parameter_option(line.options);
    add_limit_option(line.options);
    line.options.add_options()("sample", po::value<std::string>()->default_value("auto")->value_name("auto|fast|off"),
                               "of kernels: how much of a large launch is timed instruction by instruction");
    add_threads_option(line.options, "threads to work with, all of the machine's unless given; the result is the same");
    text("width", "N", "characters of a line, the terminal's unless given, else 80");
    line.options.add_options()("ascii", "nothing but ASCII; otherwise blocks and Braille dots");
    add_output_option(line.options);
  };
  command.run = run_plot;
  return command;
}

}  // namespace tilescope::cli
