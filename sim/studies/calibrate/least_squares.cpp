#include "sim/studies/calibrate/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "sim/studies/calibrate/eigen_columns.h"

namespace tilescope::calibrate {
namespace {

constexpr double kFirstDamping = 1e-2;
constexpr double kLeastDamping = 1e-6;
constexpr double kMostDamping = 1e4;
constexpr double kEase = 0.2;     // the damping's factor after a step downhill
constexpr double kTighten = 5.0;  // and after one that was not

class Fitter {
 public:
  Fitter(const std::vector<FitParameter>& parameters, const Model& model, const FitOptions& options)
      : parameters_(parameters), model_(model), options_(options) {}

  Fit run() {
    for (const FitParameter& p : parameters_) fit_.point.push_back(snapped(p, p.start));
    fit_.residuals = model_({fit_.point}).front();
    differentiate();
    if (options_.worth_it && !options_.worth_it(fit_.sensitivity)) {
      fit_.stop = Stop::not_begun;
      return std::move(fit_);
    }
    for (; fit_.iterations < options_.most_iterations; ++fit_.iterations) {
      const double before = sum_of_squares(fit_.residuals);
      if (!step_downhill()) {
        fit_.stop = Stop::no_downhill_step;
        break;
      }
      differentiate();
      if (before - sum_of_squares(fit_.residuals) <= options_.small_change * before) {
        fit_.stop = Stop::small_change;
        ++fit_.iterations;
        break;
      }
    }
    return std::move(fit_);
  }

 private:
  void differentiate() { fit_.sensitivity = sensitivity(parameters_, fit_.point, fit_.residuals, model_); }

  // Whether the step found lowers the sum of squares; if so it is taken.
  bool take_if_lower(const Point& point, const Residuals& residuals) {
    if (!(sum_of_squares(residuals) < sum_of_squares(fit_.residuals))) return false;
    fit_.point = point;
    fit_.residuals = residuals;
    return true;
  }

  bool step_downhill() {
    const Matrix jacobian = columns_of(fit_.sensitivity);
    const Vector residuals = vector_of(fit_.residuals);
    const Matrix normal = jacobian.transpose() * jacobian;
    const Vector gradient = jacobian.transpose() * residuals;
    const std::vector<Eigen::Index> movable = not_pulled_outwards(normal, gradient);
    const Point from = fit_.point;
    for (; !movable.empty() && damping_ <= kMostDamping; damping_ *= kTighten) {
      const Point trial = damped_step(from, normal, gradient, movable);
      if (trial == from) break;  // below the digits that the model sees
      if (!take_if_lower(trial, model_({trial}).front())) continue;
      damping_ = std::max(damping_ * kEase, kLeastDamping);
      return true;
    }
    damping_ = kFirstDamping;
    return take_best_probe();
  }

  // Scatter can lead every step astray; a point already looked at may still lie lower.
  bool take_best_probe() {
    bool lower = false;
    const Sensitivity seen = fit_.sensitivity;
    for (std::size_t i = 0; i < seen.probes.size(); ++i)
      lower = take_if_lower(seen.probes[i], seen.at_probes[i]) || lower;
    return lower;
  }

  std::vector<Eigen::Index> not_pulled_outwards(const Matrix& normal, const Vector& gradient) const {
    std::vector<Eigen::Index> movable;
    for (Eigen::Index j = 0; j < gradient.size(); ++j) {
      const auto p = static_cast<std::size_t>(j);
      const bool held = (fit_.point[p] <= parameters_[p].low && gradient[j] > 0) ||
                        (fit_.point[p] >= parameters_[p].high && gradient[j] < 0);
      if (!held && normal(j, j) > 0) movable.push_back(j);
    }
    return movable;
  }

  Point damped_step(const Point& from, const Matrix& normal, const Vector& gradient,
                    const std::vector<Eigen::Index>& movable) const {
    Matrix damped = normal(movable, movable);
    damped.diagonal() *= 1 + damping_;
    const Vector step = damped.ldlt().solve(-gradient(movable));
    Point trial = from;
    for (std::size_t i = 0; i < movable.size(); ++i) {
      const auto p = static_cast<std::size_t>(movable[i]);
      trial[p] = snapped(parameters_[p], from[p] + step[static_cast<Eigen::Index>(i)]);
    }
    return trial;
  }

  const std::vector<FitParameter>& parameters_;
  const Model& model_;
  const FitOptions& options_;
  Fit fit_;
  double damping_ = kFirstDamping;
};

}  // namespace

Fit fit(const std::vector<FitParameter>& parameters, const Model& model, const FitOptions& options) {
  return Fitter(parameters, model, options).run();
}

}  // namespace tilescope::calibrate
