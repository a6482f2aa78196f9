// Finds the fastest of many configurations without timing them all: each rung looks closer at fewer.
//
//   shapes   counting, with K cut short, one configuration for each shape (raster and group matter little then)
//   counting the whole launch by the counting engine's coarse clock
//   fast     timed from a small sample
//   last     timed from a larger sample, or whole
//
// A rung passes on its best `keep` and everything within `margin` of the best; so what is dropped is predicted to be
// slower by more than the margin, which stands for the rung's error. Rungs that would drop nothing are left out. The
// answer does not depend on how many threads there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "sim/simulate.h"
#include "sim/studies/sweep/store.h"
#include "sim/studies/tune/configuration.h"

namespace tilescope::tune {

// How many a rung passes on: the best `keep`, and all that are slower than the best by at most `margin` up to `most`.
struct RungWidth {
  std::size_t keep = 1;
  double margin = 0;
  std::size_t most = 1;
};

struct SearchOptions {
  Sample last = Sample::automatic;
  int threads = 1;
  std::size_t top = 10;        // of the answer
  std::int64_t short_k = 128;  // of the first rung, at most
  RungWidth shapes{16, 0.15, 48};
  RungWidth counting{10, 0.12, 16};
  RungWidth fast{4, 0.04, 6};
  sweep::Store* store = nullptr;           // results of timing are taken from it and put into it
  const std::atomic<int>* stop = nullptr;  // becomes non-zero: end
  std::function<void(const std::string& rung, double fraction)> on_progress;  // of all work
};

struct Rung {
  std::string name;                 // "shapes", "counting", "fast", "auto" or "off"
  std::size_t tried = 0, kept = 0;  // configurations; of "shapes" shapes
  std::size_t stored = 0;           // of those tried, taken from the store
};

struct Candidate {
  Configuration configuration;
  std::size_t rung = 0;           // the last that it was in, in Tuned::rungs
  double cycles = 0;              // what that rung says
  nlohmann::ordered_json result;  // of timing (docs/result-format.md); null where it was never timed
};

// What a rung said of a configuration.
struct Trial {
  std::size_t rung = 0;  // in Tuned::rungs
  std::string configuration;
  double cycles = 0;
};

struct Tuned {
  Problem problem;
  std::string gpu;
  std::size_t configurations = 0;
  std::vector<Rung> rungs;
  std::vector<Candidate> best;  // those that came furthest, fastest first
  std::vector<Trial> trials;    // rung by rung, in the order of the configurations; without those that failed
  std::size_t failed = 0;       // could not be run
  std::string first_failure;
  bool stopped = false;  // nothing else is set
};

// REQUIRES: `space` is not empty. Throws std::runtime_error when no configuration can be run.
Tuned search(const GpuSpec& gpu, const Problem& problem, std::vector<Configuration> space,
             const SearchOptions& options);

// Of estimates, costs by number, which a rung of this width passes on: in ascending order of cost, equal ones in that
// of their numbers.
std::vector<std::size_t> passed_on(const std::vector<double>& costs, const RungWidth& width);

}  // namespace tilescope::tune
