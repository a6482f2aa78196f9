// What earlier runs and submissions of a study left behind, in the merged store and in the shards' stores.
#pragma once

#include <string>
#include <vector>

#include "sim/studies/sweep/plan.h"
#include "sim/studies/sweep/submit_scripts.h"

namespace tilescope::sweep {

struct KnownWork {
  std::size_t stored = 0;       // points that have a result in any of the stores
  std::size_t merged = 0;       // of them, in the merged store
  std::size_t failed = 0;       // of them, a failure
  std::vector<int> incomplete;  // shards with a point that none of the stores has, ascending
};

// Reads the submission's `results` and the stores in its `directory`, those that are there; they may come from another
// number of shards. With `retry_failed` a stored failure is no result. Throws as Store does.
KnownWork known_work(const Plan& plan, const Submission& submission);

// Copies into the store of every incomplete shard the results that only other stores have, so that a shard computes
// what is new and nothing else. REQUIRES: the directory is there.
void hand_out_known(const Plan& plan, const Submission& submission, const std::vector<int>& incomplete);

}  // namespace tilescope::sweep
