// SPDX-License-Identifier: MIT
#include "optim/cmaes/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/flops.hpp"
#include "numerics/symmetric_eigen.hpp"

namespace vbo::cmaes {
namespace {

// E|N(0,I_n)|, approximated as below Eq. (31).
double expected_norm(double n) {
  return std::sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
}

// C is decomposed again when it has changed by about a tenth of what n generations could change.
bool decomposition_due(double generations, double n, const Rates& rates) {
  return generations >= 1.0 / (10.0 * n * (rates.c_1 + rates.c_mu));
}

}  // namespace

Rates::Rates(Eigen::Index dimension, Eigen::Index lambda, bool diagonal) : weights(lambda) {
  const auto n = static_cast<double>(dimension);
  // Eq. (49): w'_i = ln((lambda+1)/2) - ln i
  const double half = std::log((static_cast<double>(lambda) + 1.0) / 2.0);
  for (Eigen::Index i = 0; i < lambda; ++i) {
    weights[i] = half - std::log(static_cast<double>(i) + 1.0);
  }
  double positive = 0.0, positive2 = 0.0, negative = 0.0, negative2 = 0.0;
  for (const double w : weights) {
    (w > 0.0 ? positive : negative) += std::abs(w);
    (w > 0.0 ? positive2 : negative2) += w * w;
  }
  mu_eff = positive * positive / positive2;
  const double mu_eff_negative = negative2 > 0.0 ? negative * negative / negative2 : 0.0;

  // Table 1
  c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
  damping_sigma = 1.0 + 2.0 * std::max(0.0, std::sqrt((mu_eff - 1.0) / (n + 1.0)) - 1.0) + c_sigma;
  c_c = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n);
  c_1 = 2.0 / ((n + 1.3) * (n + 1.3) + mu_eff);
  c_mu = 2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((n + 2.0) * (n + 2.0) + mu_eff);
  if (diagonal) {
    c_1 *= (n + 2.0) / 3.0;
    c_mu *= (n + 2.0) / 3.0;
  }
  c_1 = std::min(1.0, c_1);
  c_mu = std::min(1.0 - c_1, c_mu);

  // Eqs. (50)-(53): the negative weights are scaled so that C stays positive definite.
  const double by_rates = 1.0 + c_1 / c_mu;
  const double by_mass = 1.0 + 2.0 * mu_eff_negative / (mu_eff + 2.0);
  const double by_definiteness = (1.0 - c_1 - c_mu) / (n * c_mu);
  const double total = std::min({by_rates, by_mass, by_definiteness});
  for (double& w : weights) w *= w > 0.0 ? 1.0 / positive : total / negative;
}

Strategy::Strategy(Vector mean, double sigma, bool diagonal)
    : diagonal_(diagonal), mean_(std::move(mean)), sigma_(sigma) {
  const Eigen::Index n = mean_.size();
  C_ = diagonal_ ? Matrix(Matrix::Ones(n, 1)) : Matrix(Matrix::Identity(n, n));
  path_sigma_ = path_c_ = Vector::Zero(n);
  lengths_ = Vector::Ones(n);
  if (!diagonal_) axes_ = Matrix::Identity(n, n);
}

Vector Strategy::deviations() const {
  return sigma_ * (diagonal_ ? Vector(C_.col(0)) : Vector(C_.diagonal())).array().sqrt();
}

double Strategy::condition() const {
  if (dimension() == 0) return 1.0;
  const double ratio = lengths_.maxCoeff() / lengths_.minCoeff();
  return ratio * ratio;
}

Vector Strategy::transform(ConstVectorRef z) const {
  if (diagonal_) return lengths_.cwiseProduct(z);
  flops::add(flops::gemm(z.size(), 1, z.size()));
  return axes_ * lengths_.cwiseProduct(z);
}

Vector Strategy::whiten(ConstVectorRef y) const {
  if (diagonal_) return y.cwiseQuotient(lengths_);
  flops::add(2 * flops::gemm(y.size(), 1, y.size()));
  return axes_ * (axes_.transpose() * y).cwiseQuotient(lengths_);
}

double Strategy::mahalanobis(ConstVectorRef y) const {
  if (diagonal_) return y.cwiseQuotient(lengths_).norm();
  flops::add(flops::gemm(y.size(), 1, y.size()));
  return (axes_.transpose() * y).cwiseQuotient(lengths_).norm();
}

Matrix Strategy::whitening() const {
  if (diagonal_) return lengths_.cwiseInverse();
  return axes_ * lengths_.cwiseInverse().asDiagonal() * axes_.transpose();
}

Matrix Strategy::root() const {
  if (diagonal_) return lengths_.asDiagonal();
  return axes_ * lengths_.asDiagonal() * axes_.transpose();
}

void Strategy::update(ConstMatrixRef Y, ConstVectorRef scale) {
  const auto n = static_cast<double>(dimension());
  const Eigen::Index lambda = Y.cols();
  const Rates rates(dimension(), lambda, diagonal_);
  ++generation_;

  // Eqs. (40)-(42): the mean moves along the weighted best steps.
  const Vector step = Y * rates.weights.cwiseMax(0.0);
  mean_ += sigma_ * scale.cwiseProduct(step);

  // Eqs. (43)-(44): cumulative step-size adaptation.
  path_sigma_ = (1.0 - rates.c_sigma) * path_sigma_ +
                std::sqrt(rates.c_sigma * (2.0 - rates.c_sigma) * rates.mu_eff) * whiten(step);
  const double length = path_sigma_.norm() / expected_norm(n);
  sigma_ *= std::exp(std::min(1.0, rates.c_sigma / rates.damping_sigma * (length - 1.0)));

  // Eq. (45); h_sigma stalls the path while sigma is still growing fast.
  const double settled =
      std::sqrt(1.0 - std::pow(1.0 - rates.c_sigma, 2.0 * static_cast<double>(generation_)));
  const double h_sigma = length / settled < 1.4 + 2.0 / (n + 1.0) ? 1.0 : 0.0;
  path_c_ = (1.0 - rates.c_c) * path_c_ +
            h_sigma * std::sqrt(rates.c_c * (2.0 - rates.c_c) * rates.mu_eff) * step;

  // Eqs. (46)-(47): a negative weight counts for a step of expected length in the metric of C.
  Vector weights = rates.weights;
  for (Eigen::Index i = 0; i < lambda; ++i) {
    if (weights[i] >= 0.0) continue;
    const double distance = mahalanobis(Y.col(i));
    weights[i] *= n / (distance * distance + 1e-8);
  }
  const double stalled = (1.0 - h_sigma) * rates.c_c * (2.0 - rates.c_c);
  const double keep = 1.0 + rates.c_1 * stalled - rates.c_1 - rates.c_mu * rates.weights.sum();
  if (diagonal_) {
    C_.col(0) =
        keep * C_.col(0) + rates.c_1 * path_c_.cwiseAbs2() + rates.c_mu * (Y.cwiseAbs2() * weights);
  } else {
    flops::add(flops::gemm(dimension(), dimension(), lambda));
    C_ = (keep * C_ + rates.c_1 * path_c_ * path_c_.transpose() +
          rates.c_mu * Y * weights.asDiagonal() * Y.transpose())
             .eval();
  }
  const auto since = static_cast<double>(generation_ - decomposed_);
  if (diagonal_ || decomposition_due(since, n, rates)) decompose();
}

void Strategy::decompose() {
  // Rounding can push the smallest eigenvalue below zero once the condition passes 1e15.
  constexpr double smallest_ratio = 1e-15;
  decomposed_ = generation_;
  if (diagonal_) {
    C_ = C_.cwiseMax(smallest_ratio * C_.maxCoeff());
    lengths_ = C_.col(0).cwiseSqrt();
    return;
  }
  C_ = (0.5 * (C_ + C_.transpose())).eval();
  SymmetricEigen eigen = symmetric_eigen(C_);
  flops::add(9 * flops::gemm(dimension(), dimension(), dimension()) / 2);
  const auto rebuild = [this] {
    C_ = axes_ * lengths_.cwiseAbs2().asDiagonal() * axes_.transpose();
  };
  // Negative weights may outweigh all else in some direction, most easily where few dimensions meet
  // many results or steps are longer than the distribution's: then it stays what it was.
  const double largest = eigen.values.maxCoeff(), smallest = eigen.values.minCoeff();
  if (!eigen || !(smallest >= -1e-12 * largest)) return rebuild();
  axes_ = std::move(eigen.vectors);
  lengths_ = eigen.values.cwiseMax(smallest_ratio * largest).cwiseSqrt();
  if (smallest < smallest_ratio * largest) rebuild();  // a negative variance has no deviation
}

void Strategy::write(StateWriter& out) const {
  out.put<std::uint8_t>(diagonal_)
      .put(sigma_)
      .put<std::int64_t>(generation_)
      .put<std::int64_t>(decomposed_);
  out.put(mean_).put(C_).put(path_sigma_).put(path_c_).put(axes_).put(lengths_);
}

// Sizes follow from the dimension. Bounds keep all that update() computes finite; C must be what
// its decomposition says as far as positive variances and orthonormal axes go.
Strategy Strategy::read(StateReader& in, Eigen::Index dimension, bool diagonal) {
  constexpr double largest = 1e100, farthest = 1e9, smallest_length = 1e-120;
  const bool as_expected = in.get_flag() == diagonal;
  Strategy s(Vector::Zero(dimension), 1.0, diagonal);
  const double sigma = in.get_number(smallest_length, largest);
  const std::int64_t generation = in.get_count(), decomposed = in.get_count(generation);
  const Eigen::Index columns = diagonal ? 1 : dimension;
  Vector mean = in.get_vector(dimension, farthest);
  Matrix C = in.get_matrix(dimension, columns, largest * largest);
  Vector path_sigma = in.get_vector(dimension, largest), path_c = in.get_vector(dimension, largest);
  Matrix axes = in.get_matrix(diagonal ? 0 : dimension, diagonal ? 0 : dimension, 2.0);
  Vector lengths = in.get_vector(dimension, largest);
  if (!as_expected) in.fail();
  if (!in.ok()) return s;
  const Vector variances = diagonal ? Vector(C.col(0)) : Vector(C.diagonal());
  const bool shaped =
      dimension == 0 || (variances.minCoeff() > 0.0 && lengths.minCoeff() >= smallest_length &&
                         sigma * std::sqrt(variances.maxCoeff()) <= farthest &&
                         sigma * lengths.maxCoeff() <= farthest);
  const bool orthonormal =
      diagonal || dimension == 0 ||
      (axes.transpose() * axes - Matrix::Identity(dimension, dimension)).cwiseAbs().maxCoeff() <
          1e-6;
  if (!shaped || !orthonormal) {
    in.fail();
    return s;
  }
  s.sigma_ = sigma;
  s.generation_ = generation;
  s.decomposed_ = decomposed;
  s.mean_ = std::move(mean);
  s.C_ = std::move(C);
  s.path_sigma_ = std::move(path_sigma);
  s.path_c_ = std::move(path_c);
  s.axes_ = std::move(axes);
  s.lengths_ = std::move(lengths);
  return s;
}

}  // namespace vbo::cmaes
