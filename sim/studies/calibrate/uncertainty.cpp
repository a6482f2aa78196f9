#include "sim/studies/calibrate/uncertainty.h"

#include <Eigen/Core>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "sim/studies/calibrate/eigen_columns.h"
#include "sim/studies/calibrate/unit_columns_svd.h"

namespace tilescope::calibrate {

AtBound at_bound(const FitParameter& parameter, double value) {
  if (value <= parameter.low) return AtBound::low;
  return value >= parameter.high ? AtBound::high : AtBound::no;
}

double student_t_two_sided(double probability, int degrees_of_freedom) {
  // In double precision throughout: what is promoted to long double differs between machines.
  using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::quantile(boost::math::students_t_distribution<double, Policy>(degrees_of_freedom),
                               (1 + probability) / 2);
}

Uncertainty uncertainty(const std::vector<FitParameter>& parameters, const Point& point, const Residuals& residuals,
                        const Sensitivity& sensitivity) {
  const std::size_t count = parameters.size();
  std::vector<std::size_t> inner;
  for (std::size_t j = 0; j < count; ++j)
    if (at_bound(parameters[j], point[j]) == AtBound::no) inner.push_back(j);
  Uncertainty result;
  result.half_width.assign(count, std::nullopt);
  result.correlation.assign(count, std::vector<double>(count, 0));
  for (std::size_t j = 0; j < count; ++j) result.correlation[j][j] = 1;
  result.degrees_of_freedom = static_cast<int>(residuals.size()) - static_cast<int>(inner.size());
  if (result.degrees_of_freedom > 0)
    result.residual_deviation = std::sqrt(sum_of_squares(residuals) / result.degrees_of_freedom);
  if (inner.empty()) return result;

  // At unit length, then back: (J^T J)^-1 = V S^-2 V^T.
  const Matrix columns = columns_of(sensitivity, inner);
  const UnitColumnsSvd svd = unit_columns_svd(columns);
  const Matrix half = svd.v * svd.singular_values.cwiseInverse().asDiagonal();
  const Matrix covariance = half * half.transpose();
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const auto a = static_cast<Eigen::Index>(i);
    if (result.degrees_of_freedom > 0) {
      const double error = result.residual_deviation * std::sqrt(covariance(a, a)) / columns.col(a).norm();
      result.half_width[inner[i]] = student_t_two_sided(0.95, result.degrees_of_freedom) * error;
    }
    for (std::size_t j = 0; j < inner.size(); ++j) {
      const auto b = static_cast<Eigen::Index>(j);
      result.correlation[inner[i]][inner[j]] = covariance(a, b) / std::sqrt(covariance(a, a) * covariance(b, b));
    }
  }
  return result;
}

}  // namespace tilescope::calibrate
