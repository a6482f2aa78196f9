#include "sim/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <utility>

namespace tilescope::cli {
namespace {

thread_local std::function<void(double)> line_watch;

constexpr auto kInterval = std::chrono::milliseconds(200);

std::string duration(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

ProgressWatch::ProgressWatch(std::function<void(double)> watch) { line_watch = std::move(watch); }

ProgressWatch::~ProgressWatch() { line_watch = nullptr; }

ProgressLine::ProgressLine(std::string label)
    : started_(std::chrono::steady_clock::now()),
      shown_(started_),
      label_(std::move(label)),
      terminal_(!line_watch && isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (dirty_) std::cerr << "\r\x1b[K" << std::flush;
}

void ProgressLine::done() {
  if (terminal_) std::cerr << fmt::format("\r{}: {:.1f} s\x1b[K\n", label_, seconds()) << std::flush;
  dirty_ = false;
}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void ProgressLine::show(double fraction) {
  if (line_watch) return line_watch(fraction);
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - shown_ < kInterval) return;
  shown_ = now;
  dirty_ = true;
  const std::string left = fraction > 0.01 ? ", " + duration(seconds() * (1 - fraction) / fraction) + " left" : "";
  std::cerr << fmt::format("\r{}: {:.0f} %{}\x1b[K", label_, 100 * fraction, left) << std::flush;
}

}  // namespace tilescope::cli
