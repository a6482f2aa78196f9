// What `tilescope bundle` asks of every launch of a bundle.
#pragma once

#include <vector>

#include "traces/bundle/bundle.h"
#include "traces/sass/launch_file.h"
#include "traces/sass/limits.h"

namespace tilescope::cli {

// bundle::BundleReader::survey() of each of `launches`, on `threads` threads.
std::vector<sass::ReadLaunch> survey_launches(const bundle::Bundle& bundle, const std::vector<std::size_t>& launches,
                                              const sass::Limits& limits, int threads);

}  // namespace tilescope::cli
