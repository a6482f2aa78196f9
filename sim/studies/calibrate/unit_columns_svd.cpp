#include "sim/studies/calibrate/unit_columns_svd.h"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>

namespace tilescope::calibrate {
namespace {

using Qr = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;

Qr unit_columns_qr(const Eigen::MatrixXd& columns) { return Qr(columns.colwise().normalized()); }

}  // namespace

// Of the triangle of the QR decomposition, whose singular values are the matrix's own.
UnitColumnsSvd unit_columns_svd(const Eigen::MatrixXd& columns) {
  const Qr qr = unit_columns_qr(columns);
  const Eigen::Index values = std::min(columns.rows(), columns.cols());
  Eigen::MatrixXd triangle = Eigen::MatrixXd::Zero(columns.cols(), columns.cols());
  triangle.topRows(values) = qr.matrixQR().topRows(values).triangularView<Eigen::Upper>();
  const Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner> svd(triangle, Eigen::ComputeFullV);
  return {svd.singularValues().head(values), qr.colsPermutation() * svd.matrixV().leftCols(values)};
}

Eigen::VectorXi most_different_first(const Eigen::MatrixXd& columns) {
  return unit_columns_qr(columns).colsPermutation().indices();
}

Eigen::VectorXd unit_shares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& vector) {
  return unit_columns_qr(columns).solve(vector.normalized());
}

}  // namespace tilescope::calibrate
