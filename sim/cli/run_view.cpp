#include "sim/cli/run_view.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/cli/output.h"
#include "sim/cli/parse.h"
#include "sim/cli/progress.h"
#include "sim/cli/usage_error.h"
#include "sim/results/executed_flop.h"
#include "sim/results/launch_bytes.h"
#include "sim/results/tile_variants.h"
#include "sim/results/views/occupancy_view.h"
#include "sim/results/views/traffic_view.h"

namespace tilescope::cli {
namespace {

struct Ran {
  Result result;
  double flop = 0;
};

// `flop`: whether the view needs the kernel's work.
Ran ran(const NamedKernel& named, const GpuSpec& gpu, RunOptions options, bool flop) {
  ProgressLine progress(named.word);
  options.on_progress = [&progress](const Progress& p) { progress.show(p.fraction); };
  const Launch& launch = named.kernel->launch();
  options.by_instruction = flop && launch.flop <= 0;
  const RunOutcome outcome = simulate(gpu, *named.kernel, options);
  progress.done();
  return {make_result(gpu, launch, options, outcome),
          launch.flop > 0 || !flop ? launch.flop : executed_flop(*named.kernel, outcome.instructions)};
}

template <class View>
std::string in_format(const View& view, const std::string& format, std::string (*text)(const View&),
                      nlohmann::ordered_json (*json)(const View&), std::string (*svg)(const View&)) {
  if (format == "svg") return svg(view);
  if (format == "json") return json(view).dump(2) + "\n";
  return text(view);
}

std::string occupancy_answer(const std::vector<NamedKernel>& kernels, const GpuSpec& gpu, const std::string& format) {
  OccupancyView view{gpu.name, gpu.sm.max_warps, {}};
  for (const NamedKernel& named : kernels) {
    const Launch& launch = named.kernel->launch();
    const CtaResources cta = cta_resources(launch);
    const auto problems = launch_problems(gpu, cta);
    if (!problems.empty())
      throw std::invalid_argument(
          fmt::format("'{}' can not be launched on {}: {}", named.word, gpu.name, fmt::join(problems, "; ")));
    OccupancyReport report = occupancy_report(gpu, cta);
    report.by_tile = tile_variants(gpu, launch);
    view.kernels.push_back({named.word, std::move(report)});
  }
  return in_format(view, format, occupancy_text, occupancy_json, occupancy_svg);
}

std::string traffic_answer(const std::vector<NamedKernel>& kernels, const GpuSpec& gpu, const RunOptions& options,
                           const std::string& format) {
  TrafficView view{gpu.name, {}};
  for (const NamedKernel& named : kernels) {
    const Ran one = ran(named, gpu, options, false);
    view.kernels.push_back({named.word, traffic(one.result, launch_bytes(*named.kernel))});
  }
  return in_format(view, format, traffic_text, traffic_json, traffic_svg);
}

}  // namespace

RooflineView roofline_of(const std::vector<NamedKernel>& kernels, const GpuSpec& gpu, const RunOptions& options) {
  RooflineView view{gpu.name, ceilings(gpu), {}};
  for (const NamedKernel& named : kernels) {
    const Ran one = ran(named, gpu, options, true);
    view.kernels.push_back({named.word, roofline_point(view.ceilings, one.result, one.flop)});
  }
  return view;
}

void check_view_options(const Values& values, const RunOptions& options, std::size_t gpus) {
  for (const char* option : {"by", "top", "timeline", "wall"})
    if (values.count(option) != 0) throw UsageError(fmt::format("--{} does not go with --view", option));
  const std::string view = chosen(values, "view", {"roofline", "occupancy", "traffic"});
  if (gpus > 1) throw UsageError(fmt::format("--view takes one --gpu, got {}", gpus));
  if (view == "roofline" && options.mode == Mode::counts)
    throw UsageError("--view roofline needs --mode timing: counting knows no time");
}

int run_view(const Values& values, const std::vector<NamedKernel>& kernels, const GpuSpec& gpu, RunOptions options,
             std::ostream& out) {
  const std::string view = values["view"].as<std::string>(), format = values["format"].as<std::string>();
  with_output(values, out, [&](std::ostream& stream) {
    stream << (view == "occupancy" ? occupancy_answer(kernels, gpu, format)
               : view == "roofline"
                   ? in_format(roofline_of(kernels, gpu, options), format, roofline_text, roofline_json, roofline_svg)
                   : traffic_answer(kernels, gpu, options, format));
  });
  return ok;
}

}  // namespace tilescope::cli
