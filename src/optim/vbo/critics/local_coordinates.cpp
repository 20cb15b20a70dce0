// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/local_coordinates.hpp"

#include "numerics/flops.hpp"

namespace vbo {
namespace {

// Where the near window saturates, in units of the coordinates.
constexpr float kClip = 2.0F;

}  // namespace

LocalCoordinates::LocalCoordinates(const Encoding& encoding, Windows views)
    : dimension_(encoding.dimension()), numeric_(encoding.numeric_coordinates()) {
  if (views == Windows::whole) return;
  near_.emplace();
  move({Vector::Constant(numeric(), 0.5), Matrix::Constant(numeric(), 1, 2.0)});
}

void LocalCoordinates::move(Neighbourhood to) {
  near_->mean = to.mean.cast<float>();
  near_->whitening = to.whitening.cast<float>();
  near_->at = std::move(to);
}

void LocalCoordinates::features(nn::InputRef<float> X, MatrixOf<float>& Z) const {
  const Eigen::Index N = X.cols(), n = numeric();
  Z.resize(inputs(), N);
  Z.topRows(dimension_).array() = 2.0F * X.array() - 1.0F;
  if (!near_ || n == 0) return;
  MatrixOf<float> centred(n, N);
  for (Eigen::Index i = 0; i < n; ++i) {
    centred.row(i) = X.row(numeric_[static_cast<std::size_t>(i)]).array() - near_->mean[i];
  }
  auto rows = Z.bottomRows(n);
  if (near_->whitening.cols() == 1) {
    rows = near_->whitening.col(0).asDiagonal() * centred;
  } else {
    flops::add(flops::gemm(n, N, n));
    rows.noalias() = near_->whitening * centred;
  }
  rows.array() = kClip * (rows.array() / kClip).tanh();
}

void LocalCoordinates::features_backward(nn::InputRef<float> Z, nn::InputRef<float> dZ,
                                         MatrixOf<float>& dX) const {
  const Eigen::Index n = numeric();
  dX = 2.0F * dZ.topRows(dimension_);
  if (!near_ || n == 0) return;
  // tanh' = 1 - tanh^2
  const MatrixOf<float> inner =
      dZ.bottomRows(n).array() * (1.0F - (Z.bottomRows(n).array() / kClip).square());
  MatrixOf<float> d(n, Z.cols());
  if (near_->whitening.cols() == 1) {
    d = near_->whitening.col(0).asDiagonal() * inner;
  } else {
    flops::add(flops::gemm(n, Z.cols(), n));
    d.noalias() = near_->whitening.transpose() * inner;
  }
  for (Eigen::Index i = 0; i < n; ++i) dX.row(numeric_[static_cast<std::size_t>(i)]) += d.row(i);
}

}  // namespace vbo
