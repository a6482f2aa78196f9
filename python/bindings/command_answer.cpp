#include <pybind11/pybind11.h>

#include <sstream>

#include "python/bindings/answers.h"
#include "python/bindings/signals.h"
#include "sim/cli/program.h"
#include "sim/cli/progress.h"

namespace tilescope::python {

std::string command_answer(const std::vector<std::string>& words) {
  std::ostringstream text;
  try {
    const pybind11::gil_scoped_release released;
    SignalWatch signals;
    const cli::ProgressWatch watch([&signals](double) { signals.look(); });
    cli::answer(words, text);
  } catch (const Interrupted&) {
    throw pybind11::error_already_set();
  }
  return text.str();
}

}  // namespace tilescope::python
