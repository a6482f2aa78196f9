#include "sim/studies/calibrate/determination.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/studies/calibrate/eigen_columns.h"
#include "sim/studies/calibrate/unit_columns_svd.h"

namespace tilescope::calibrate {
namespace {

using Kind = Indeterminacy::Kind;

double effect_across_bounds(const FitParameter& parameter, const Residuals& column) {
  double largest = 0;
  for (const double slope : column) largest = std::max(largest, std::abs(slope));
  return largest * (parameter.high - parameter.low);
}

// Of the columns at unit length, without what scatter adds to the smallest singular value. The variance of a second
// difference is three times that of a first one. What is taken off is twice the expectation, since it is an estimate.
double condition_number(const Sensitivity& sensitivity, const std::vector<std::size_t>& which) {
  const UnitColumnsSvd svd = unit_columns_svd(columns_of(sensitivity, which));
  const Eigen::Index last = svd.singular_values.size() - 1;
  double scatter = 0;
  for (std::size_t j = 0; j < which.size(); ++j) {
    const double share = svd.v(static_cast<Eigen::Index>(j), last) * sensitivity.scatter[which[j]];
    scatter += share * share / 3;
  }
  const double smallest = svd.singular_values[last] * svd.singular_values[last] - 2 * scatter;
  return smallest <= 0 ? std::numeric_limits<double>::infinity() : svd.singular_values[0] / std::sqrt(smallest);
}

// The parameters with an effect: those that can be told apart, and each of the others with those that act like it.
struct Partition {
  std::vector<std::size_t> kept;
  std::vector<Indeterminacy> alike;
};

// The step of `other` and those of the kept ones that cancel it.
Indeterminacy combination(const Sensitivity& sensitivity, const std::vector<std::size_t>& kept, std::size_t other) {
  constexpr double a_part = 0.2;  // of the largest share: less is no part of the combination
  const Matrix columns = columns_of(sensitivity, kept);
  const Vector column = vector_of(sensitivity.column[other]);
  const Vector share = unit_shares(columns, column);
  Indeterminacy found{Kind::not_told_apart, {other}, {1}, 0};
  for (std::size_t j = 0; j < kept.size(); ++j) {
    const auto index = static_cast<Eigen::Index>(j);
    if (std::abs(share[index]) < a_part * share.cwiseAbs().maxCoeff()) continue;
    found.parameters.push_back(kept[j]);
    found.steps.push_back(-share[index] * column.norm() / columns.col(index).norm());
  }
  return found;
}

Partition partition(const std::vector<FitParameter>& parameters, const Sensitivity& sensitivity) {
  const std::vector<Indeterminacy> without = without_effect(parameters, sensitivity);
  std::vector<std::size_t> with_effect;
  for (std::size_t j = 0; j < parameters.size(); ++j)
    if (std::none_of(without.begin(), without.end(), [j](const Indeterminacy& one) { return one.parameters[0] == j; }))
      with_effect.push_back(j);
  Partition result;
  if (with_effect.empty()) return result;
  // Rank-revealing: the column that differs most from those before comes next.
  for (const int index : most_different_first(columns_of(sensitivity, with_effect))) {
    const std::size_t next = with_effect[static_cast<std::size_t>(index)];
    std::vector<std::size_t> together = result.kept;
    together.push_back(next);
    const double condition = condition_number(sensitivity, together);
    if (together.size() == 1 || condition <= kIllConditioned) {
      result.kept = together;
    } else {
      result.alike.push_back(combination(sensitivity, result.kept, next));
      result.alike.back().figure = condition;
    }
  }
  std::sort(result.kept.begin(), result.kept.end());
  return result;
}

}  // namespace

std::vector<Indeterminacy> without_effect(const std::vector<FitParameter>& parameters, const Sensitivity& sensitivity) {
  std::vector<Indeterminacy> found;
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const double effect = effect_across_bounds(parameters[j], sensitivity.column[j]);
    if (effect < kNoEffect) {
      found.push_back({Kind::no_effect, {j}, {}, effect});
    } else if (sensitivity.scatter[j] >= kAllScatter) {
      found.push_back({Kind::scatter, {j}, {}, sensitivity.scatter[j]});
    }
  }
  return found;
}

std::vector<Indeterminacy> indeterminacies(const std::vector<FitParameter>& parameters, const Sensitivity& sensitivity,
                                           std::size_t residuals) {
  if (residuals < parameters.size()) return {{Kind::too_few_residuals, {}, {}, static_cast<double>(residuals)}};
  std::vector<Indeterminacy> found = without_effect(parameters, sensitivity);
  const Partition parts = partition(parameters, sensitivity);
  found.insert(found.end(), parts.alike.begin(), parts.alike.end());
  return found;
}

std::vector<std::size_t> determined_subset(const std::vector<FitParameter>& parameters,
                                           const Sensitivity& sensitivity) {
  return partition(parameters, sensitivity).kept;
}

}  // namespace tilescope::calibrate
