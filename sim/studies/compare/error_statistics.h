// How far predictions are from measurements: one error, and what many of them come to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilescope {

struct PredictionError {
  double predicted = 0, measured = 0;
  // Percent of the measured value, or percentage points; positive: predicted too high. nullopt: percent of nothing,
  // where something was predicted.
  std::optional<double> error;

  bool equal() const { return predicted == measured; }
};

// 100 (predicted / measured - 1), 0 where both are 0; with `in_points` the plain difference.
PredictionError prediction_error(double predicted, double measured, bool in_points);

struct ErrorStatistics {
  std::size_t cases = 0;      // all
  std::size_t equal = 0;      // predicted exactly as measured
  std::size_t undefined = 0;  // without an error: in none of the figures below

  // Of the absolute errors, in their unit; 0 where there are none.
  double mean = 0;                                    // MAPE, where errors are percent
  double median = 0;                                  // of an even number the mean of the two in the middle
  double p90 = 0;                                     // the smallest that nine in ten do not exceed
  double bias = 0;                                    // mean of the signed errors
  std::optional<std::size_t> worst;                   // index of the largest, the first of equals
  double within_5 = 0, within_10 = 0, within_20 = 0;  // percent of the cases with an error

  // Pearson's, of the logarithms of what is positive on both sides; nullopt for fewer than two cases or no variation.
  std::optional<double> log_correlation;
};

ErrorStatistics error_statistics(const std::vector<PredictionError>& errors);

}  // namespace tilescope
