// What an engineer asks first, worked out from the counters: throughput, hit rates, occupancy. Their names are this
// project's own, in contrast to the metrics'.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/results/metrics.h"

namespace tilescope {

// Without a value: not known in this mode, or of this kernel.
struct Derived {
  std::optional<double> tflops;
  std::optional<double> pct_of_peak;
  std::optional<double> arithmetic_intensity;
  std::optional<double> ctas_per_sm;
  std::optional<double> waves;
  std::optional<double> occupancy_pct;
  std::optional<double> achieved_occupancy_pct;
  std::optional<double> shared_conflict_factor;
  std::optional<double> l1_hit_rate_pct;
  std::optional<double> l2_hit_rate_pct;
  std::optional<double> dram_read_gbs;
  std::optional<double> dram_write_gbs;
  std::optional<double> dram_bandwidth_pct;
};

Derived derive(const MetricSource& source, Mode mode);

struct DerivedField {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;
  std::optional<double> Derived::*value;
};

// In the order in which results list them.
const std::vector<DerivedField>& derived_fields();

}  // namespace tilescope
