// Predictions of every training case at points of the parameters: simulated side by side, each once.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "sim/simulate.h"
#include "sim/studies/calibrate/gpu_file.h"
#include "sim/studies/calibrate/parameter_choice.h"
#include "sim/studies/calibrate/sensitivity.h"
#include "sim/studies/calibrate/training_case.h"

namespace tilescope::calibrate {

struct SimulatorOptions {
  Sample sample = Sample::automatic;
  int threads = 1;  // cases side by side; predictions do not depend on it
  // From the calling thread, with the simulations done so far, all that predict() has ever begun; may throw to stop.
  std::function<void(std::size_t)> on_progress;
};

// REQUIRES: everything given to the constructor outlives it.
class CaseSimulator {
 public:
  CaseSimulator(const GpuFile& file, const std::vector<ChosenParameter>& parameters,
                const std::vector<TrainingCase>& cases, SimulatorOptions options);

  // At each point, every target of every case, in order. Throws what simulate() throws, of the first case that fails,
  // with its label; std::runtime_error where a prediction is zero, of which no ratio can be taken.
  std::vector<std::vector<double>> predict(const std::vector<Point>& points);

  std::size_t simulations() const { return simulations_; }  // done so far, of one case each

 private:
  std::vector<double> predict_case(const GpuSpec& gpu, const TrainingCase& one,
                                   const std::function<void(const Progress&)>& on_progress) const;

  const GpuFile& file_;
  const std::vector<ChosenParameter>& parameters_;
  const std::vector<TrainingCase>& cases_;
  SimulatorOptions options_;
  std::map<Point, std::vector<double>> known_;
  std::size_t simulations_ = 0;
};

}  // namespace tilescope::calibrate
