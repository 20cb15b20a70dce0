// SPDX-License-Identifier: MIT
// Matrix products of the sizes our networks have: tens to a few hundreds on a side. All matrices
// are column-major with a leading dimension. Unlike a general BLAS nothing is packed: one operand
// fits the caches anyway, and packing is what makes large-matrix libraries slow at 64 x 64.
// Results do not depend on the number of threads (there is only one) nor on memory alignment.
#pragma once

#include <Eigen/Core>

namespace vbo::nn {

using Index = Eigen::Index;

template <class T>
struct ConstView {  // (rows, cols), element (i,j) at data[i + j * ld]
  const T* data;
  Index ld;
};
template <class T>
struct View {
  T* data;
  Index ld;
};

// C (m,n) = A (m,k) B (k,n), plus what C holds already if `add`. 2 m n k operations.
template <class T>
void gemm(Index m, Index n, Index k, ConstView<T> A, ConstView<T> B, View<T> C, bool add = false);

// C (m,n) = b 1^T + A (m,k) B (k,n), b (m): a dense layer before its activation.
template <class T>
void gemm_bias(Index m, Index n, Index k, ConstView<T> A, ConstView<T> B, const T* b, View<T> C);

// C (m,n) = A (m,k) B^T, B (n,k), plus C if `add`: the gradient of a weight matrix.
template <class T>
void gemm_nt(Index m, Index n, Index k, ConstView<T> A, ConstView<T> B, View<T> C,
             bool add = false);

// C (m,n) = A^T B, A (k,m), B (k,n), plus C if `add`: the gradient of a layer's input.
// `scratch` holds m * k elements (the transposed A).
template <class T>
void gemm_tn(Index m, Index n, Index k, ConstView<T> A, ConstView<T> B, View<T> C, T* scratch,
             bool add = false);

// sum_p a[p] b[p] over k elements. Not counted: callers are.
template <class T>
T dot(Index k, const T* a, const T* b);

// At (n,m) = A^T, A (m,n), At without gaps.
template <class T>
void transpose(Index m, Index n, ConstView<T> A, T* At);

// s (m) = A (m,n) 1, plus s if `add`: the gradient of a bias. m n operations.
template <class T>
void sum_columns(Index m, Index n, ConstView<T> A, T* s, bool add = false);

}  // namespace vbo::nn
