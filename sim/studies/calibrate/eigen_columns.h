// Sensitivities as Eigen matrices. For this folder's .cpp files only: Eigen is heavy to compile.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sim/studies/calibrate/sensitivity.h"

namespace tilescope::calibrate {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

inline Vector vector_of(const Residuals& residuals) {
  return Eigen::Map<const Vector>(residuals.data(), static_cast<Eigen::Index>(residuals.size()));
}

// The columns of some parameters, by number.
inline Matrix columns_of(const Sensitivity& sensitivity, const std::vector<std::size_t>& which) {
  Matrix matrix(static_cast<Eigen::Index>(sensitivity.column.front().size()), static_cast<Eigen::Index>(which.size()));
  for (std::size_t j = 0; j < which.size(); ++j)
    matrix.col(static_cast<Eigen::Index>(j)) = vector_of(sensitivity.column[which[j]]);
  return matrix;
}

inline Matrix columns_of(const Sensitivity& sensitivity) {
  std::vector<std::size_t> all(sensitivity.column.size());
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = j;
  return columns_of(sensitivity, all);
}

}  // namespace tilescope::calibrate
