// SPDX-License-Identifier: MIT
#include "optim/vbo/process_view.hpp"

#include <cmath>

#include "numerics/flops.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

constexpr double kScale = Tuning::near_scale;

}  // namespace

ProcessView::ProcessView(const Frame& frame, Eigen::Index dimension)
    : numbers_(frame.numeric_coordinates()), dimension_(dimension) {
  const auto& [mean, whitening] = frame.neighbourhood();
  centre_ = mean;
  map_ = kScale * (whitening.cols() == 1 ? Matrix(whitening.col(0).asDiagonal()) : whitening);
}

Matrix ProcessView::numbers_of(ConstMatrixRef X) const {
  flops::add(flops::gemm(map_.rows(), X.cols(), map_.cols()));
  return map_ * (X(numbers_, Eigen::all).colwise() - centre_);
}

Matrix ProcessView::operator()(ConstMatrixRef X) const {
  Matrix U = X;
  if (is_near()) U(numbers_, Eigen::all) = numbers_of(X);
  return U;
}

Matrix ProcessView::pullback(ConstMatrixRef dU) const {
  Matrix dX = dU;
  if (!is_near()) return dX;
  flops::add(flops::gemm(map_.rows(), dU.cols(), map_.cols()));
  dX(numbers_, Eigen::all) = map_.transpose() * dU(numbers_, Eigen::all);
  return dX;
}

Vector ProcessView::distance(ConstMatrixRef X) const {
  if (!is_near()) return Vector::Zero(X.cols());
  const auto n = static_cast<double>(numbers_.size());
  return numbers_of(X).colwise().norm().transpose() / (kScale * std::sqrt(n));
}

Hill ProcessView::hill() const {
  if (!is_near()) return {};
  Vector weights = Vector::Zero(dimension_);
  weights(numbers_).setConstant(1.0 / (kScale * kScale * static_cast<double>(numbers_.size())));
  return {weights, Tuning::near_hill};
}

}  // namespace vbo
