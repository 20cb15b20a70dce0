// SPDX-License-Identifier: MIT
// The step size of HMC by dual averaging, [HoffmanGelman2014] "The No-U-Turn Sampler", Section 3.2:
// raises it while trajectories are accepted more often than the target, lowers it otherwise.
#pragma once

#include <algorithm>
#include <cmath>

namespace vbo {

class DualAveraging {
 public:
  static constexpr double target = 0.8;  // acceptance probability aimed at

  // Shrinks towards ten times `step`, as in the paper.
  explicit DualAveraging(double step) : mu_(std::log(10.0 * step)), step_(step) {}

  // Eqs. (5)-(6) after a trajectory accepted with probability `acceptance`; the next step size.
  //   c_k = (1 - 1/(k+t0)) c_{k-1} + (target - acceptance)/(k+t0)
  //   log e_k = mu - sqrt(k)/gamma c_k;  log ebar_k = k^-kappa log e_k + (1 - k^-kappa) log ebar
  // Steps are kept in [1e-6, 1]; the averages are not, so that one excursion leaves no trace.
  double update(double acceptance) {
    constexpr double gamma = 0.05, t0 = 10.0, kappa = 0.75;
    k_ += 1.0;
    error_ += (target - acceptance - error_) / (k_ + t0);
    const double log_step = mu_ - std::sqrt(k_) / gamma * error_;
    const double weight = std::pow(k_, -kappa);
    log_average_ = weight * log_step + (1.0 - weight) * log_average_;
    step_ = bounded(log_step);
    return step_;
  }

  double step() const { return step_; }                      // for the next warm-up trajectory
  double averaged() const { return bounded(log_average_); }  // for sampling, after warm-up

 private:
  static double bounded(double log_step) { return std::clamp(std::exp(log_step), 1e-6, 1.0); }

  double mu_, step_;
  double k_ = 0.0, error_ = 0.0, log_average_ = 0.0;
};

}  // namespace vbo
