// SPDX-License-Identifier: MIT
#include "models/quadratic/quadratic_model.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "numerics/flops.hpp"

namespace vbo {
namespace {

using Eigen::Index;
using Form = QuadraticModel::Form;

// All but the intercept: (p,n).
Matrix features(Form form, ConstMatrixRef U) {
  const Index D = U.rows();
  Matrix F(QuadraticModel::coefficients(form, D) - 1, U.cols());
  F.topRows(D) = U;
  if (form == Form::diagonal) F.bottomRows(D) = U.cwiseAbs2();
  if (form == Form::full) {
    Index row = D;
    for (Index i = 0; i < D; ++i) {
      for (Index j = i; j < D; ++j) F.row(row++) = U.row(i).cwiseProduct(U.row(j));
    }
  }
  return F;
}

// b that maximizes the posterior for the lambda of largest evidence. A (p,p) = F W F', r = F W z,
// zz = z'W z of centred features and outcomes:
//   b = (A + lambda I)^-1 r
//   log evidence = p/2 log lambda - 1/2 log det(A + lambda I) - (n-1)/2 log(zz - r'b) + const
struct Coefficients {
  Vector b;
  Matrix root;        // lower triangular, of A + lambda I
  double left = 0.0;  // zz - r'b
};

Coefficients coefficients_of(const Matrix& A, const Vector& r, double zz, double n) {
  // Smaller ones are lost in the rounding of A, with larger ones the model is constant.
  constexpr double lowest = 1e-13, highest = 1e3, factor = 10.0;
  Coefficients chosen{Vector::Zero(r.size()), {}, zz};
  double best = -std::numeric_limits<double>::infinity();
  const auto p = static_cast<double>(r.size());
  for (double relative = lowest; relative <= highest; relative *= factor) {
    const double lambda = n * relative;
    Matrix K = A;
    K.diagonal().array() += lambda;
    const Eigen::LLT<Matrix> llt(K);
    flops::add(flops::gemm(K.rows(), K.rows(), K.rows()) / 6);
    if (llt.info() != Eigen::Success) continue;
    const Vector b = llt.solve(r);
    const double left = std::max(zz - r.dot(b), 1e-26 * zz);  // exact fits lose all digits
    const double log_det = 2.0 * llt.matrixLLT().diagonal().array().log().sum();
    const double evidence =
        0.5 * p * std::log(lambda) - 0.5 * log_det - 0.5 * (n - 1.0) * std::log(left);
    if (!(evidence > best)) continue;
    best = evidence;
    chosen = {b, llt.matrixL(), left};
  }
  return chosen;
}

}  // namespace

Index QuadraticModel::coefficients(Form form, Index D) {
  switch (form) {
    case Form::linear:
      return 1 + D;
    case Form::diagonal:
      return 1 + 2 * D;
    case Form::full:
      return (D + 1) * (D + 2) / 2;
  }
  return 1;
}

Form QuadraticModel::form_for(Index n, Index D, Index most) {
  for (const Form form : {Form::full, Form::diagonal}) {
    const Index p = coefficients(form, D);
    if (p <= most && static_cast<double>(n) >= 1.1 * static_cast<double>(p)) return form;
  }
  return Form::linear;
}

QuadraticModel::QuadraticModel(Form form, ConstMatrixRef U, ConstVectorRef y,
                               ConstVectorRef weights)
    : form_(form) {
  const Index D = U.rows();
  const auto n = static_cast<double>(U.cols());
  const Vector w = weights * (n / weights.sum());
  Matrix F = features(form, U);
  const Vector centre = F * w / n;
  F.colwise() -= centre;
  const double middle = y.dot(w) / n;
  const Vector z = y.array() - middle;
  const Matrix FW = F * w.asDiagonal();
  Matrix A = FW * F.transpose();
  flops::add(flops::gemm(F.rows(), F.rows(), F.cols()));
  const double zz = z.dot(w.cwiseProduct(z));
  Coefficients found{Vector::Zero(F.rows()), {}, 0.0};
  if (zz > 0.0) found = coefficients_of(A, FW * z, zz, n);
  const Vector& b = found.b;
  results_ = n;
  noise_variance_ = found.left / std::max(1.0, n - 1.0);
  centre_ = centre;
  precision_root_ = std::move(found.root);
  gradient_ = b.head(D);
  hessian_ = Matrix::Zero(D, D);
  if (form == Form::diagonal) hessian_.diagonal() = 2.0 * b.tail(D);
  if (form == Form::full) {
    Index row = D;
    for (Index i = 0; i < D; ++i) {
      for (Index j = i; j < D; ++j) {  // both halves of a product; a square counts twice
        hessian_(i, j) += b[row];
        hessian_(j, i) += b[row++];
      }
    }
  }
  constant_ = middle - b.dot(centre);
}

Vector QuadraticModel::mean(ConstMatrixRef U) const {
  const Matrix HU = hessian_ * U;
  return (constant_ + (U.transpose() * gradient_).array() +
          0.5 * U.cwiseProduct(HU).colwise().sum().transpose().array())
      .matrix();
}

// Of phi(u)'b with the flat intercept:  s2 (1/n + f' (A + lambda I)^-1 f),  f = phi(u) - centre.
Vector QuadraticModel::mean_variance(ConstMatrixRef U) const {
  Matrix F = features(form_, U);
  F.colwise() -= centre_;
  Vector squares = Vector::Constant(U.cols(), 1.0 / std::max(1.0, results_));
  if (precision_root_.size() > 0) {
    const Matrix V = precision_root_.triangularView<Eigen::Lower>().solve(F);
    flops::add(flops::gemm(F.rows(), F.cols(), F.rows()) / 2);
    squares += V.colwise().squaredNorm().transpose();
  }
  return noise_variance_ * squares;
}

}  // namespace vbo
