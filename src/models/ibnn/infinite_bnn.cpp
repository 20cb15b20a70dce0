// SPDX-License-Identifier: MIT
#include "models/ibnn/infinite_bnn.hpp"

#include <cmath>

#include "models/ledger.hpp"
#include "numerics/flops.hpp"
#include "numerics/minimize.hpp"
#include "numerics/symmetric_eigen.hpp"

namespace vbo {

using Eigen::Index;

// K = Q diag(lambda) Q', u = Q'z, e = Q'1, v = lambda + noise:
//   log p = -1/2 sum (u - c e)^2 / v - 1/2 sum log v - n/2 log 2 pi,  c = sum(u e / v) / sum(e^2 /
//   v)
FitReport InfiniteBnn::fit(ConstMatrixRef X, ConstVectorRef y, Rng) {
  const auto kernel = std::make_shared<NngpKernel>(options_.kernel);
  const Standardize output = Standardize::of(y);
  const SymmetricEigen eigen = symmetric_eigen(kernel->cross(X, X));
  flops::add(9 * static_cast<std::uint64_t>(X.cols()) * static_cast<std::uint64_t>(X.cols()) *
             static_cast<std::uint64_t>(X.cols()));
  const Vector lambda = eigen.values.cwiseMax(0.0);
  const Vector u = eigen.vectors.transpose() * output.apply(y);
  const Vector e = eigen.vectors.colwise().sum().transpose();
  const auto best_mean = [&](const Vector& v) {
    return (u.array() * e.array() / v.array()).sum() / (e.array().square() / v.array()).sum();
  };
  const auto objective = [&](ConstVectorRef theta, VectorRef gradient) {
    const double noise = std::exp(theta[0]);
    const Vector v = lambda.array() + noise;
    const Vector r2 = (u - best_mean(v) * e).array().square();
    const double log_p = -0.5 * (r2.array() / v.array() + v.array().log()).sum() -
                         static_cast<double>(u.size()) * kLogSqrt2Pi;
    const double slope = 0.5 * (r2.array() / v.array().square() - 1.0 / v.array()).sum();
    gradient[0] = -(noise * slope + options_.noise_prior.slope(noise));
    return -(log_p + options_.noise_prior.log_density(noise));
  };
  const Vector start{{std::log(options_.noise_start)}};
  const MinimizeResult found =
      minimize_bounded(objective, start, Vector{{std::log(options_.noise_low)}},
                       Vector{{std::log(1e3)}}, {.gradient_tolerance = 1e-4});
  const bool usable = eigen.ok && found.usable();
  const double noise = usable ? std::exp(found.x[0]) : 1.0;
  const double mean = usable ? best_mean(lambda.array() + noise) : 0.0;
  regression_.emplace(Regression::Parameters{kernel, mean, noise, output}, X, y);
  return {.status = usable ? FitReport::Status::converged : FitReport::Status::fallback,
          .iterations = found.iterations,
          .objective = usable ? -found.value : 0.0,
          .message = usable ? "" : found.text,
          .values = {kNoise.of(noise)}};
}

FitReport InfiniteBnn::update(ConstMatrixRef X, ConstVectorRef y, Rng rng) {
  if (!regression_ || X.cols() < regression_->size()) return fit(X, y, rng);
  const Index more = X.cols() - regression_->size();
  regression_->append(X.rightCols(more), y.tail(more));
  return {};
}

std::unique_ptr<Posterior> InfiniteBnn::posterior(ConstMatrixRef X) const {
  return regression_->posterior(X, true);
}

std::unique_ptr<Posterior> InfiniteBnn::marginals(ConstMatrixRef X) const {
  return regression_->posterior(X, false);
}

Matrix InfiniteBnn::sample_functions(ConstMatrixRef X, Index S, bool with_noise, Rng rng) const {
  return regression_->sample(X, S, with_noise, rng);
}

std::unique_ptr<Surrogate> InfiniteBnn::conditioned_on(ConstMatrixRef X, ConstVectorRef y) const {
  auto copy = std::make_unique<InfiniteBnn>(*this);
  copy->regression_->append(X, y);
  return copy;
}

double InfiniteBnn::noise_variance() const {
  const Regression::Parameters& p = regression_->parameters();
  return p.noise_variance * p.output.scale * p.output.scale;
}

}  // namespace vbo
