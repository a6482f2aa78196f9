// A kernel of a study: built in, a launch file, or a trace.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "models/support/diagnostic.h"
#include "sim/studies/sweep/study.h"

namespace tilescope::sweep {

// `label` as the study writes it, `path` where its file would be. Diagnostics without a file are about the label.
tl::expected<StudyKernel, Diagnostics> open_study_kernel(const std::string& label, const std::string& path);

// Of a launch file's text and the files that it names, as if it stood in the file `path`.
std::string launch_content_hash(const std::string& text, const std::string& path);

}  // namespace tilescope::sweep
