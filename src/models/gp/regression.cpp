// SPDX-License-Identifier: MIT
#include "models/gp/regression.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/flops.hpp"
#include "numerics/special.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr Index few_columns = 3;
constexpr Index mean_block = 512;  // points whose kernel with the data is in memory at a time

// d (dmean' m(X)) / dX (D,q), in units of y.
Matrix prior_slope(const Regression::Parameters& p, ConstMatrixRef X, ConstVectorRef dmean) {
  if (p.quadratic.empty()) return Matrix::Zero(X.rows(), X.cols());
  return p.quadratic.pullback(X, p.output.scale * p.slope * dmean);
}

class RegressionPosterior final : public GaussianPosterior {
 public:
  RegressionPosterior(const Regression& model, ConstMatrixRef X, bool joint)
      : model_(model), kernel_(*model.parameters().kernel), X_(X) {
    const Standardize& output = model.parameters().output;
    const Matrix k = kernel_.cross(model.inputs(), X_);  // (n,q)
    mean_ = k.transpose() * model.alpha() + model.parameters().prior_mean(X_);
    mean_ = mean_.array() * output.scale + output.offset;
    V_ = k;
    model.solve_forward(V_);
    const Vector prior = kernel_.diagonal(X_);
    const Vector raw = prior - V_.colwise().squaredNorm().transpose();
    const Vector floor = variance_floor * prior;
    free_ = (raw.array() > floor.array()).cast<double>();
    const double square = output.scale * output.scale;
    variance_ = raw.cwiseMax(floor) * square;
    if (joint) {
      covariance_ = kernel_.cross(X_, X_);
      covariance_.noalias() -= V_.transpose() * V_;
      covariance_ *= square;
      covariance_.diagonal() = variance_;
    }
    flops::add(flops::gemm(k.rows(), k.cols(), joint ? k.cols() + 2 : 2));
  }

  const Vector& mean() const override { return mean_; }
  const Vector& variance() const override { return variance_; }
  const Matrix& covariance() const override { return covariance_; }

  // With W = K_y^-1 k:  dk = alpha dmean' - 2 W diag(dvariance),  dk(x,x) = dvariance.
  Matrix pullback(ConstVectorRef dmean, ConstVectorRef dvariance) const override {
    const double s = model_.parameters().output.scale;
    const Vector dv = (s * s * free_.array() * dvariance.array()).matrix();
    Matrix dk = solved() * (-2.0 * dv).asDiagonal();
    dk.noalias() += model_.alpha() * (s * dmean).transpose();
    return kernel_.pull_cross(model_.inputs(), X_, dk) + kernel_.pull_diagonal(X_, dv) +
           prior_slope(model_.parameters(), X_, dmean);
  }

  // dk = alpha dmean' - 2 W dSigma,  dk(X,X) = dSigma.
  Matrix pullback_joint(ConstVectorRef dmean, ConstMatrixRef dcovariance) const override {
    const double s = model_.parameters().output.scale;
    Matrix dSigma = s * s * dcovariance;
    dSigma.diagonal().array() *= free_.array();
    Matrix dk = -2.0 * (solved() * dSigma);
    dk.noalias() += model_.alpha() * (s * dmean).transpose();
    flops::add(flops::gemm(dk.rows(), dk.cols(), dk.cols() + 1));
    return kernel_.pull_cross(model_.inputs(), X_, dk) + kernel_.pull_self(X_, dSigma) +
           prior_slope(model_.parameters(), X_, dmean);
  }

 private:
  const Matrix& solved() const {  // W = K_y^-1 k (n,q)
    if (W_.size() == 0 && V_.size() != 0) {
      W_ = V_;
      model_.solve_backward(W_);
    }
    return W_;
  }

  const Regression& model_;
  const Kernel& kernel_;
  Matrix X_;  // (D,q)
  Matrix V_;  // L^-1 k (n,q)
  mutable Matrix W_;
  Vector mean_, variance_;
  Vector free_;  // 1 where the variance is above its floor, else 0
  Matrix covariance_;
};

}  // namespace

Vector Regression::Parameters::prior_mean(ConstMatrixRef X) const {
  if (quadratic.empty()) return Vector::Constant(X.cols(), mean);
  return (mean + slope * quadratic.at(X).array()).matrix();
}

Regression::Regression(Parameters parameters, ConstMatrixRef X, ConstVectorRef y,
                       const Vector& known)
    : parameters_(std::move(parameters)), X_(X.rows(), 0), L_(0, 0) {
  append(X, y, known);
}

Regression::Regression(Parameters parameters, ConstMatrixRef X, ConstVectorRef y, Matrix L,
                       Vector alpha)
    : parameters_(std::move(parameters)),
      n_(X.cols()),
      X_(X),
      residual_(parameters_.output.apply(y) - parameters_.prior_mean(X)),
      L_(std::move(L)),
      alpha_(std::move(alpha)) {
  make_inverse();
}

void Regression::make_inverse() {
  if (!parameters_.keep_inverse || n_ == 0) return;
  inverse_ = Matrix::Identity(n_, n_);
  L_.topLeftCorner(n_, n_).triangularView<Eigen::Lower>().solveInPlace(inverse_);
  flops::add(flops::gemm(n_, n_, n_) / 3);
}

Vector Regression::mean(ConstMatrixRef X) const {
  flops::add(flops::gemm(1, X.cols(), n_));
  const Standardize& output = parameters_.output;
  Vector mean(X.cols());
  for (Index from = 0; from < X.cols(); from += mean_block) {
    const Index q = std::min(mean_block, X.cols() - from);
    const Matrix k = parameters_.kernel->cross(inputs(), X.middleCols(from, q));  // (n,q)
    mean.segment(from, q) = k.transpose() * alpha_;
  }
  mean += parameters_.prior_mean(X);
  return (mean.array() * output.scale + output.offset).matrix();
}

Matrix Regression::mean_slope(ConstMatrixRef X, ConstVectorRef weights) const {
  const Matrix dk = alpha_ * (parameters_.output.scale * weights).transpose();
  return parameters_.kernel->pull_cross(inputs(), X, dk) + prior_slope(parameters_, X, weights);
}

void Regression::reserve(Index capacity) {
  if (capacity <= L_.rows()) return;
  if (n_ > 0) capacity = std::max(capacity, n_ + n_ / 4 + 16);
  Matrix L(capacity, capacity);
  L.topLeftCorner(n_, n_) = L_.topLeftCorner(n_, n_);
  L_ = std::move(L);
  if (inverse_.size() > 0) {
    Matrix inverse(capacity, capacity);
    inverse.topLeftCorner(n_, n_) = inverse_.topLeftCorner(n_, n_);
    inverse_ = std::move(inverse);
  }
  X_.conservativeResize(Eigen::NoChange, capacity);
  residual_.conservativeResize(capacity);
}

// [ K   k ]   [ L  0 ] [ L' B  ]
// [ k'  k*] = [ B' C ] [ 0  C' ],  B = L^-1 k,  C C' = k* + noise - B'B.
void Regression::append(ConstMatrixRef X, ConstVectorRef y, const Vector& known) {
  const Index k = X.cols();
  if (k == 0) return;
  reserve(n_ + k);
  Matrix corner = parameters_.kernel->cross(X, X);  // (k,k)
  corner.diagonal().array() += parameters_.noise_variance;
  if (known.size() > 0) corner.diagonal() += known;
  if (n_ > 0) {
    Matrix B = parameters_.kernel->cross(inputs(), X);  // (n,k)
    solve_forward(B);
    corner.noalias() -= B.transpose() * B;
    // A repeated input leaves nothing but its noise: keep the pivot from rounding below it.
    const double least =
        0.5 * parameters_.noise_variance + 1e-12 * parameters_.kernel->diagonal(X)[0];
    corner.diagonal() = corner.diagonal().cwiseMax(least);
    L_.block(n_, 0, k, n_) = B.transpose();
  }
  L_.block(n_, n_, k, k) = robust_factor(corner);
  X_.middleCols(n_, k) = X;
  residual_.segment(n_, k) = parameters_.output.apply(y) - parameters_.prior_mean(X);
  extend_inverse(k);
  n_ += k;
  alpha_ = residual();
  solve_forward(alpha_);
  solve_backward(alpha_);
}

// The inverse of [L 0; B' C] is [L^-1 0; -C^-1 B' L^-1 C^-1].
void Regression::extend_inverse(Index k) {
  if (!parameters_.keep_inverse) return;
  if (n_ == 0 || inverse_.size() == 0) {
    n_ += k;
    make_inverse();
    n_ -= k;
    return;
  }
  Matrix below =
      L_.block(n_, 0, k, n_) * inverse_.topLeftCorner(n_, n_).triangularView<Eigen::Lower>();
  Matrix corner = Matrix::Identity(k, k);
  const auto C = L_.block(n_, n_, k, k).triangularView<Eigen::Lower>();
  C.solveInPlace(below);
  C.solveInPlace(corner);
  inverse_.block(n_, 0, k, n_) = -below;
  inverse_.block(n_, n_, k, k) = corner;
  flops::add(flops::gemm(k, n_, n_) / 2);
}

// A product with a matrix first copies L into another layout; for few columns that costs more than
// the product, so they are solved one by one.
void Regression::solve_forward(MatrixRef z) const {
  flops::add(flops::gemm(n_, z.cols(), n_) / 2);
  if (inverse_.size() > 0) {
    const auto inverse = inverse_.topLeftCorner(n_, n_).triangularView<Eigen::Lower>();
    z = (inverse * z).eval();
    return;
  }
  const auto L = L_.topLeftCorner(n_, n_).triangularView<Eigen::Lower>();
  if (z.cols() > few_columns) {
    L.solveInPlace(z);
  } else {
    for (auto column : z.colwise()) L.solveInPlace(column);
  }
}

void Regression::solve_backward(MatrixRef z) const {
  flops::add(flops::gemm(n_, z.cols(), n_) / 2);
  if (inverse_.size() > 0) {
    const auto inverse = inverse_.topLeftCorner(n_, n_).triangularView<Eigen::Lower>();
    z = (inverse.transpose() * z).eval();
    return;
  }
  const auto U = L_.topLeftCorner(n_, n_).transpose().triangularView<Eigen::Upper>();
  if (z.cols() > few_columns) {
    U.solveInPlace(z);
  } else {
    for (auto column : z.colwise()) U.solveInPlace(column);
  }
}

double Regression::log_likelihood() const {
  const double n = static_cast<double>(n_);
  return -0.5 * residual().dot(alpha_) - L_.topLeftCorner(n_, n_).diagonal().array().log().sum() -
         n * kLogSqrt2Pi;
}

std::unique_ptr<Posterior> Regression::posterior(ConstMatrixRef X, bool joint) const {
  return std::make_unique<RegressionPosterior>(*this, X, joint);
}

Matrix Regression::sample(ConstMatrixRef X, Index S, bool with_noise, Rng& rng) const {
  const RegressionPosterior posterior(*this, X, true);
  Matrix covariance = posterior.covariance();
  const double s = parameters_.output.scale;
  if (with_noise) covariance.diagonal().array() += s * s * parameters_.noise_variance;
  Matrix Z(X.cols(), S);
  for (double& z : Z.reshaped()) z = rng.normal();
  Matrix Y = robust_factor(covariance).triangularView<Eigen::Lower>() * Z;
  Y.colwise() += posterior.mean();
  return Y;
}

WatchedPoints::WatchedPoints(const Regression& model, Matrix points)
    : output_(model.parameters().output),
      points_(std::move(points)),
      V_(0, points_.cols()),
      mean_(model.parameters().prior_mean(points_)),
      variance_(model.parameters().kernel->diagonal(points_)),
      floor_(variance_floor * variance_) {
  follow(model);
}

// The rows of L that are new, [B' C]:  V_new = C^-1 (k_new - B' V),  b_new = C^-1 (r_new - B' b).
void WatchedPoints::follow(const Regression& model) {
  const Index known = b_.size(), more = model.size() - known;
  if (more == 0) return;
  const auto rows = model.factor().bottomRows(more);
  const auto C = rows.rightCols(more).triangularView<Eigen::Lower>();
  Matrix V = model.parameters().kernel->cross(model.inputs().rightCols(more), points_);
  Vector b = model.residual().tail(more);
  if (known > 0) {
    V.noalias() -= rows.leftCols(known) * V_.topRows(known);
    b.noalias() -= rows.leftCols(known) * b_;
  }
  C.solveInPlace(V);
  C.solveInPlace(b);
  mean_.noalias() += V.transpose() * b;
  variance_ -= V.colwise().squaredNorm().transpose();
  flops::add(flops::gemm(more, V.cols(), known + more / 2 + 2));
  constexpr Index room = 16;  // rows for results to come, before V_ has to move
  if (V_.rows() < known + more) V_.conservativeResize(known + more + room, Eigen::NoChange);
  V_.middleRows(known, more) = V;
  b_.conservativeResize(known + more);
  b_.tail(more) = b;
}

Vector WatchedPoints::mean() const {
  return (mean_.array() * output_.scale + output_.offset).matrix();
}

Vector WatchedPoints::variance() const {
  return output_.scale * output_.scale * variance_.cwiseMax(floor_);
}

}  // namespace vbo
