// The configurations of the generators: every combination of the values worth trying of their parameters (tile, outputs
// per thread, words per access, stages, padding, swizzle, raster, group, split of K) that the generator accepts and the
// GPU can hold.
#pragma once

#include <string>
#include <vector>

#include "models/gpu_spec.h"
#include "sim/studies/tune/configuration.h"

namespace tilescope::tune {

// Generators with the parameters M, N and K: names of kernels.
std::vector<std::string> generator_families();

// Of those families, in their order. Throws std::invalid_argument with one sentence when none fits.
std::vector<Configuration> generator_space(const GpuSpec& gpu, const Problem& problem,
                                           const std::vector<std::string>& families);

}  // namespace tilescope::tune
