// The registry of published metrics: one entry from the engine's counters to each name, unit and meaning.
//
// Names are those of Nsight Compute, so that an answer can be laid beside a profile of the real kernel. A metric that
// needs time has no value in counts mode; it is then absent, never zero.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/gpu_spec.h"
#include "models/isa/kernel.h"
#include "sim/simulate.h"

namespace tilescope {

// What a metric is worked out from.
struct MetricSource {
  const GpuSpec& gpu;
  const Launch& launch;
  const RunOutcome& outcome;
  // Of the SMs while the launch ran.
  double sm_mhz() const { return outcome.sm_mhz > 0 ? outcome.sm_mhz : gpu.clock.sm_mhz; }
};

struct Metric {
  std::string name;     // "dram__bytes_read.sum"
  std::string unit;     // cycle, ns, byte, sector, request, inst, wavefront, warp, CTA, register, %, ratio
  std::string meaning;  // one line
  bool needs_time = false;
  bool whole = true;  // a count: always a whole number
  std::function<double(const MetricSource&)> value;
};

// Every metric, in the order in which results list them.
const std::vector<Metric>& metrics();

// nullptr when there is none of that name.
const Metric* find_metric(std::string_view name);

// "long_scoreboard", as in smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio.
std::string_view name(Stall stall);
std::string_view meaning(Stall stall);

// part / whole in percent; 0 where there is nothing to take a part of.
double percent(double part, double whole);

// Warp instructions of the class.
double executed(const MetricSource& source, OpClass op);

}  // namespace tilescope
