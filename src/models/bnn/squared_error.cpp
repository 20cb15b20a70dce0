// SPDX-License-Identifier: MIT
#include "models/bnn/squared_error.hpp"

#include <utility>

#include "numerics/flops.hpp"
#include "numerics/parallel.hpp"

namespace vbo {

template <class T>
SquaredError<T>::SquaredError(nn::MlpShape shape, ConstMatrixRef X, ConstVectorRef y, int threads)
    : shape_(std::move(shape)), X_(X.cast<T>()), y_(y.cast<T>()), threads_(threads) {
  constexpr Eigen::Index largest = 128;
  const Eigen::Index n = y.size(), count = (n + largest - 1) / largest;
  for (Eigen::Index i = 0; i < count; ++i) {
    Slice slice;
    slice.begin = i * n / count;
    slice.size = (i + 1) * n / count - slice.begin;
    slice.gradient.resize(shape_.parameters());
    slices_.push_back(std::move(slice));
  }
}

template <class T>
void SquaredError<T>::run(Slice& slice) {
  const auto X = X_.middleCols(slice.begin, slice.size);
  slice.residual = nn::forward<T>(shape_, theta_.data(), X, slice.work);
  slice.residual -= y_.segment(slice.begin, slice.size).transpose();
  // d/df (f-y)^2 = 2 (f-y); the factor 2 is applied once to the whole gradient.
  nn::backward<T>(shape_, theta_.data(), slice.work, slice.residual, slice.gradient.data(),
                  nullptr);
  slice.sum = slice.residual.template cast<double>().squaredNorm();
  flops::add(3 * static_cast<std::uint64_t>(slice.size));
}

template <class T>
double SquaredError<T>::operator()(ConstVectorRef theta, VectorRef gradient) {
  theta_ = theta.cast<T>();
  parallel_for(threads_, static_cast<int>(slices_.size()),
               [this](int i) { run(slices_[static_cast<std::size_t>(i)]); });
  double sum = 0.0;
  gradient.setZero();
  for (const Slice& slice : slices_) {
    sum += slice.sum;
    gradient += 2.0 * slice.gradient.template cast<double>();
  }
  flops::add(2 * slices_.size() * static_cast<std::uint64_t>(gradient.size()));
  return sum;
}

template class SquaredError<float>;
template class SquaredError<double>;

}  // namespace vbo
