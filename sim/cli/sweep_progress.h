// "tile_raster: 120 of 1000 points, 12.3/s, 71 s left" on the last line of a terminal; nothing anywhere else.
#pragma once

#include <string>

#include "sim/studies/sweep/plan_run.h"

namespace tilescope::cli {

class SweepProgress {
 public:
  explicit SweepProgress(std::string study);
  ~SweepProgress();  // wipes the line
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  void show(const sweep::RunTally& tally);

 private:
  std::string study_;
  bool terminal_;
  bool dirty_ = false;
};

}  // namespace tilescope::cli
