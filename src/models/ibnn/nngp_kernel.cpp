// SPDX-License-Identifier: MIT
#include "models/ibnn/nngp_kernel.hpp"

#include <cmath>
#include <iterator>

#include "numerics/flops.hpp"
#include "numerics/special.hpp"

namespace vbo {
namespace {

using Eigen::Index;

using Column = Eigen::ArrayXd;

// arccos of c in [-1, 1], element by element in vector instructions, within 4e-16:
//   arccos |c| = 2 asin(s), s = sqrt((1 - |c|) / 2) <= sqrt(1/2),  asin(s) = s g(y), y = 1 - 2 |c|,
// and arccos(-c) = pi - arccos c. g is Chebyshev's interpolation of asin(sqrt z) / sqrt z with
// z = (1 + y) / 4.
Column arccos(const Column& c) {
  constexpr double g[] = {1.0471975511965979,     0.05375149359132689,    0.0077989022389741295,
                          0.0015196685396002487,  0.00034086372340580136, 8.302317788222728e-05,
                          2.1345552714939684e-05, 5.701783556049392e-06,  1.5669620367998919e-06,
                          4.401968116419152e-07,  1.2584781240170216e-07, 3.6493460957148516e-08,
                          1.0697036292140507e-08, 3.170159567820474e-09,  9.634387253469615e-10,
                          2.9026250109754305e-10, 7.451232855164786e-11,  2.2637806505151557e-11,
                          1.3266616229762829e-11, 4.097889497209511e-12};
  const Column y = 1.0 - 2.0 * c.abs();
  Column sum = Column::Constant(c.size(), *std::rbegin(g));
  for (auto next = std::rbegin(g) + 1; next != std::rend(g); ++next) sum = sum * y + *next;
  const Column t = 2.0 * (0.5 * (1.0 - c.abs())).sqrt() * sum;  // arccos |c|
  const Column sign = c / c.abs().max(1e-300);                  // of c = 0 any will do
  return 0.5 * kPi - sign * (0.5 * kPi - t);
}

// Keeps arccos, and its slope, away from its singular ends.
Column clamped(const Column& c) { return c.max(-(1.0 - 1e-7)).min(1.0 - 1e-7); }

// One layer for one moving point, with A its diagonal, and many others, with B theirs: C -> K, and
// dK = by_C dC + by_A dA.
struct Layer {
  Column value, by_C, by_A;
};

Layer layer(const NngpOptions& o, double A, const Column& B, const Column& C) {
  const double w = o.weight_variance;
  if (o.unit == NetworkUnit::relu) {
    const double f = w / (2.0 * kPi);
    const Column root = (A * B).sqrt(), cosine = C / root, c = clamped(cosine);
    const Column rest = kPi - arccos(c), sine = (1.0 - c.square()).sqrt();
    return {o.bias_variance + f * root * (sine + rest * cosine), f * rest,
            f * 0.5 / A * root * sine};
  }
  const double P = 1.0 + 2.0 * A, f = 2.0 * w / kPi;
  const Column root = (P * (1.0 + 2.0 * B)).sqrt(), u = clamped(2.0 * C / root);
  const Column slope = f / (1.0 - u.square()).sqrt();
  return {o.bias_variance + f * (0.5 * kPi - arccos(u)), 2.0 * slope / root, -slope * u / P};
}

}  // namespace

Matrix NngpKernel::diagonals(ConstMatrixRef X, Matrix* slopes) const {
  const NngpOptions& o = options_;
  Matrix A(o.depth + 1, X.cols());
  if (slopes) slopes->setOnes(o.depth + 1, X.cols());
  const double D = static_cast<double>(X.rows());
  A.row(0) = o.bias_variance + o.weight_variance / D * X.colwise().squaredNorm().array();
  for (int l = 1; l <= o.depth; ++l) {
    for (Index i = 0; i < X.cols(); ++i) {
      const double a = A(l - 1, i);
      double slope = 0.5 * o.weight_variance;
      if (o.unit == NetworkUnit::relu) {
        A(l, i) = o.bias_variance + slope * a;
      } else {
        const double P = 1.0 + 2.0 * a, u = 2.0 * a / P, f = 2.0 * o.weight_variance / kPi;
        A(l, i) = o.bias_variance + f * std::asin(u);
        slope = f / std::sqrt(1.0 - u * u) * (2.0 / P) * (1.0 - u);
      }
      if (slopes) (*slopes)(l, i) = (*slopes)(l - 1, i) * slope;
    }
  }
  return A;
}

Matrix NngpKernel::cross(ConstMatrixRef A, ConstMatrixRef B) const {
  const Matrix a = diagonals(A).transpose(), b = diagonals(B);
  const double D = static_cast<double>(A.rows());
  Matrix K = options_.weight_variance / D * (A.transpose() * B);
  K.array() += options_.bias_variance;
  for (Index j = 0; j < K.cols(); ++j) {
    for (int l = 0; l < options_.depth; ++l) {
      K.col(j) = layer(options_, b(l, j), a.col(l), K.col(j)).value;
    }
  }
  flops::add(flops::gemm(K.rows(), K.cols(), A.rows()) +
             static_cast<std::uint64_t>(Eigen::Index{12} * options_.depth * K.size()));
  return K;
}

Vector NngpKernel::diagonal(ConstMatrixRef B) const {
  return diagonals(B).row(options_.depth).transpose();
}

// Every derivative is p dC0 + s dA0 with dC0 = w a / D, dA0 = 2 w b / D, and per layer
//   s <- by_C s + by_A dA/dA0,  p <- by_C p.
Matrix NngpKernel::pull_cross(ConstMatrixRef A, ConstMatrixRef B, ConstMatrixRef dK) const {
  Matrix slopes;
  const Matrix a = diagonals(A).transpose(), b = diagonals(B, &slopes);
  const double scale = options_.weight_variance / static_cast<double>(A.rows());
  Matrix C = scale * (A.transpose() * B);
  C.array() += options_.bias_variance;
  Matrix P(C.rows(), C.cols());
  Vector own(B.cols());
  for (Index j = 0; j < C.cols(); ++j) {
    Column c = C.col(j), p = Column::Ones(C.rows()), s = Column::Zero(C.rows());
    for (int l = 0; l < options_.depth; ++l) {
      const Layer step = layer(options_, b(l, j), a.col(l), c);
      s = step.by_C * s + step.by_A * slopes(l, j);
      p *= step.by_C;
      c = step.value;
    }
    P.col(j) = dK.col(j).array() * p;
    own[j] = (dK.col(j).array() * s).sum();
  }
  flops::add(2 * flops::gemm(C.rows(), C.cols(), A.rows()) +
             static_cast<std::uint64_t>(Eigen::Index{20} * options_.depth * C.size()));
  return scale * (A * P) + B * (2.0 * scale * own).asDiagonal();
}

Matrix NngpKernel::pull_diagonal(ConstMatrixRef B, ConstVectorRef ddiagonal) const {
  Matrix slopes;
  diagonals(B, &slopes);
  const double scale = 2.0 * options_.weight_variance / static_cast<double>(B.rows());
  const Vector weights = scale * slopes.row(options_.depth).transpose().cwiseProduct(ddiagonal);
  return B * weights.asDiagonal();
}

}  // namespace vbo
