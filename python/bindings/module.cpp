// tilescope._core: what the Python package asks the simulator. Everything that is for users stands in python/tilescope.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "python/bindings/answers.h"
#include "python/bindings/errors.h"
#include "sim/cli/find_config.h"
#include "sim/results/version.h"

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  using namespace tilescope;
  module.doc() = "The simulator as the package tilescope asks it; answers are texts of JSON documents.";
  python::translate_errors();
  module.def("version", &version);
  module.def("real_values", &python::real_values);
  module.def("use_config_directory", &cli::use_config_directory, py::arg("directory"));
  module.def("command", &python::command_answer, py::arg("words"));
  module.def("sweep", &python::sweep_answer, py::arg("text"), py::arg("name"), py::arg("store"), py::arg("threads"));
}
