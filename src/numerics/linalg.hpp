// SPDX-License-Identifier: MIT
// Names for the linear algebra used everywhere. One sample is one column, always: contiguous in
// Eigen's default order and byte-identical to a NumPy C-order (N,D) array.
#pragma once

#include <Eigen/Core>

namespace vbo {

template <class T>
using MatrixOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using VectorOf = Eigen::Matrix<T, Eigen::Dynamic, 1>;

using Matrix = MatrixOf<double>;
using Vector = VectorOf<double>;
using MatrixRef = Eigen::Ref<Matrix>;
using VectorRef = Eigen::Ref<Vector>;
using ConstMatrixRef = const Eigen::Ref<const Matrix>&;
using ConstVectorRef = const Eigen::Ref<const Vector>&;

}  // namespace vbo
