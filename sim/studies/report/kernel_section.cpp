#include "sim/studies/report/kernel_section.h"

#include "sim/engine/launch_history.h"
#include "sim/results/executed_flop.h"
#include "sim/results/launch_bytes.h"
#include "sim/results/result.h"
#include "sim/results/views/result_json.h"
#include "sim/results/views/roofline_view.h"
#include "sim/results/views/traffic_view.h"
#include "sim/studies/report/access_grids.h"
#include "sim/studies/report/line_columns.h"
#include "sim/studies/report/memory_history.h"
#include "sim/studies/report/sm_occupancy.h"

namespace tilescope::report {

using Json = nlohmann::ordered_json;

Json kernel_section(const GpuSpec& gpu, const Kernel& kernel, const std::string& word, const KernelOptions& options) {
  RunOptions run;
  run.sample = options.sample;
  run.threads = options.threads;
  run.by_instruction = true;
  run.on_progress = options.on_progress;
  LaunchHistory history;
  run.history = &history;
  const RunOutcome outcome = simulate(gpu, kernel, run);
  const Launch& launch = kernel.launch();
  const Result result = make_result(gpu, launch, run, outcome);

  Json json = {{"kind", "kernel"}, {"kernel", word}, {"gpu", gpu.name}, {"result", result_json(result)}};
  RooflineView roofline{gpu.name, ceilings(gpu), {}};
  const double flop = launch.flop > 0 ? launch.flop : executed_flop(kernel, outcome.instructions);
  roofline.kernels.push_back({word, roofline_point(roofline.ceilings, result, flop)});
  json["roofline"] = roofline_json(roofline);
  json["traffic"] = traffic_json({gpu.name, {{word, traffic(result, launch_bytes(kernel))}}});
  json["lines"] = line_columns(kernel, outcome, options.lines);
  json["accesses"] = access_grids(gpu, kernel, outcome, options.accesses);
  json["sms"] = sm_occupancy(outcome.timeline, launch.grid.count(), gpu.sm.count(), options.cells);
  json["memory"] = memory_history(history, gpu.clock.sm_mhz);
  return json;
}

}  // namespace tilescope::report
