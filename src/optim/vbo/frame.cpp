// SPDX-License-Identifier: MIT
#include "optim/vbo/frame.hpp"

#include "numerics/flops.hpp"

namespace vbo {
namespace {

// Where the second view saturates, in units of the frame.
constexpr float kClip = 2.0F;

}  // namespace

Frame::Frame(const Encoding& encoding) : dimension_(encoding.dimension()) {
  for (const Encoding::Block& block : encoding.blocks()) {
    if (block.kind != ParameterKind::categorical) numeric_.push_back(block.offset);
  }
  move(Vector::Constant(numeric(), 0.5), Matrix::Constant(numeric(), 1, 2.0));
}

void Frame::move(ConstVectorRef mean, ConstMatrixRef whitening) {
  mean_ = mean;
  whitening_ = whitening;
  mean_f_ = mean.cast<float>();
  whitening_f_ = whitening.cast<float>();
}

void Frame::features(nn::InputRef<float> X, MatrixOf<float>& Z) const {
  const Eigen::Index N = X.cols(), n = numeric();
  Z.resize(inputs(), N);
  Z.topRows(dimension_).array() = 2.0F * X.array() - 1.0F;
  if (n == 0) return;
  MatrixOf<float> centred(n, N);
  for (Eigen::Index i = 0; i < n; ++i) {
    centred.row(i) = X.row(numeric_[static_cast<std::size_t>(i)]).array() - mean_f_[i];
  }
  auto view = Z.bottomRows(n);
  if (whitening_f_.cols() == 1) {
    view = whitening_f_.col(0).asDiagonal() * centred;
  } else {
    flops::add(flops::gemm(n, N, n));
    view.noalias() = whitening_f_ * centred;
  }
  view.array() = kClip * (view.array() / kClip).tanh();
}

void Frame::features_backward(nn::InputRef<float> Z, nn::InputRef<float> dZ,
                              MatrixOf<float>& dX) const {
  const Eigen::Index n = numeric();
  dX = 2.0F * dZ.topRows(dimension_);
  if (n == 0) return;
  // tanh' = 1 - tanh^2
  const MatrixOf<float> inner =
      dZ.bottomRows(n).array() * (1.0F - (Z.bottomRows(n).array() / kClip).square());
  MatrixOf<float> d(n, Z.cols());
  if (whitening_f_.cols() == 1) {
    d = whitening_f_.col(0).asDiagonal() * inner;
  } else {
    flops::add(flops::gemm(n, Z.cols(), n));
    d.noalias() = whitening_f_.transpose() * inner;
  }
  for (Eigen::Index i = 0; i < n; ++i) dX.row(numeric_[static_cast<std::size_t>(i)]) += d.row(i);
}

}  // namespace vbo
