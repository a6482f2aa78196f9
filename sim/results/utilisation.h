// How busy each resource of the GPU was, in percent of what it can do: what the bottleneck is chosen from.
#pragma once

#include <string>
#include <vector>

#include "sim/results/metrics.h"

namespace tilescope {

struct Utilisation {
  std::string name;     // "lsu_data_stage": stable, for scripts
  std::string label;    // "shared-memory data stage": for sentences
  std::string measure;  // "of its wavefront peak"
  double percent = 0;
};

// Resources of an SM (data stage, tag stage, issue slots, arithmetic pipes, fill port) against the cycles in which SMs
// had a CTA; those of the chip (L2 slices, fabric, HBM) against all cycles of the kernel. Always the same resources in
// the same order. REQUIRES: a timing run.
std::vector<Utilisation> utilisations(const MetricSource& source);

// Cycles in which an SM had a CTA, in percent of the kernel's, mean over all SMs.
double sm_active_percent(const MetricSource& source);

}  // namespace tilescope
