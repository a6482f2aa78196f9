// Reads a study file.
//
//   tiles.yaml:6:3: error: parameters.bn: no kernel of the study has it (did you mean bm?)
//   tiles.yaml:7:17: error: parameters.gpu.l2.size_mib: got '0'; must be a number from 0.001 to 4096 MiB
//
// Every error of the file comes in one run, sorted by position.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <tl/expected.hpp>

#include "models/support/diagnostic.h"
#include "sim/studies/sweep/study.h"

namespace tilescope::sweep {

// The file of a built-in GPU, or a sentence why there is none of that name.
using GpuFinder = std::function<tl::expected<std::string, std::string>(const std::string& name)>;

inline constexpr std::size_t most_items = 1000;  // kernels, GPUs or constraints of one list

tl::expected<Study, Diagnostics> read_study(const std::string& path, const GpuFinder& find_gpu);
// Of a study's text, as if it stood in the file `path`.
tl::expected<Study, Diagnostics> read_study_text(const std::string& text, const std::string& path,
                                                 const GpuFinder& find_gpu);

}  // namespace tilescope::sweep
