#include "python/bindings/signals.h"

#include <pybind11/pybind11.h>

namespace tilescope::python {
namespace {
constexpr auto kInterval = std::chrono::milliseconds(50);
}

void SignalWatch::look() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kInterval) return;
  looked_ = now;
  const pybind11::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw Interrupted{};
}

}  // namespace tilescope::python
