// "42 %, 3 s left" on the last line of a terminal; nothing anywhere else.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace tilescope::cli {

// While it lives, the progress lines of its thread say how far they are to `watch` and show nothing. `watch` may throw
// to stop the work. At most one at a time per thread.
class ProgressWatch {
 public:
  explicit ProgressWatch(std::function<void(double fraction)> watch);
  ~ProgressWatch();
  ProgressWatch(const ProgressWatch&) = delete;
  ProgressWatch& operator=(const ProgressWatch&) = delete;
};

class ProgressLine {
 public:
  // `label` stands before the figures. Shown only when the standard error is a terminal, and nobody watches.
  explicit ProgressLine(std::string label);
  ~ProgressLine();  // wipes the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(double fraction);
  void done();             // leaves "gemm_tiled: 3.2 s" behind
  double seconds() const;  // since construction

 private:
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point shown_;
  std::string label_;
  bool terminal_;
  bool dirty_ = false;
};

}  // namespace tilescope::cli
