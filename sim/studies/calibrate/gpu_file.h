// The GPU's file that a fit begins from and writes anew, and the Spec that it is with some values replaced.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/gpu_spec.h"
#include "models/support/diagnostic.h"
#include "models/support/override.h"

namespace tilescope::calibrate {

struct GpuFile {
  std::string path;  // as the user named it
  std::string text;
  GpuSpec spec;  // of the text
};

tl::expected<GpuFile, Diagnostics> read_gpu_file(const std::string& path);

// The Spec of the file with `values` in the place of its own. Errors are named "--set KEY=VALUE".
tl::expected<GpuSpec, Diagnostics> spec_with(const GpuFile& file, const std::vector<Override>& values);

}  // namespace tilescope::calibrate
