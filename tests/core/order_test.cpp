// SPDX-License-Identifier: MIT
#include "core/order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace vbo {
namespace {

using ::testing::ElementsAre;

Trial completed(TrialId id, std::vector<double> values, Metrics metrics = {}) {
  const std::size_t objectives = values.size();
  return ended_by({.id = id}, {.values = std::move(values), .metrics = std::move(metrics)}, {},
                  objectives);
}

Trial failed(TrialId id) {
  return ended_by({.id = id}, Outcome::failed(FailureCause::crash, "no"));
}

const std::vector<Limit> kStress = {{"stress", 250.0, {}}};

TEST(Order, FeasibleBeatsInfeasibleAndLessBeatsMoreViolation) {
  const Order order({{.goal = Goal::minimize}}, kStress);
  // From best to worst.
  const std::vector<Trial> sorted = {completed(1, {1.0}, {{"stress", 250.0}}),
                                     completed(2, {1e80}, {{"stress", 0.0}}),
                                     completed(3, {1e300}, {{"stress", 0.0}}),
                                     completed(4, {-5.0}, {{"stress", 250.001}}),
                                     completed(5, {-1e80}, {{"stress", 251.0}}),
                                     completed(6, {-1e300}, {{"stress", 1e12}}),
                                     completed(7, {-1.0}, {}),  // nobody knows by how much
                                     failed(8)};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_EQ(order.feasible(sorted[i]), i < 3);
    EXPECT_EQ(order.standing(sorted[i]).has_failed(), i == 7);
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      EXPECT_EQ(order.better(sorted[i], sorted[j]), i < j) << i << " " << j;
      EXPECT_EQ(order.standing(sorted[i]) > order.standing(sorted[j]), i < j) << i << " " << j;
    }
  }
  EXPECT_EQ(order.best(sorted), 0U);
  EXPECT_TRUE(order.compare(failed(1), failed(2)) == 0);
}

TEST(Order, OneObjectiveIsComparedByItsValueInTheSenseOfItsGoal) {
  const Order least({{.goal = Goal::minimize}}, {});
  const Order most({{.goal = Goal::maximize}}, {});
  for (const double value : {0.0, 1.5, -1e300, 1e300}) {
    EXPECT_EQ(most.standing(completed(1, {value})).amount, value);
    EXPECT_EQ(least.standing(completed(1, {value})).amount, -value);
  }
  EXPECT_TRUE(least.better(completed(1, {1.0}), completed(2, {2.0})));
  EXPECT_TRUE(most.better(completed(1, {2.0}), completed(2, {1.0})));
  EXPECT_TRUE(least.better(1.0, 2.0));
  EXPECT_TRUE(most.better(2.0, 1.0));
  EXPECT_FALSE(most.better(2.0, 2.0));
}

TEST(Order, TheFirstOfEqualsIsTheBest) {
  const Order order({{.goal = Goal::minimize}}, {});
  EXPECT_EQ(order.best({}), std::nullopt);
  EXPECT_EQ(order.best(std::vector{failed(1), failed(2)}), std::nullopt);
  EXPECT_EQ(order.best(std::vector{failed(1), completed(2, {3.0}), completed(3, {1.0}),
                                   completed(4, {1.0})}),
            2U);
  const Order limited({{.goal = Goal::minimize}}, kStress);
  EXPECT_EQ(limited.best(std::vector{completed(1, {0.0}, {{"stress", 900.0}}),
                                     completed(2, {9.0}, {{"stress", 800.0}})}),
            1U);
}

TEST(Order, SeveralObjectivesAreComparedByDomination) {
  const Order order({{.name = "error"}, {.name = "speed", .goal = Goal::maximize}}, {});
  const Trial a = completed(1, {0.1, 5.0});
  EXPECT_TRUE(order.better(a, completed(2, {0.2, 4.0})));
  EXPECT_TRUE(order.better(a, completed(2, {0.1, 4.0})));
  EXPECT_TRUE(order.compare(a, completed(2, {0.1, 5.0})) == 0);
  const Trial trade = completed(2, {0.05, 4.0});
  EXPECT_TRUE(order.compare(a, trade) == std::partial_ordering::unordered);
  EXPECT_FALSE(order.better(a, trade) || order.better(trade, a));
  EXPECT_TRUE(order.better(trade, failed(3)));
}

TEST(Order, InfeasibleResultsOfSeveralObjectivesAreComparedByViolation) {
  const Order order({{.name = "a"}, {.name = "b"}}, kStress);
  const Trial feasible = completed(1, {9.0, 9.0}, {{"stress", 1.0}});
  const Trial near = completed(2, {5.0, 5.0}, {{"stress", 251.0}});
  const Trial far = completed(3, {1.0, 1.0}, {{"stress", 999.0}});
  EXPECT_TRUE(order.better(feasible, near));
  EXPECT_TRUE(order.better(near, far));
}

TEST(Order, TheFrontHasWhatNothingFeasibleDominates) {
  const Order order({{.name = "a"}, {.name = "b"}}, kStress);
  const Metrics fine = {{"stress", 1.0}};
  const std::vector<Trial> trials = {completed(1, {3.0, 3.0}, fine),
                                     completed(2, {1.0, 4.0}, fine),
                                     failed(3),
                                     completed(4, {2.0, 2.0}, fine),  // takes the place of 1
                                     completed(5, {0.0, 0.0}, {{"stress", 300.0}}),
                                     completed(6, {2.0, 2.0}, fine),  // equal: both stay
                                     completed(7, {4.0, 1.0}, fine),
                                     completed(8, {5.0, 1.0}, fine)};
  EXPECT_THAT(order.front(trials), ElementsAre(1U, 3U, 5U, 6U));
}

TEST(Order, AResultHasOneFiniteValuePerObjective) {
  const auto ended = [](std::vector<double> values) {
    return ended_by({.id = 1}, {.values = std::move(values)}, {}, 2);
  };
  EXPECT_EQ(ended({1.0, 2.0}).state, TrialState::completed);
  const Trial one = ended({1.0});
  EXPECT_EQ(one.state, TrialState::failed);
  EXPECT_EQ(one.failure->message, "found 1 values, expected 2, one per objective");
  EXPECT_EQ(ended({1.0, std::nan("")}).failure->cause, FailureCause::non_finite);
  EXPECT_EQ(ended({}).failure->cause, FailureCause::no_value);
}

TEST(Order, AStoppedTrialHasValuesAndSteps) {
  const Trial trial = ended_by({.id = 1}, {.values = {0.5},
                                           .standard_error = {0.1},
                                           .steps = {{1, {0.9}}, {2, {0.5}}},
                                           .stopped = true});
  EXPECT_EQ(trial.state, TrialState::stopped);
  EXPECT_TRUE(trial.has_ended());
  EXPECT_EQ(trial.value(), 0.5);
  EXPECT_THAT(trial.standard_error, ElementsAre(0.1));
  EXPECT_EQ(trial.steps.size(), 2U);
}

}  // namespace
}  // namespace vbo
