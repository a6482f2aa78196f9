#include "python/bindings/errors.h"

#include <pybind11/pybind11.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "models/support/diagnostic.h"
#include "sim/cli/usage_error.h"

namespace tilescope::python {
namespace {

namespace py = pybind11;

void raise(std::string message, const std::string& hint, const Diagnostics& diagnostics) {
  while (message.ends_with('\n')) message.pop_back();
  py::list places;
  for (const Diagnostic& one : diagnostics) places.append(py::make_tuple(one.file, one.line, one.column, one.message));
  const py::object type = py::module_::import("tilescope._errors").attr("TilescopeError");
  PyErr_SetObject(type.ptr(), type(message, hint, places).ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const cli::UsageError& error) {
    raise(error.what(), error.hint(), {});
  } catch (const DiagnosticsError& error) {
    raise(error.what(), "", error.diagnostics());
  } catch (const std::invalid_argument& error) {
    raise(error.what(), "", {});
  } catch (const std::runtime_error& error) {  // a deadlock, a store that cannot be written
    raise(error.what(), "", {});
  }
}

}  // namespace

void translate_errors() { py::register_local_exception_translator(translate); }

}  // namespace tilescope::python
