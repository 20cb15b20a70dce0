// SPDX-License-Identifier: MIT
// The search for an acquisition's maximum under known constraints.
#include <gtest/gtest.h>

#include "optim/surrogate/maximize.hpp"
#include "support/gradient_check.hpp"

namespace vbo {
namespace {

Space square(const std::string& constraint) {
  return Space::make({Parameter::real("x", 0, 1), Parameter::real("y", 0, 1)}, {constraint})
      .value();
}

// -10 (x - 0.8)^2 - (y - 0.9)^2, its top at (0.8, 0.9); of a batch the sum.
double hill(ConstVectorRef at, VectorRef gradient) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < at.size(); i += 2) {
    const double dx = at[i] - 0.8, dy = at[i + 1] - 0.9;
    sum -= 10.0 * dx * dx + dy * dy;
    gradient[i] = -20.0 * dx;
    gradient[i + 1] = -2.0 * dy;
  }
  return sum;
}

TEST(HeldInside, GradientIsRightOnBothSidesOfABorder) {
  const Space space = square("x + 2*y <= 1.2");
  const Encoding encoding(space);
  const GradientFunction held = held_inside(encoding, hill);
  Vector batch(4), gradient(4), unused(4);
  batch << 0.3, 0.2, 0.7, 0.6;  // inside, outside
  held(batch, gradient);
  testing::expect_gradient([&](ConstVectorRef x) { return held(x, unused); }, batch, gradient,
                           {.relative = 1e-4});
  Vector inside = batch.head(2), slope(2);
  hill(inside, slope);
  EXPECT_EQ(gradient.head(2), slope) << "inside it is the function itself";
}

TEST(Maximize, SlidesAlongAConstraintToTheBestPointOfIt) {
  const Space space = square("x + 2*y <= 1.2");
  const Encoding encoding(space);
  const BatchObjective objective{hill, [](ConstMatrixRef X) {
                                   Vector values(X.cols()), unused(X.rows());
                                   for (Eigen::Index i = 0; i < X.cols(); ++i) {
                                     values[i] = hill(X.col(i), unused);
                                   }
                                   return values;
                                 }};
  Rng rng(3, "maximize-test");
  Matrix raw(2, 8);
  for (double& u : raw.reshaped()) u = 0.4 * rng.uniform();
  const std::vector<Candidate> found = maximize(encoding, objective, raw, {}, rng);
  // Where the slope is a multiple of (1, 2): 10 (0.8 - x) = (0.9 - y) / 2 and x + 2 y = 1.2.
  const double x = (16.0 + 0.6 - 0.9) / 20.5;
  EXPECT_NEAR(found.front().X(0, 0), x, 1e-3);
  EXPECT_NEAR(found.front().X(1, 0), 0.5 * (1.2 - x), 1e-3);
  EXPECT_TRUE(space.check(encoding.decode(found.front().X.col(0))));
}

TEST(Maximize, TheSameOnThreadsAndWithScoresAtHand) {
  const Space space = square("x + 2*y <= 1.2");
  const Encoding encoding(space);
  const BatchObjective objective{hill, [](ConstMatrixRef X) {
                                   Vector values(X.cols()), unused(X.rows());
                                   for (Eigen::Index i = 0; i < X.cols(); ++i) {
                                     values[i] = hill(X.col(i), unused);
                                   }
                                   return values;
                                 }};
  Matrix raw(2, 150);
  Rng draws(4, "maximize-test");
  for (double& u : raw.reshaped()) u = 0.4 * draws.uniform();
  Rng alone(3, "maximize-test"), together = alone, scored = alone;
  const std::vector<Candidate> a = maximize(encoding, objective, raw, {}, alone);
  const std::vector<Candidate> b = maximize(encoding, objective, raw, {.threads = 3}, together);
  const std::vector<Candidate> c =
      maximize(encoding, objective, raw, objective.score(raw), {.threads = 3}, scored);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(a.size(), c.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].X, b[i].X) << i;
    EXPECT_EQ(a[i].value, b[i].value) << i;
    EXPECT_EQ(a[i].X, c[i].X) << i;
  }
  EXPECT_EQ(alone.uniform(), together.uniform());
}

}  // namespace
}  // namespace vbo
