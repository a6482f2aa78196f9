#include "sim/studies/compare/error_statistics.h"

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

std::optional<double> log_correlation(const std::vector<PredictionError>& errors) {
  std::vector<double> x, y;
  for (const PredictionError& one : errors) {
    if (one.predicted <= 0 || one.measured <= 0) continue;
    x.push_back(std::log(one.predicted));
    y.push_back(std::log(one.measured));
  }
  if (x.size() < 2) return std::nullopt;
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  const double mean_x = mean(x), mean_y = mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  constexpr double kNoVariation = 1e-20;  // of rounding alone
  if (xx < kNoVariation || yy < kNoVariation) return std::nullopt;
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

double share_within(const std::vector<double>& sorted, double limit) {
  const auto beyond = std::upper_bound(sorted.begin(), sorted.end(), limit);
  return 100.0 * static_cast<double>(beyond - sorted.begin()) / static_cast<double>(sorted.size());
}

}  // namespace

PredictionError prediction_error(double predicted, double measured, bool in_points) {
  if (in_points) return {predicted, measured, predicted - measured};
  if (predicted == measured) return {predicted, measured, 0};
  if (measured == 0) return {predicted, measured, std::nullopt};
  return {predicted, measured, 100 * (predicted / measured - 1)};
}

ErrorStatistics error_statistics(const std::vector<PredictionError>& errors) {
  ErrorStatistics result;
  result.cases = errors.size();
  result.log_correlation = log_correlation(errors);
  std::vector<double> sizes;
  double largest = -1;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i].equal()) ++result.equal;
    if (!errors[i].error) {
      ++result.undefined;
      continue;
    }
    const double size = std::abs(*errors[i].error);
    sizes.push_back(size);
    result.mean += size;
    result.bias += *errors[i].error;
    if (size > largest) {
      largest = size;
      result.worst = i;
    }
  }
  if (sizes.empty()) return result;
  std::sort(sizes.begin(), sizes.end());
  const std::size_t count = sizes.size();
  result.mean /= static_cast<double>(count);
  result.bias /= static_cast<double>(count);
  result.median = count % 2 == 1 ? sizes[count / 2] : (sizes[count / 2 - 1] + sizes[count / 2]) / 2;
  result.p90 = sizes[(9 * count + 9) / 10 - 1];
  result.within_5 = share_within(sizes, 5);
  result.within_10 = share_within(sizes, 10);
  result.within_20 = share_within(sizes, 20);
  return result;
}

}  // namespace tilescope
