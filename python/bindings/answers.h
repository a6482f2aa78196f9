// What the package asks of the simulator, each answered with the text of a JSON document. The interpreter's lock is
// released meanwhile, and a signal whose handler raises stops the work.
#pragma once

#include <string>
#include <vector>

namespace tilescope::python {

// Names of the values of a result that are no whole numbers, even where one happens to be: metrics, derived values,
// provenance.
std::vector<std::string> real_values();

// What a command of the command line answers: {"run", "gemm_tiled", "--format=json"}.
std::string command_answer(const std::vector<std::string>& words);

// Runs the study in `text`, as if it stood in the file `name`, or else the file `name`; answers as `tilescope sweep
// export` does. `store`: the file that keeps its results. `threads`: points side by side.
std::string sweep_answer(const std::string& text, const std::string& name, const std::string& store, int threads);

}  // namespace tilescope::python
