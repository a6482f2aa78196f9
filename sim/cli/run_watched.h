// `run --watch`: the same run again whenever a file that it reads has changed.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "sim/results/views/result_table.h"

namespace tilescope::cli {

// The files of a run: those among `words` that are files, with everything beside them (a launch file names listings
// there), and `gpus` that are files.
std::vector<std::string> watched_paths(const std::vector<std::string>& words, const std::vector<std::string>& gpus);

// Calls run(), which writes its answer, now and after each change of a file, and says below it what has changed since
// the run before. What is wrong with the input goes to the standard error, and the watch goes on. Returns after Ctrl-C.
void run_watched(const std::vector<std::string>& paths, std::ostream& out,
                 const std::function<std::vector<LabelledResult>()>& run);

// "cycles 91,838 -> 84,120 (-8.4 %)": a line per result and metric that differs; "" where nothing does, or the runs are
// of different kernels.
std::string changes(const std::vector<LabelledResult>& before, const std::vector<LabelledResult>& after);

}  // namespace tilescope::cli
