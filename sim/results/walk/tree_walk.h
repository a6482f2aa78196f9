// A tree that adds up the values of one CTA in shared memory, a thread for each value: which threads add in which step,
// how many warps that keeps busy and how many of these have idle lanes. Arithmetic alone; no kernel is run.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "traces/kernels/parameters.h"

namespace tilescope {

struct TreeStep {
  std::int64_t stride = 0;     // a thread adds the value so far away
  std::vector<int> threads;    // that add, ascending
  int warps = 0;               // with such a thread
  int divergent = 0;           // of these, warps in which other lanes do not add
  std::int64_t first_sum = 0;  // value 0 behind the step; value i begins as i + 1
};

struct TreeWalk {
  std::string addressing;  // "interleaved": thread t adds value t + s where t is a multiple of 2 s, s = 1, 2, 4, ...
                           // "sequential": thread t below s adds value t + s, s = half, a quarter, ...
  std::vector<TreeStep> steps;

  std::int64_t additions() const;
  std::int64_t warp_steps() const;  // warps with work, all steps
  std::int64_t divergent_warp_steps() const;
};

struct TreeWalks {
  std::int64_t values = 0;  // and threads
  std::vector<TreeWalk> walks;
};

const std::vector<ParameterInfo>& tree_parameters();

// Both addressings, or the one asked for. Every problem with the parameters, a sentence each.
tl::expected<TreeWalks, std::vector<std::string>> walk_tree(const ParameterTexts& parameters);

}  // namespace tilescope
