// Which SMs share a GPC. A cluster's CTAs are placed within one GPC, so that launches of clusters of several sizes, one
// CTA to an SM, tell: SMs that were ever in one cluster belong together. Needs compute capability 9.0.
#pragma once

#include <vector>

namespace tilescope::gpu {

// SM numbers by GPC, in ascending order. Throws std::runtime_error on a GPU without clusters.
std::vector<std::vector<int>> gpc_map();

// The first of those that have most SMs.
const std::vector<int>& largest_gpc(const std::vector<std::vector<int>>& gpcs);

}  // namespace tilescope::gpu
