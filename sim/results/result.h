// The answer of one run: what was launched, on what, what was counted, and how far it can be trusted.
//
// Everything but wall_seconds is a function of the inputs: equal inputs give equal results, for any number of threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/results/bottleneck.h"
#include "sim/results/derived.h"
#include "sim/results/line_report.h"
#include "sim/results/metrics.h"

namespace tilescope {

struct Provenance {
  std::string version;
  std::string config_hash;  // of the GPU with every --set applied
  Sample sample = Sample::off;
  CacheControl cache_control = CacheControl::all;
  double sampled_fraction = 1;
  double cycles_error_pct = 0;
  Cycle cycles_low = 0;  // 90 % interval; no meaning in counts mode
  Cycle cycles_high = 0;
  double traffic_error_pct = 0;
  std::optional<double> wall_seconds;  // filled by whoever measures it
};

struct MetricValue {
  const Metric* metric = nullptr;  // in metrics()
  double value = 0;
};

struct Result {
  Launch launch;  // with the kernel's name and parameters
  std::string gpu;
  Mode mode = Mode::timing;
  std::vector<MetricValue> metrics;  // those known in this mode, in the order of metrics()
  Derived derived;
  std::string occupancy_limiter;         // "threads", "registers", "shared memory" or "CTA slots"
  std::vector<Utilisation> utilisation;  // empty in counts mode
  std::optional<Bottleneck> bottleneck;  // none in counts mode
  Provenance provenance;
  bool uses_warpgroups = false;             // products of tensor cores are those of warpgroups (wgmma)
  std::vector<std::string> approximations;  // RunOutcome's
  std::optional<LineReport> lines;          // filled by whoever asks for them

  // nullopt: not known in this mode. REQUIRES: a metric of that name exists.
  std::optional<double> metric(std::string_view name) const;
};

Result make_result(const GpuSpec& gpu, const Launch& launch, const RunOptions& options, const RunOutcome& outcome);

}  // namespace tilescope
