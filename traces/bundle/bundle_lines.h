// The files of a bundle that have one line per launch.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/support/diagnostic.h"
#include "traces/bundle/bundle.h"

namespace tilescope::bundle {

// launches.yaml: - {id: 1, file: launches/0001.yaml, kernel: _Z6kernelPf, grid: [8, 1, 1], block: [256, 1, 1]}
std::vector<BundleLaunch> read_index(const std::string& text, const std::string& path, Diagnostics& errors);

// order: "ID STREAM [graph]"; an ID of 0 is a launch that is not stored.
// Counts the calls of `launches`.
std::vector<OrderedLaunch> read_order(const std::string& text, const std::string& path,
                                      std::vector<BundleLaunch>& launches, Diagnostics& errors);

// refused: "ORDER-LINE KERNEL: reason". Gives the lines of `order` that are not stored their kernel and reason.
void read_refused(const std::string& text, const std::string& path, std::vector<OrderedLaunch>& order,
                  Diagnostics& errors);

}  // namespace tilescope::bundle
