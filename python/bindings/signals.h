// Ctrl-C while the interpreter is left alone.
#pragma once

#include <chrono>

namespace tilescope::python {

// Thrown when a signal's handler raised: Python's error is set, and the binding hands it on. No std::exception, so that
// nothing takes it for a failure of what is simulated.
struct Interrupted {};

// For a thread that works without the interpreter's lock.
class SignalWatch {
 public:
  // Takes the lock now and then and lets Python handle the signals that came. Throws Interrupted.
  void look();

 private:
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
};

}  // namespace tilescope::python
