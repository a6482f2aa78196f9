// The launches of a bundle, simulated on one or several GPUs. What cannot be simulated stops nothing: it has a reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "sim/results/result.h"
#include "sim/simulate.h"
#include "traces/bundle/bundle.h"
#include "traces/sass/limits.h"

namespace tilescope {

struct LaunchRun {
  enum class End : std::uint8_t {
    done,
    refused,  // what it asks for is not modelled, or the GPU cannot launch it
    failed,   // its files are wrong, or its execution meets a limit or an error
  };
  End end = End::done;
  std::optional<Result> result;  // when done
  std::string reason;            // else: one sentence, with its place
  std::string kind;              // ... and what launches that end alike have in common
};

struct BundleRun {
  bundle::Bundle bundle;
  std::vector<std::size_t> launches;  // of the bundle: those that were asked for
  std::vector<std::string> gpus;      // names
  RunOptions options;
  std::vector<std::vector<LaunchRun>> runs;  // by launch asked for, by GPU

  std::size_t ended(LaunchRun::End end) const;  // launches on GPUs
};

// `options.threads` launches at a time, the answer does not depend on it. `options.on_progress`, which may throw to
// stop, is called from the calling thread.
BundleRun run_bundle(bundle::Bundle bundle, std::vector<std::size_t> launches, const std::vector<GpuSpec>& gpus,
                     const RunOptions& options, const sass::Limits& limits);

// What diagnostics have in common with those of other launches, in a few words: without places, operands and numbers of
// their own. "unknown opcode: SYNCS, UBLKCP".
std::string kind_of_problem(const Diagnostics& problems);

}  // namespace tilescope
