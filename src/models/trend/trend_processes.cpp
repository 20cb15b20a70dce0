// SPDX-License-Identifier: MIT
#include "models/trend/trend_processes.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace vbo {

using Eigen::Index;

namespace {

struct Parts {
  double linear, quadratic, smooth, length, noise;
};

// Of the set of kernels: polynomials of degree one and two, with smooth deviations of several
// lengths and sizes, without noise and with some. Relative to inputs and outputs of size one.
constexpr double kConstant = 100.0;  // a: a nearly flat prior on the mean
constexpr Parts kKernels[] = {
    {10.0, 0.0, 0.0, 1.0, 1e-10}, {10.0, 10.0, 0.0, 1.0, 1e-10}, {10.0, 1.0, 0.03, 1.0, 1e-9},
    {10.0, 1.0, 0.1, 2.0, 1e-9},  {10.0, 0.0, 0.3, 2.0, 1e-9},   {1.0, 1.0, 1.0, 4.0, 1e-9},
    {1.0, 0.0, 1.0, 1.0, 1e-9},   {1.0, 0.0, 1.0, 0.5, 1e-6},    {10.0, 0.0, 0.0, 1.0, 0.1},
    {10.0, 1.0, 0.0, 1.0, 1e-2},  {1.0, 0.1, 1.0, 2.0, 0.1},     {1.0, 0.0, 1.0, 0.2, 1e-6},
};

const double kRootFive = std::sqrt(5.0);

double matern(double rho) {
  return (1.0 + kRootFive * rho + 5.0 / 3.0 * rho * rho) * std::exp(-kRootFive * rho);
}
// d matern / d(rho^2) * 2
double matern_slope(double rho) {
  return -5.0 / 3.0 * (1.0 + kRootFive * rho) * std::exp(-kRootFive * rho);
}

double kernel(const Parts& k, double dot, double distance) {
  double value = kConstant + k.linear * dot + k.quadratic * dot * dot;
  if (k.smooth > 0.0) value += k.smooth * matern(distance / k.length);
  return value;
}

}  // namespace

struct TrendProcesses::Member {
  Parts parts;
  Eigen::LLT<Matrix> factor;   // of K_j (n,n)
  std::vector<Index> outputs;  // that take it
  Matrix alpha;                // K_j^-1 y of each (n, outputs)
};

TrendProcesses::~TrendProcesses() = default;
TrendProcesses::TrendProcesses(TrendProcesses&&) noexcept = default;
TrendProcesses& TrendProcesses::operator=(TrendProcesses&&) noexcept = default;

TrendProcesses::TrendProcesses(Matrix U, ConstMatrixRef Y, ConstVectorRef weights)
    : U_(std::move(U)) {
  const Index n = U_.cols(), M = Y.cols();
  const Vector shares = weights / weights.sum();
  offsets_ = Y.transpose() * shares;
  Matrix Z = Y.rowwise() - offsets_.transpose();
  scales_ = (Z.array().square().matrix().transpose() * shares).cwiseSqrt();
  for (double& scale : scales_) {
    if (!(scale > 0.0)) scale = 1.0;  // all alike
  }
  Z = Z * scales_.cwiseInverse().asDiagonal();
  const Matrix dots = U_.transpose() * U_;
  const Vector squares = dots.diagonal();
  Matrix distances = squares.replicate(1, n) + squares.transpose().replicate(n, 1) - 2.0 * dots;
  distances = distances.cwiseMax(0.0).cwiseSqrt();

  std::vector<double> evidence(static_cast<std::size_t>(M),
                               -std::numeric_limits<double>::infinity());
  std::vector<std::size_t> taken(evidence.size(), 0);
  roots_ = Vector::Ones(M);
  std::vector<Member> all;
  std::vector<Matrix> alphas;
  for (const Parts& parts : kKernels) {
    Matrix K = Matrix::NullaryExpr(
        n, n, [&](Index i, Index j) { return kernel(parts, dots(i, j), distances(i, j)); });
    K.diagonal() += parts.noise * weights.cwiseInverse();
    Member member{parts, Eigen::LLT<Matrix>(K), {}, {}};
    if (member.factor.info() != Eigen::Success) continue;
    Matrix alpha = member.factor.solve(Z);
    if (!alpha.allFinite()) continue;
    const Vector diagonal = member.factor.matrixLLT().diagonal();
    const double log_root = diagonal.array().log().sum();
    const Vector quadratic = Z.cwiseProduct(alpha).colwise().sum();
    for (Index m = 0; m < M; ++m) {
      const auto at = static_cast<std::size_t>(m);
      const double s2 = std::max(quadratic[m] / static_cast<double>(n), 1e-30);
      const double found = -0.5 * static_cast<double>(n) * std::log(s2) - log_root;
      if (!(found > evidence[at])) continue;
      evidence[at] = found;
      taken[at] = all.size();
      roots_[m] = std::sqrt(s2);
    }
    all.push_back(std::move(member));
    alphas.push_back(std::move(alpha));
  }
  for (std::size_t j = 0; j < all.size(); ++j) {
    for (Index m = 0; m < M; ++m) {
      if (taken[static_cast<std::size_t>(m)] == j) all[j].outputs.push_back(m);
    }
    if (all[j].outputs.empty()) continue;
    all[j].alpha = alphas[j](Eigen::all, all[j].outputs);
    members_.push_back(std::move(all[j]));
  }
}

// What all members need of a point: u_i'u, |u_i - u|.
struct TrendProcesses::Place {
  Place(const Matrix& U, ConstVectorRef u)
      : u(u), dots(U.transpose() * u), distances((U.colwise() - u).colwise().norm().transpose()) {}

  Vector kernels(const Parts& parts) const {  // k(u_i, u) (n)
    Vector k(dots.size());
    for (Index i = 0; i < k.size(); ++i) k[i] = kernel(parts, dots[i], distances[i]);
    return k;
  }
  // sum_i a_ij dk(u_i, u)/du (D,q) for coefficients A (n,q):
  //   dk_i/du = (b + 2 c u_i'u) u_i + d/l^2 2 matern'(rho_i^2) (u - u_i)
  Matrix pulled(const Parts& parts, const Matrix& U, const Matrix& A) const {
    Vector along = Vector::Constant(dots.size(), parts.linear) + 2.0 * parts.quadratic * dots;
    if (!(parts.smooth > 0.0)) return U * (along.asDiagonal() * A);
    Vector away(dots.size());
    for (Index i = 0; i < away.size(); ++i) {
      away[i] =
          parts.smooth / (parts.length * parts.length) * matern_slope(distances[i] / parts.length);
    }
    along -= away;
    return U * (along.asDiagonal() * A) + u * (away.transpose() * A);
  }

  Vector u;
  Vector dots, distances;  // (n)
};

Vector TrendProcesses::mean(ConstVectorRef u, Matrix* slope) const {
  const Place place(U_, u);
  Vector found = offsets_;
  if (slope) slope->setZero(u.size(), outputs());
  for (const Member& member : members_) {
    const Vector y = member.alpha.transpose() * place.kernels(member.parts);
    const Matrix dy = slope ? place.pulled(member.parts, U_, member.alpha) : Matrix();
    for (std::size_t o = 0; o < member.outputs.size(); ++o) {
      const Index m = member.outputs[o];
      const auto at = static_cast<Index>(o);
      found[m] += scales_[m] * y[at];
      if (slope) slope->col(m) = scales_[m] * dy.col(at);
    }
  }
  return found;
}

// s_m^2 (k(u,u) - k' K^-1 k)
Vector TrendProcesses::deviation(ConstVectorRef u, Matrix* slope) const {
  const Place place(U_, u);
  Vector found(outputs());
  if (slope) slope->resize(u.size(), outputs());
  for (const Member& member : members_) {
    const Parts& parts = member.parts;
    const Vector k = place.kernels(parts);
    const double square = u.squaredNorm();
    const double prior = kernel(parts, square, 0.0);
    const Vector half = member.factor.matrixL().solve(k);
    const double variance = std::max(prior - half.squaredNorm(), 1e-12 * prior);
    const double root = std::sqrt(variance);
    Vector by_u;  // of the variance
    if (slope) {
      by_u = 2.0 * (parts.linear + 2.0 * parts.quadratic * square) * u -
             2.0 * place.pulled(parts, U_, member.factor.matrixU().solve(half));
    }
    for (const Index m : member.outputs) {
      found[m] = scales_[m] * roots_[m] * root;
      if (slope) slope->col(m) = scales_[m] * roots_[m] / (2.0 * root) * by_u;
    }
  }
  return found;
}

Vector TrendProcesses::noise() const {
  Vector found(outputs());
  for (const Member& member : members_) {
    for (const Index m : member.outputs) {
      found[m] = scales_[m] * roots_[m] * std::sqrt(member.parts.noise);
    }
  }
  return found;
}

}  // namespace vbo
