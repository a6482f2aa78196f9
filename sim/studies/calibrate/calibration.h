// A GPU's free parameters fitted to measured launches: the library's part of `tilescope calibrate`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "sim/studies/calibrate/case_simulator.h"
#include "sim/studies/calibrate/determination.h"
#include "sim/studies/calibrate/gpu_file.h"
#include "sim/studies/calibrate/least_squares.h"
#include "sim/studies/calibrate/parameter_choice.h"
#include "sim/studies/calibrate/training_cases.h"
#include "sim/studies/calibrate/uncertainty.h"

namespace tilescope::calibrate {

struct FittedParameter {
  ChosenParameter chosen;
  double after = 0;
  std::optional<std::pair<double, double>> interval;  // 95 %; none at a bound, or without degrees of freedom
  AtBound bound = AtBound::no;
};

struct CaseResidual {
  std::string label;
  const Metric* metric = nullptr;
  double measured = 0, before = 0, after = 0;  // in the metric's unit

  double error_before() const { return before / measured - 1; }
  double error_after() const { return after / measured - 1; }
};

struct CorrelatedPair {
  std::string first, second;  // keys
  double r = 0;
};

struct Calibration {
  std::string gpu, file;
  std::vector<std::string> measured_files;  // this and left_out: for whoever read them to fill in
  std::vector<LeftOut> left_out;
  std::size_t cases = 0;
  std::vector<FittedParameter> parameters;
  std::vector<CorrelatedPair> correlated;  // |r| > 0.9
  std::vector<CaseResidual> residuals;
  double residual_deviation = 0;  // of log(predicted/measured), after
  int degrees_of_freedom = 0;
  int iterations = 0;
  Stop stop = Stop::most_iterations;
  std::size_t simulations = 0;
};

struct CalibrationOptions {
  int most_iterations = 20;
  Sample sample = Sample::automatic;
  int threads = 1;
  // Simulations of one case: those done, and how many there are if every iteration is needed and goes well at once.
  std::function<void(std::size_t done, std::size_t expected)> on_progress;
};

// The simulations of a fit in which every iteration goes well at once; see CalibrationOptions::on_progress.
std::size_t expected_simulations(std::size_t cases, std::size_t parameters, int iterations);

// Minimises the sum of squares of log(predicted/measured) over all targets. The error: the data do not determine the
// parameters; several lines that name those concerned, what would determine them, and which ones the data do determine.
// Does not depend on the number of threads. Throws what CaseSimulator throws.
tl::expected<Calibration, std::string> calibrate(const GpuFile& file, const std::vector<ChosenParameter>& parameters,
                                                 const std::vector<TrainingCase>& cases,
                                                 const CalibrationOptions& options);

}  // namespace tilescope::calibrate
