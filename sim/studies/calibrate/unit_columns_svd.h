// What is asked of a matrix whose columns are scaled to unit length. Eigen's decompositions are heavy to compile: this
// file's .cpp alone has them.
#pragma once

#include <Eigen/Core>

namespace tilescope::calibrate {

struct UnitColumnsSvd {
  Eigen::VectorXd singular_values;  // the largest first, as many as the shorter side has
  Eigen::MatrixXd v;                // a column per singular value: the shares of the matrix's columns
};

UnitColumnsSvd unit_columns_svd(const Eigen::MatrixXd& columns);

// The columns at unit length, the one that differs most from those before it next.
Eigen::VectorXi most_different_first(const Eigen::MatrixXd& columns);

// The shares of the columns at unit length that come closest to the vector at unit length, by least squares.
Eigen::VectorXd unit_shares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& vector);

}  // namespace tilescope::calibrate
