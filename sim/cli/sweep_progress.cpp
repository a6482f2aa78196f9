#include "sim/cli/sweep_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <utility>

#include "sim/cli/sweep_study.h"

namespace tilescope::cli {

SweepProgress::SweepProgress(std::string study) : study_(std::move(study)), terminal_(isatty(STDERR_FILENO) != 0) {}

SweepProgress::~SweepProgress() {
  if (dirty_) std::cerr << "\r\x1b[K" << std::flush;
}

void SweepProgress::show(const sweep::RunTally& tally) {
  if (!terminal_) return;
  dirty_ = true;
  std::string text = fmt::format("{}: {} of {}", study_, tally.done, points_text(tally.to_do));
  if (tally.done > 0 && tally.seconds > 0) {
    const double rate = static_cast<double>(tally.done) / tally.seconds;
    text +=
        fmt::format(", {:.3g}/s, {} left", rate, duration_text(static_cast<double>(tally.to_do - tally.done) / rate));
  }
  std::cerr << "\r" << text << "\x1b[K" << std::flush;
}

}  // namespace tilescope::cli
