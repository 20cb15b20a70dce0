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
                                 const LocalCoordinates::Neighbourhood& search,
                                 ConstVectorRef code) {
  const std::vector<Index> numeric = encoding.numeric_coordinates();
  const Matrix& whitening = search.whitening;
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
double good_gap(const Vector& gaps) {
  std::vector<double> sorted(gaps.begin(), gaps.end());
  const auto good = sorted.begin() + static_cast<std::ptrdiff_t>(Tuning::quadratic_good *
                                                                 static_cast<double>(gaps.size()));
  std::nth_element(sorted.begin(), good, sorted.end());
  return std::max(*good, 1e-300);
}

Vector weights_of(const Vector& gaps, double good) {
  return (1.0 + gaps.array() / good).square().inverse();
}

// Results count less the larger their standard errors are beside the usual one.
Vector weights_of_errors(const Vector& errors) {
  return (1.0 + errors.array().square() / errors.array().square().mean()).inverse();
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

LocalQuadratic::LocalQuadratic(std::vector<Index> coordinates, Vector around, Matrix whitening,
                               QuadraticModel model, double best, double good_gap,
                               double mean_weight)
    : coordinates_(std::move(coordinates)),
      around_(std::move(around)),
      whitening_(std::move(whitening)),
      model_(std::move(model)),
      best_(best),
      good_gap_(good_gap),
      mean_weight_(mean_weight) {}

std::optional<LocalQuadratic> LocalQuadratic::fit(const Encoding& encoding, const Archive& results,
                                                  ConstVectorRef around, std::vector<int> indices) {
  const std::vector<Index> numeric = encoding.numeric_coordinates();
  const auto D = std::ssize(numeric);
  const auto n = std::ssize(indices);
  if (D == 0 || n < 2 * D + 2) return std::nullopt;
  const double best = results.value(results.at_rank(0));
  Matrix X(D, n);
  Vector y(n), errors(n);
  for (Index i = 0; i < n; ++i) {
    const int index = indices[static_cast<std::size_t>(i)];
    X.col(i) = results.code(index)(numeric) - around(numeric);
    errors[i] = results.error(index);
    y[i] = results.value(index) - best;  // near 0, where digits matter
  }
  const Vector gaps = y.maxCoeff() - y.array();
  if (!gaps.allFinite()) return std::nullopt;
  const double good = good_gap(gaps);
  Vector weights = weights_of(gaps, good);
  const double mean_weight = weights.mean();
  if (errors.maxCoeff() > 0.0) weights = weights.cwiseProduct(weights_of_errors(errors));
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
  return LocalQuadratic(numeric, around, std::move(whitening), std::move(model), best, good,
                        mean_weight);
}

Matrix LocalQuadratic::whitened(ConstMatrixRef X) const {
  const Vector centre = around_(coordinates_);
  return whitening_ * (X(coordinates_, Eigen::all).colwise() - centre);
}

Vector LocalQuadratic::mean(ConstMatrixRef X, Matrix* slope) const {
  const Matrix U = whitened(X);
  if (slope) {
    slope->setZero(X.rows(), X.cols());
    (*slope)(coordinates_, Eigen::all) =
        whitening_.transpose() * ((model_.hessian() * U).colwise() + model_.gradient());
  }
  return model_.mean(U).array() + best_;
}

// The noise of a result grows with its gap as the weights fall.
Vector LocalQuadratic::deviation(ConstMatrixRef X) const {
  const Matrix U = whitened(X);
  const Vector gaps = (-model_.mean(U)).cwiseMax(0.0);
  const Vector noise =
      mean_weight_ * model_.noise_variance() * weights_of(gaps, good_gap_).cwiseInverse();
  return (model_.mean_variance(U) + noise).cwiseSqrt();
}

Vector LocalQuadratic::distance(ConstMatrixRef X) const {
  return whitened(X).colwise().norm().transpose() /
         std::sqrt(static_cast<double>(coordinates_.size()));
}

Vector LocalQuadratic::optimum() const {
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

Learning QuadraticCritic::learning(const Archive& archive, const Replay&, std::int64_t) {
  model_.reset();
  if (coordinates_.numeric() == 0 || archive.feasible() == 0) return {};
  Learning work;
  work.pieces.push_back({[this, &archive](int) {
    const auto& search = coordinates_.neighbourhood();
    Vector around = archive.code(archive.at_rank(0));
    around(coordinates_.numeric_coordinates()) = search.mean;
    std::vector<int> indices = nearest_results(encoding_, archive, search, around);
    const double most = wanted(coordinates_.numeric(), Tuning::quadratic_results);
    indices.resize(std::min(indices.size(), static_cast<std::size_t>(most)));
    model_ = LocalQuadratic::fit(encoding_, archive, around, std::move(indices));
    categories_ = std::move(around);
  }});
  return work;
}

// Where results like those it was fitted to lie.
std::vector<bool> QuadraticCritic::covers(ConstMatrixRef X) const {
  const Vector distances = model_->distance(X);
  std::vector<bool> covered;
  for (Index i = 0; i < X.cols(); ++i) {
    covered.push_back(distances[i] <= Tuning::quadratic_radius &&
                      encoding_.same_categories(X.col(i), categories_));
  }
  return covered;
}

Matrix QuadraticCritic::predict(const OutcomeLevels& levels, ConstMatrixRef X, int) const {
  const Vector mean = model_->mean(X), deviation = model_->deviation(X);
  Matrix P(levels.size(), X.cols());
  for (Index i = 0; i < X.cols(); ++i) {
    P.col(i) = normal_over_levels(mean[i], std::max(deviation[i], 1e-300), levels.edges());
  }
  return P;
}

Vector QuadraticCritic::mean(ConstMatrixRef X, int, Matrix* slope) const {
  const Vector outcomes = model_->mean(X, slope);
  Vector scores(outcomes.size());
  for (Index i = 0; i < outcomes.size(); ++i) {
    scores[i] = scale_.score(outcomes[i]);
    if (slope) slope->col(i) *= scale_.slope(outcomes[i]);
  }
  return scores;
}

std::vector<Vector> quadratic_optima(const Encoding& encoding, const Archive& results,
                                     const LocalCoordinates::Neighbourhood& search, int count,
                                     std::uint64_t turn) {
  if (results.feasible() == 0) return {};
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
    const auto critic =
        LocalQuadratic::fit(encoding, results, best,
                            {nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(size)});
    if (!critic) continue;
    Vector code = critic->optimum();
    encoding.snap(code);
    if (code.allFinite()) optima.push_back(std::move(code));
  }
  return optima;
}

}  // namespace vbo
