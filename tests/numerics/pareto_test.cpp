// SPDX-License-Identifier: MIT
#include "numerics/pareto.hpp"

#include <gmock/gmock.h>

#include "numerics/pareto_samples.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr double kRounding = 1e-12;

Matrix points_of(const ParetoSample& sample) {
  return Eigen::Map<const Matrix>(sample.points.data(), sample.objectives,
                                  std::ssize(sample.points) / sample.objectives);
}

Vector ones(const Matrix& Y) { return Vector::Ones(Y.rows()); }

TEST(Pareto, AgreesWithMoocore) {
  for (const ParetoSample& sample : kParetoSamples) {
    const Matrix Y = points_of(sample);
    EXPECT_NEAR(hypervolume(Y, ones(Y)), sample.hypervolume, kRounding) << Y.rows();
    const Vector contributions = hypervolume_contributions(Y, ones(Y));
    for (Eigen::Index i = 0; i < Y.cols(); ++i) {
      EXPECT_NEAR(contributions[i], sample.contributions[static_cast<std::size_t>(i)], kRounding);
    }
    EXPECT_THAT(non_domination_ranks(Y), ElementsAreArray(sample.ranks));
    std::vector<Eigen::Index> first;
    for (std::size_t i = 0; i < sample.ranks.size(); ++i) {
      if (sample.ranks[i] == 0) first.push_back(static_cast<Eigen::Index>(i));
    }
    EXPECT_THAT(non_dominated(Y), ElementsAreArray(first));
  }
}

TEST(Pareto, NothingBelowTheReferenceHasNoVolume) {
  EXPECT_EQ(hypervolume(Matrix(3, 0), Vector::Ones(3)), 0.0);
  EXPECT_EQ(hypervolume(Matrix::Ones(4, 2), Vector::Ones(4)), 0.0);
  EXPECT_EQ(hypervolume_contributions(Matrix::Ones(4, 2), Vector::Ones(4)), Vector::Zero(2));
  EXPECT_THAT(non_dominated(Matrix(2, 0)), ElementsAre());
}

TEST(Pareto, EqualPointsStayAndAddNothing) {
  const Matrix Y{{0.5, 0.25, 0.5}, {0.5, 0.75, 0.5}};
  EXPECT_THAT(non_dominated(Y), ElementsAre(0, 1, 2));
  EXPECT_DOUBLE_EQ(hypervolume(Y, ones(Y)), 0.3125);
  const Vector contributions = hypervolume_contributions(Y, ones(Y));
  EXPECT_EQ(contributions[0], 0.0);
  EXPECT_DOUBLE_EQ(contributions[1], 0.0625);
  EXPECT_EQ(contributions[2], 0.0);
}

TEST(Pareto, ScalingAnObjectiveScalesTheVolumeAndKeepsTheRanks) {
  Rng rng(3, "pareto-scaling");
  for (Eigen::Index objectives = 2; objectives <= 6; ++objectives) {
    Matrix Y(objectives, 20);
    for (double& y : Y.reshaped()) y = rng.uniform();
    const double volume = hypervolume(Y, ones(Y));
    const std::vector<int> ranks = non_domination_ranks(Y);
    Vector scale(objectives), shift(objectives);
    for (Eigen::Index m = 0; m < objectives; ++m) {
      scale[m] = std::exp(6.0 * rng.uniform() - 3.0);
      shift[m] = 100.0 * (rng.uniform() - 0.5);
    }
    const Matrix scaled = (scale.asDiagonal() * Y).colwise() + shift;
    const double expected = volume * scale.prod();
    EXPECT_NEAR(hypervolume(scaled, scale + shift), expected, 1e-9 * expected);
    EXPECT_EQ(non_domination_ranks(scaled), ranks);
  }
}

// However the points are ordered.
TEST(Pareto, TheOrderOfPointsDoesNotMatter) {
  const ParetoSample& sample = kParetoSamples.back();
  const Matrix Y = points_of(sample);
  EXPECT_NEAR(hypervolume(Y.rowwise().reverse(), ones(Y)), sample.hypervolume, kRounding);
}

TEST(Pareto, ALargeSetInThePlane) {
  constexpr Eigen::Index n = 20'000;
  Matrix Y(2, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    Y.col(i) << static_cast<double>(i) / n, 1.0 - static_cast<double>(i) / n;
  }
  EXPECT_EQ(std::ssize(non_dominated(Y)), n);
  EXPECT_NEAR(hypervolume(Y, ones(Y)), 0.5 * (1.0 - 1.0 / n), 1e-9);
}

}  // namespace
}  // namespace vbo
