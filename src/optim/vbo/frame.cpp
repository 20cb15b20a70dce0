// SPDX-License-Identifier: MIT
#include "optim/vbo/frame.hpp"

#include "numerics/flops.hpp"

namespace vbo {
namespace {

// Where the views of neighbourhoods saturate, in units of the frame.
constexpr float kClip = 2.0F;

}  // namespace

Frame::Frame(const Encoding& encoding, int views)
    : dimension_(encoding.dimension()),
      numeric_(encoding.numeric_coordinates()),
      views_(static_cast<std::size_t>(views)) {
  for (int view = 0; view < views; ++view) {
    move(view, {Vector::Constant(numeric(), 0.5), Matrix::Constant(numeric(), 1, 2.0)});
  }
}

void Frame::move(int view, Neighbourhood to) {
  View& v = views_[static_cast<std::size_t>(view)];
  v.mean = to.mean.cast<float>();
  v.whitening = to.whitening.cast<float>();
  v.at = std::move(to);
}

void Frame::features(nn::InputRef<float> X, MatrixOf<float>& Z) const {
  const Eigen::Index N = X.cols(), n = numeric();
  Z.resize(inputs(), N);
  Z.topRows(dimension_).array() = 2.0F * X.array() - 1.0F;
  if (n == 0) return;
  MatrixOf<float> centred(n, N);
  Eigen::Index from = dimension_;
  for (const View& view : views_) {
    for (Eigen::Index i = 0; i < n; ++i) {
      centred.row(i) = X.row(numeric_[static_cast<std::size_t>(i)]).array() - view.mean[i];
    }
    auto rows = Z.middleRows(from, n);
    from += n;
    if (view.whitening.cols() == 1) {
      rows = view.whitening.col(0).asDiagonal() * centred;
    } else {
      flops::add(flops::gemm(n, N, n));
      rows.noalias() = view.whitening * centred;
    }
    rows.array() = kClip * (rows.array() / kClip).tanh();
  }
}

void Frame::features_backward(nn::InputRef<float> Z, nn::InputRef<float> dZ,
                              MatrixOf<float>& dX) const {
  const Eigen::Index n = numeric();
  dX = 2.0F * dZ.topRows(dimension_);
  if (n == 0) return;
  MatrixOf<float> d(n, Z.cols());
  Eigen::Index from = dimension_;
  for (const View& view : views_) {
    // tanh' = 1 - tanh^2
    const MatrixOf<float> inner =
        dZ.middleRows(from, n).array() * (1.0F - (Z.middleRows(from, n).array() / kClip).square());
    from += n;
    if (view.whitening.cols() == 1) {
      d = view.whitening.col(0).asDiagonal() * inner;
    } else {
      flops::add(flops::gemm(n, Z.cols(), n));
      d.noalias() = view.whitening.transpose() * inner;
    }
    for (Eigen::Index i = 0; i < n; ++i) dX.row(numeric_[static_cast<std::size_t>(i)]) += d.row(i);
  }
}

}  // namespace vbo
