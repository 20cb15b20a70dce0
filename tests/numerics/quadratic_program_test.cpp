// SPDX-License-Identifier: MIT
#include "numerics/quadratic_program.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "vbo/random.hpp"

namespace vbo {
namespace {

double value(const Vector& g, const Matrix& H, const Vector& u) {
  return g.dot(u) + 0.5 * u.dot(H * u);
}

struct Problem {
  Vector g;
  Matrix H, M;
  Problem(Eigen::Index D, std::uint64_t seed, bool concave) : g(D), H(D, D), M(D, D) {
    Rng rng(seed, "program");
    for (double& x : g) x = rng.normal();
    for (double& x : H.reshaped()) x = rng.normal();
    for (double& x : M.reshaped()) x = rng.normal();
    H = concave ? Matrix(-(H * H.transpose())) : Matrix(H + H.transpose());
    M.diagonal().array() += 3.0;
  }
};

Vector wide(Eigen::Index D, double bound) { return Vector::Constant(D, bound); }

TEST(QuadraticProgram, FindsTheTopOfAConcaveFunction) {
  for (const Eigen::Index D : {1, 2, 7}) {
    const Problem p(D, 1, true);
    const Vector u = maximize_quadratic(p.g, p.H, wide(D, -1e9), wide(D, 1e9), p.M, 1e9);
    EXPECT_LT((p.g + p.H * u).norm(), 1e-8 * p.g.norm()) << D;  // stationary
  }
}

// Against points all over the ellipsoid, whatever the signs of the curvature.
TEST(QuadraticProgram, NothingInTheEllipsoidIsHigher) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Problem p(4, seed, seed % 2 == 0);
    const Vector u = maximize_quadratic(p.g, p.H, wide(4, -1e9), wide(4, 1e9), p.M, 0.7);
    EXPECT_LE((p.M * u).norm(), 0.7 * (1.0 + 1e-9));
    Rng rng(seed, "points");
    const Matrix inverse = p.M.inverse();
    for (int i = 0; i < 5000; ++i) {
      Vector z(4);
      for (double& x : z) x = rng.normal();
      const Vector other = inverse * (0.7 * std::pow(rng.uniform(), 0.25) * z.normalized());
      EXPECT_LE(value(p.g, p.H, other), value(p.g, p.H, u) + 1e-9) << "seed " << seed;
    }
  }
}

TEST(QuadraticProgram, StaysInTheBox) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem p(5, seed, seed % 2 == 0);
    const Vector u = maximize_quadratic(p.g, p.H, wide(5, -0.1), wide(5, 0.05), p.M, 100.0);
    EXPECT_GE(u.minCoeff(), -0.1);
    EXPECT_LE(u.maxCoeff(), 0.05);
    EXPECT_GE(value(p.g, p.H, u), 0.0) << "seed " << seed;  // at least as good as where it began
  }
}

TEST(QuadraticProgram, AFunctionWithoutSlopeLeavesItWhereItIs) {
  const Vector zero = Vector::Zero(3);
  EXPECT_EQ(maximize_quadratic(zero, Matrix::Zero(3, 3), wide(3, -1), wide(3, 1),
                               Matrix::Identity(3, 3), 1.0),
            zero);
}

}  // namespace
}  // namespace vbo
