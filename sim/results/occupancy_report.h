// What decides how many CTAs of a launch an SM holds: every limit, what the next CTA would take, how far each resource
// could grow for nothing, and how the occupancy depends on the CTA's size. Needs no simulation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/occupancy.h"

namespace tilescope {

struct OccupancyLimit {
  std::string name;          // "threads", "registers", "shared memory", "CTA slots"
  std::int64_t ctas = 0;     // that this limit alone would allow
  std::int64_t percent = 0;  // of an SM's warps, at most 100
  bool binds = false;        // no other allows fewer
};

// Another launch of the same kind: `launchable` says whether an SM can hold a CTA of it at all.
struct OccupancyCase {
  std::string label;
  CtaResources cta;
  bool launchable = false;
  Occupancy occupancy;
};

struct OccupancyReport {
  CtaResources cta;
  Occupancy now;
  std::vector<OccupancyLimit> limits;
  // With one register per thread, or one KiB of shared memory, less.
  Occupancy one_register_less, one_kib_less;
  // The most registers per thread, byte of shared memory, with which an SM holds a CTA more than now, all else as it
  // is. nullopt: this alone brings none.
  std::optional<std::int64_t> registers_for_more, shared_for_more;
  Occupancy with_those_registers, with_that_shared;
  // The most with which it holds as many as now.
  std::int64_t registers_for_same = 0, shared_for_same = 0;
  std::vector<OccupancyCase> by_block;  // threads per CTA; registers per thread and shared memory of a CTA as they are
  std::vector<OccupancyCase> by_registers;
  std::vector<OccupancyCase> by_tile;  // filled by whoever knows the kernel's tiles
};

OccupancyCase occupancy_case(const GpuSpec& gpu, std::string label, const CtaResources& cta);

// REQUIRES: launch_problems(gpu, cta) is empty.
OccupancyReport occupancy_report(const GpuSpec& gpu, const CtaResources& cta);

}  // namespace tilescope
