// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/quadratic_critic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/quadratic_program.hpp"
#include "numerics/symmetric_eigen.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

using Eigen::Index;

// Feasible results with the categories of `code`, nearest first.
std::vector<int> nearest_results(const Encoding& encoding, const Archive& results,
                                 const GaussianActor& search, ConstVectorRef code) {
  const std::vector<Index> numeric = encoding.numeric_coordinates();
  LocalCoordinates coordinates(encoding);
  search.set_coordinates(coordinates);
  const Matrix& whitening = coordinates.neighbourhood().whitening;
  std::vector<std::pair<double, int>> nearest;
  for (int rank = 0; rank < std::min(results.feasible(), Tuning::quadratic_pool); ++rank) {
    const int index = results.at_rank(rank);
    if (!encoding.same_categories(results.code(index), code)) continue;
    const Vector step = results.code(index)(numeric) - code(numeric);
    const Vector u = whitening.cols() == 1 ? Vector(whitening.col(0).cwiseProduct(step))
                                           : Vector(whitening * step);
    nearest.emplace_back(u.squaredNorm(), index);
  }
  std::sort(nearest.begin(), nearest.end());
  std::vector<int> indices;
  for (const auto& [distance, index] : nearest) indices.push_back(index);
  return indices;
}

// The error of a local model grows with the distance from the optimum, and so does the gap to the
// best result: a result counts as 1 / (1 + gap / g)^2, with g the gap of a good one.
Vector weights_of(const Vector& y) {
  std::vector<double> gaps(y.begin(), y.end());
  const double best = y.maxCoeff();
  for (double& gap : gaps) gap = best - gap;
  const auto good = gaps.begin() + static_cast<std::ptrdiff_t>(Tuning::quadratic_good *
                                                               static_cast<double>(gaps.size()));
  std::nth_element(gaps.begin(), good, gaps.end());
  const double unit = std::max(*good, 1e-300);
  return (1.0 + (best - y.array()) / unit).square().inverse();
}

Index full_coefficients(Index D) {
  return QuadraticModel::coefficients(QuadraticModel::Form::full, D);
}

// Results that make a full model well determined, or all that there may be where it is too large.
double wanted(Index D, double times) {
  const Index p = std::min<Index>(full_coefficients(D), Tuning::quadratic_most_coefficients);
  return times * static_cast<double>(p);
}

}  // namespace

QuadraticCritic::QuadraticCritic(std::vector<Index> coordinates, Vector around, Matrix whitening,
                                 QuadraticModel model)
    : coordinates_(std::move(coordinates)),
      around_(std::move(around)),
      whitening_(std::move(whitening)),
      model_(std::move(model)) {}

std::optional<QuadraticCritic> QuadraticCritic::fit(const Encoding& encoding,
                                                    const Archive& results, ConstVectorRef around,
                                                    std::vector<int> indices) {
  const std::vector<Index> numeric = encoding.numeric_coordinates();
  const auto D = std::ssize(numeric);
  const auto n = std::ssize(indices);
  if (D == 0 || n < 2 * D + 2) return std::nullopt;
  const double best = results.value(results.at_rank(0));
  Matrix X(D, n);
  Vector y(n);
  for (Index i = 0; i < n; ++i) {
    const int index = indices[static_cast<std::size_t>(i)];
    X.col(i) = results.code(index)(numeric) - around(numeric);
    y[i] = results.value(index) - best;  // near 0, where digits matter
  }
  const Vector weights = weights_of(y);
  if (!y.allFinite() || !weights.allFinite()) return std::nullopt;
  const SymmetricEigen moments =
      symmetric_eigen(X * weights.asDiagonal() * X.transpose() / weights.sum());
  if (!moments || !(moments.values.maxCoeff() > 0.0)) return std::nullopt;
  const Vector lengths =
      moments.values
          .cwiseMax(Tuning::quadratic_flat * Tuning::quadratic_flat * moments.values.maxCoeff())
          .cwiseSqrt();
  Matrix whitening = lengths.cwiseInverse().asDiagonal() * moments.vectors.transpose();
  QuadraticModel model(QuadraticModel::form_for(n, D, Tuning::quadratic_most_coefficients),
                       whitening * X, y, weights);
  return QuadraticCritic(numeric, around, std::move(whitening), std::move(model));
}

std::optional<QuadraticCritic> QuadraticCritic::fit_near(const Encoding& encoding,
                                                         const Archive& results,
                                                         const GaussianActor& search) {
  if (!search.usable() || !search.running() || results.feasible() == 0) return std::nullopt;
  const Vector mean = search.mean_code(results.code(results.at_rank(0)));
  std::vector<int> indices = nearest_results(encoding, results, search, mean);
  const double most = wanted(std::ssize(encoding.numeric_coordinates()), Tuning::quadratic_results);
  indices.resize(std::min(indices.size(), static_cast<std::size_t>(most)));
  return fit(encoding, results, mean, std::move(indices));
}

Vector QuadraticCritic::mean(ConstMatrixRef X) const {
  const Vector centre = around_(coordinates_);
  return model_.mean(whitening_ * (X(coordinates_, Eigen::all).colwise() - centre));
}

Vector QuadraticCritic::optimum() const {
  const Vector centre = around_(coordinates_);
  const auto D = centre.size();
  const double radius = Tuning::quadratic_radius * std::sqrt(static_cast<double>(D));
  const Vector step = maximize_quadratic(whitening_.transpose() * model_.gradient(),
                                         whitening_.transpose() * model_.hessian() * whitening_,
                                         -centre, Vector::Ones(D) - centre, whitening_, radius);
  Vector code = around_;
  code(coordinates_) = centre + step;
  return code;
}

std::vector<Vector> quadratic_optima(const Encoding& encoding, const Archive& results,
                                     const GaussianActor& search, int count, std::uint64_t turn) {
  if (!search.usable() || !search.running() || results.feasible() == 0) return {};
  const Vector best = results.code(results.at_rank(0));
  const std::vector<int> nearest = nearest_results(encoding, results, search, best);
  const auto D = std::ssize(encoding.numeric_coordinates());
  std::vector<std::size_t> sizes;
  for (double size = wanted(D, 1.2); size < static_cast<double>(nearest.size());
       size *= Tuning::quadratic_growth) {
    sizes.push_back(static_cast<std::size_t>(size));
  }
  if (sizes.empty()) sizes.push_back(nearest.size());
  std::vector<Vector> optima;
  for (std::size_t i = 0; i < std::min(sizes.size(), static_cast<std::size_t>(count)); ++i) {
    const std::size_t size = sizes[(turn + i) % sizes.size()];
    const auto critic = QuadraticCritic::fit(
        encoding, results, best,
        {nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(size)});
    if (!critic) continue;
    Vector code = critic->optimum();
    encoding.snap(code);
    if (code.allFinite()) optima.push_back(std::move(code));
  }
  return optima;
}

}  // namespace vbo
