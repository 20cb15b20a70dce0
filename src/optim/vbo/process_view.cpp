// SPDX-License-Identifier: MIT
#include "optim/vbo/process_view.hpp"

#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

constexpr double kScale = Tuning::near_scale;

}  // namespace

ProcessView::ProcessView(const Frame& frame, Eigen::Index dimension)
    : map_(Matrix::Identity(dimension, dimension)),
      centre_(Vector::Zero(dimension)),
      numeric_(Vector::Zero(dimension)) {
  const auto& [mean, whitening] = frame.neighbourhood();
  const std::vector<Eigen::Index>& numbers = frame.numeric_coordinates();
  const Matrix A = whitening.cols() == 1 ? Matrix(whitening.col(0).asDiagonal()) : whitening;
  map_(numbers, numbers) = kScale * A;
  centre_(numbers) = mean;
  numeric_(numbers).setConstant(1.0 / static_cast<double>(numbers.size()));
}

Matrix ProcessView::operator()(ConstMatrixRef X) const {
  if (!is_near()) return X;
  return map_ * (X.colwise() - centre_);
}

Matrix ProcessView::pullback(ConstMatrixRef dU) const {
  if (!is_near()) return dU;
  return map_.transpose() * dU;
}

Vector ProcessView::distance(ConstMatrixRef X) const {
  if (!is_near()) return Vector::Zero(X.cols());
  return ((*this)(X).cwiseAbs2().transpose() * numeric_).cwiseSqrt() / kScale;
}

Hill ProcessView::hill() const {
  if (!is_near()) return {};
  return {numeric_ / (kScale * kScale), Tuning::near_hill};
}

}  // namespace vbo
