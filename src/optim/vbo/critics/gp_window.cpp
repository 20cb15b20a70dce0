// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/gp_window.hpp"

#include <cmath>

#include "numerics/flops.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

constexpr double kScale = Tuning::near_scale;

}  // namespace

GpWindow::GpWindow(const LocalCoordinates& coordinates, Eigen::Index dimension)
    : numeric_(coordinates.numeric_coordinates()), dimension_(dimension) {
  const auto& [mean, whitening] = coordinates.neighbourhood();
  centre_ = mean;
  map_ = kScale * (whitening.cols() == 1 ? Matrix(whitening.col(0).asDiagonal()) : whitening);
}

Matrix GpWindow::numeric_of(ConstMatrixRef X) const {
  flops::add(flops::gemm(map_.rows(), X.cols(), map_.cols()));
  return map_ * (X(numeric_, Eigen::all).colwise() - centre_);
}

Matrix GpWindow::operator()(ConstMatrixRef X) const {
  Matrix U = X;
  if (is_near()) U(numeric_, Eigen::all) = numeric_of(X);
  return U;
}

Matrix GpWindow::pullback(ConstMatrixRef dU) const {
  Matrix dX = dU;
  if (!is_near()) return dX;
  flops::add(flops::gemm(map_.rows(), dU.cols(), map_.cols()));
  dX(numeric_, Eigen::all) = map_.transpose() * dU(numeric_, Eigen::all);
  return dX;
}

Vector GpWindow::distance(ConstMatrixRef X) const {
  if (!is_near()) return Vector::Zero(X.cols());
  const auto n = static_cast<double>(numeric_.size());
  return numeric_of(X).colwise().norm().transpose() / (kScale * std::sqrt(n));
}

QuadraticMean GpWindow::quadratic_mean() const {
  if (!is_near()) return {};
  Vector weights = Vector::Zero(dimension_);
  weights(numeric_).setConstant(1.0 / (kScale * kScale * static_cast<double>(numeric_.size())));
  return {weights, Tuning::near_quadratic};
}

}  // namespace vbo
