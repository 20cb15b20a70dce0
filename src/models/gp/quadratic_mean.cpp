// SPDX-License-Identifier: MIT
#include "models/gp/quadratic_mean.hpp"

namespace vbo {
namespace {

Eigen::ArrayXd squares(const Vector& weights, ConstMatrixRef U) {
  return (U.cwiseAbs2().transpose() * weights).array();
}

}  // namespace

Vector QuadraticMean::at(ConstMatrixRef U) const {
  const Eigen::ArrayXd t = squares(weights, U);
  return (t / (1.0 + t / bound)).matrix();
}

// db/dt = 1 / (1 + t / bound)^2,  dt/du_j = 2 weights_j u_j.
Matrix QuadraticMean::pullback(ConstMatrixRef U, ConstVectorRef db) const {
  const Eigen::ArrayXd t = squares(weights, U);
  const Vector dt = (db.array() / (1.0 + t / bound).square()).matrix();
  return 2.0 * (weights.asDiagonal() * U * dt.asDiagonal());
}

}  // namespace vbo
