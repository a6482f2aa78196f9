// How many CTAs of a launch one SM holds, and which limit decides. The rules are those of NVIDIA's occupancy
// calculator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/gpu_spec.h"

namespace tilescope {

struct CtaResources {
  std::int64_t threads = 0;
  std::int64_t registers_per_thread = 0;
  std::int64_t shared_bytes = 0;  // static and dynamic
};

struct Occupancy {
  std::int64_t ctas_per_sm = 0;
  std::int64_t warps_per_cta = 0;
  std::string limiter;            // "threads", "registers", "shared memory" or "CTA slots"
  std::int64_t carveout_kib = 0;  // shared memory the driver sets aside: the smallest choice that holds those CTAs
  std::int64_t l1_kib = 0;        // what remains for L1
  double percent = 0;             // resident warps of the SM's maximum
  std::int64_t warps_per_sub_partition = 0;  // that find registers and a place
  // CTAs at most, those counted some of whose warps have exited: these warps' registers and places are free again.
  std::int64_t ctas_that_run_out = 0;
  // What each limit alone would allow, in CTAs.
  std::int64_t by_threads = 0, by_registers = 0, by_shared = 0, by_slots = 0;
};

// Why a CTA can not run at all: one sentence for each limit that it breaks, with the amount. Empty when it can.
std::vector<std::string> launch_problems(const GpuSpec& gpu, const CtaResources& cta);

// REQUIRES: launch_problems(gpu, cta) is empty.
Occupancy occupancy(const GpuSpec& gpu, const CtaResources& cta);

}  // namespace tilescope
