// SPDX-License-Identifier: MIT
#include "optim/history/history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "vbo/random.hpp"

namespace vbo {
namespace {

using ::testing::ElementsAre;

Space square(std::vector<Limit> limits = {}) {
  return Space::make({Parameter::real("x", 0, 2), Parameter::real("y", 0, 2)}, {},
                     std::move(limits))
      .value();
}

Trial told(TrialId id, Point point, std::optional<double> value, Metrics metrics = {}) {
  Trial trial{.id = id, .point = std::move(point)};
  trial.asked_in = 1;
  trial.told_in = 2;
  return ended_by(std::move(trial), value
                                        ? Outcome{.values = {*value}, .metrics = std::move(metrics)}
                                        : Outcome::failed(FailureCause::crash, "no"));
}

TEST(Places, FindsCodesWithinTheToleranceOnly) {
  Places places;
  Rng rng(3, "places", 0);
  Matrix X(4, 300);
  for (double& x : X.reshaped()) x = rng.uniform();
  for (Eigen::Index i = 0; i < X.cols(); ++i) places.add(X.col(i), i);
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    Vector near = X.col(i);
    near[i % 4] += 0.9 * kSamePlace;
    EXPECT_EQ(places.find(near), i);
    near[i % 4] += 0.2 * kSamePlace;
    EXPECT_FALSE(places.contains(near));
  }
}

TEST(Places, TheToleranceHoldsInEveryCoordinate) {
  Places places(1e-6);
  Rng rng(1, "tolerance");
  Matrix X(6, 500);
  for (double& x : X.reshaped()) x = rng.uniform();
  for (Eigen::Index i = 0; i < X.cols(); ++i) places.add(X.col(i));
  for (const double sign : {-1.0, 1.0}) {
    for (Eigen::Index i = 0; i < X.cols(); ++i) {
      EXPECT_TRUE(places.contains(X.col(i).array() + sign * 0.9e-6));
      EXPECT_FALSE(places.contains(X.col(i).array() + sign * 1.1e-6));
    }
  }
}

TEST(Places, TheFirstOfSeveralIsFound) {
  Places places;
  places.add(Vector{{0.5}}, 7);
  places.add(Vector{{0.5 + 1e-9}}, 3);
  EXPECT_EQ(places.find(Vector{{0.5}}), 3);
}

TEST(Places, WithoutCoordinatesThereIsOnePlace) {
  Places places;
  EXPECT_FALSE(places.contains(Vector()));
  places.add(Vector());
  EXPECT_TRUE(places.contains(Vector()));
}

TEST(History, KeepsResultsInTheOrderOfTellsAndIds) {
  const Encoding encoding(square());
  History history(encoding);
  history.told(std::vector{told(2, {1.0, 0.0}, 5.0), told(1, {0.0, 2.0}, std::nullopt)});
  history.told(std::vector{told(3, {2.0, 2.0}, -1.0)});
  ASSERT_EQ(history.size(), 3);
  EXPECT_EQ(history.id(0), 1);
  EXPECT_EQ(history.id(1), 2);
  EXPECT_EQ(history.id(2), 3);
  EXPECT_TRUE(std::isnan(history.value(0)));
  EXPECT_TRUE(history.standing(0).has_failed());
  EXPECT_EQ(history.success(0), Success::no);
  EXPECT_EQ(history.value(1), 5.0);
  EXPECT_TRUE(history.feasible(1));
  EXPECT_THAT(history.values(1), ElementsAre(5.0));
  EXPECT_THAT(Vector(history.code(1)), ElementsAre(0.5, 0.0));
  EXPECT_EQ(history.successes(), 2);
}

TEST(History, PendingPointsAreKnownUntilTheyAreTold) {
  const Encoding encoding(square());
  History history(encoding);
  history.asked(4, {1.0, 1.0});
  history.asked(2, {2.0, 1.0});
  EXPECT_EQ(history.pending().cols(), 2);
  EXPECT_EQ(history.pending()(0, 0), 1.0);  // by id: that of 2 first
  EXPECT_TRUE(history.contains(Vector{{0.5, 0.5}}));
  EXPECT_FALSE(history.contains(Vector{{0.5, 0.6}}));
  history.told(std::vector{told(4, {1.0, 0.0}, 1.0)});  // something else was really set
  EXPECT_FALSE(history.contains(Vector{{0.5, 0.5}}));
  EXPECT_TRUE(history.contains(Vector{{0.5, 0.0}}));
  EXPECT_EQ(history.open().size(), 1U);
}

TEST(History, RepeatsOfAPointAreAggregated) {
  const Encoding encoding(square());
  History history(encoding);
  history.told(std::vector{told(1, {1.0, 1.0}, 4.0), told(2, {0.0, 1.0}, 9.0),
                           told(3, {1.0 + 1e-9, 1.0}, 6.0), told(4, {1.0, 1.0}, std::nullopt),
                           told(5, {1.0, 1.0}, 8.0)});
  ASSERT_EQ(history.places().size(), 2U);
  EXPECT_EQ(history.place_of(0), 0);
  EXPECT_EQ(history.place_of(1), 1);
  EXPECT_EQ(history.place_of(2), 0);
  const Repeats& centre = history.places()[0];
  EXPECT_EQ(centre.first, 0);
  EXPECT_EQ(centre.count, 3);
  EXPECT_DOUBLE_EQ(centre.mean, 6.0);
  EXPECT_DOUBLE_EQ(centre.variance().value(), 4.0);
  EXPECT_EQ(history.places()[1].variance(), std::nullopt);
}

TEST(History, InfeasibleResultsAreOrderedOrCountAsFailures) {
  const Encoding encoding(square({{"mass", 1.0, {}}}));
  const std::vector<Trial> trials = {told(1, {0.0, 0.0}, 5.0, {{"mass", 3.0}}),
                                     told(2, {1.0, 0.0}, 1.0, {{"mass", 1.0}})};
  History ordered(encoding);
  ordered.told(trials);
  EXPECT_FALSE(ordered.feasible(0));
  EXPECT_EQ(ordered.value(0), 5.0);
  EXPECT_LT(ordered.standing(0), ordered.standing(1));
  EXPECT_EQ(ordered.successes(), 2);
  EXPECT_GT(ordered.excesses(0)[0], 0.0);
  History failing(encoding, /*infeasible_fail=*/true);
  failing.told(trials);
  EXPECT_TRUE(std::isnan(failing.value(0)));
  EXPECT_EQ(failing.successes(), 1);
}

TEST(History, IsTheSameAfterRestoring) {
  const Encoding encoding(square());
  std::vector<Trial> trials;
  for (TrialId id = 1; id <= 6; ++id) {
    const double x = 0.25 * static_cast<double>(id % 4);
    trials.push_back(told(id, {x, 1.0}, id == 2 ? std::nullopt : std::optional(x)));
    trials.back().told_in = 10 - id;  // told in the opposite order
  }
  trials[5] = {.id = 6, .point = {2.0, 2.0}};  // still out
  History live(encoding);
  live.asked(6, trials[5].point);
  for (std::size_t i = 5; i-- > 0;) live.told(std::span(trials).subspan(i, 1));
  History restored(encoding);
  restored.restore(trials);
  ASSERT_EQ(restored.size(), live.size());
  for (Eigen::Index i = 0; i < live.size(); ++i) {
    EXPECT_EQ(restored.id(i), live.id(i));
    EXPECT_EQ(restored.standing(i), live.standing(i));
    EXPECT_EQ(restored.place_of(i), live.place_of(i));
  }
  EXPECT_EQ(restored.pending(), live.pending());
}

}  // namespace
}  // namespace vbo
