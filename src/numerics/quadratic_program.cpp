// SPDX-License-Identifier: MIT
#include "numerics/quadratic_program.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace vbo {
namespace {

using Eigen::Index;

// The stationary point over the free coordinates, the others held where they are:
//   (lambda G - H)_FF u_F = g_F - (lambda G - H)_FA u_A,   G = M'M.
// Nothing when the matrix is not positive definite: then there is no highest point.
bool solve(const Vector& g, const Matrix& H, const Matrix& G, double lambda,
           const std::vector<Index>& free, const std::vector<Index>& held, Vector& u) {
  const Matrix K = lambda * G - H;
  const Eigen::LLT<Matrix> llt(Matrix(K(free, free)));
  if (llt.info() != Eigen::Success) return false;
  Vector right = g(free);
  if (!held.empty()) right -= Matrix(K(free, held)) * Vector(u(held));
  u(free) = Vector(llt.solve(right));
  return u.allFinite();
}

}  // namespace

Vector maximize_quadratic(ConstVectorRef gradient, ConstMatrixRef hessian, ConstVectorRef low,
                          ConstVectorRef high, ConstMatrixRef M, double radius) {
  const Vector g = gradient;
  const Matrix H = hessian, G = M.transpose() * M;
  const double size = std::max(H.cwiseAbs().maxCoeff(), g.cwiseAbs().maxCoeff());
  const double unit = size / std::max(G.diagonal().maxCoeff(), 1e-300);  // of lambda
  Vector u = Vector::Zero(g.size());
  if (!(size > 0.0)) return u;
  std::vector<Index> free(static_cast<std::size_t>(g.size())), held;
  std::iota(free.begin(), free.end(), Index{0});
  while (!free.empty()) {
    const auto inside = [&](double lambda) {
      return solve(g, H, G, lambda, free, held, u) && u.dot(G * u) <= radius * radius;
    };
    if (!inside(0.0)) {  // the least lambda that will do, by bisection of its logarithm
      double low_exponent = -18.0, high_exponent = 10.0;
      for (int i = 0; i < 50; ++i) {
        const double middle = 0.5 * (low_exponent + high_exponent);
        (inside(unit * std::pow(10.0, middle)) ? high_exponent : low_exponent) = middle;
      }
      if (!solve(g, H, G, unit * std::pow(10.0, high_exponent), free, held, u)) break;
    }
    std::vector<Index> still_free;
    for (const Index i : free) {
      const bool within = u[i] >= low[i] && u[i] <= high[i];
      (within ? still_free : held).push_back(i);
      u[i] = std::clamp(u[i], low[i], high[i]);
    }
    if (still_free.size() == free.size()) break;
    free = std::move(still_free);
  }
  u = u.cwiseMax(low).cwiseMin(high);
  // Clamping may have cost more than the step gained: then less of it, which is in the box, too.
  for (int halving = 0; halving < 50 && g.dot(u) + 0.5 * u.dot(H * u) < 0.0; ++halving) u *= 0.5;
  return g.dot(u) + 0.5 * u.dot(H * u) < 0.0 ? Vector(Vector::Zero(u.size())) : u;
}

}  // namespace vbo
