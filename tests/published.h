// What the program publishes of a kernel, for tests that hold it against hardware: the metrics of the JSON result of
// simulate(), never a private counter.
#pragma once

#include <map>
#include <string>

#include "engine_runs.h"
#include "sim/results/result.h"
#include "sim/results/views/result_json.h"

namespace tilescope::test {

inline std::map<std::string, double> published(const Kernel& kernel, Mode mode = Mode::counts,
                                               Sample sample = Sample::off) {
  const GpuSpec& spec = h200();
  RunOptions options;
  options.mode = mode;
  options.sample = sample;
  options.threads = 2;
  const auto json = result_json(make_result(spec, kernel.launch(), options, simulate(spec, kernel, options)));
  std::map<std::string, double> metrics;
  for (const auto& [name, value] : json["metrics"].items()) metrics[name] = value.get<double>();
  return metrics;
}

}  // namespace tilescope::test
