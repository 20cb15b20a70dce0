// SPDX-License-Identifier: MIT
#include "vbo/trade_offs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/json.hpp"
#include "vbo/random.hpp"
#include "vbo/report.hpp"

namespace vbo {
namespace {

using ::testing::ElementsAre;

Front front_with(std::vector<Objective> objectives,
                 const std::vector<std::vector<double>>& values) {
  StudyRecord record;
  record.objectives = std::move(objectives);
  record.space = Space::make({Parameter::real("x", 0, 1)}).value();
  std::vector<Trial> trials;
  for (const std::vector<double>& one : values) {
    Trial trial{.id = std::ssize(trials) + 1, .point = {0.5}};
    trials.push_back(ended_by(std::move(trial), {.values = one}, {}, one.size()));
  }
  return make_front(record, trials);
}

const std::vector<Objective> kCheapAndGood = {{"cost", Goal::minimize}, {"gain", Goal::maximize}};

TEST(TradeOffs, ExtremesAndKneeAreInTheUsersOwnSign) {
  const TradeOffs found =
      trade_offs_of(front_with(kCheapAndGood, {{10, 100}, {0, 0}, {2, 80}, {5, 5}, {5, 90}}));
  EXPECT_THAT(found.extremes, ElementsAre(2, 1));  // the cheapest; the one with the highest gain
  EXPECT_EQ(found.knee, 3);                        // 0.2 + 0.2 of the ranges
  ASSERT_EQ(found.pairs.size(), 1U);
  const std::vector<TradeOff::Stop>& stops = found.pairs[0].stops;
  ASSERT_EQ(stops.size(), 4U);
  EXPECT_EQ(stops[0].id, 2);
  EXPECT_EQ(stops[1].id, 3);
  EXPECT_DOUBLE_EQ(*stops[0].buys, 40.0);  // 80 of gain for 2 of cost
  EXPECT_DOUBLE_EQ(*stops[1].buys, 10.0 / 3.0);
  EXPECT_DOUBLE_EQ(*stops[2].buys, 2.0);
  EXPECT_EQ(stops[3].buys, std::nullopt);
  EXPECT_EQ(stops[3].second, 100.0);
}

TEST(TradeOffs, AFrontThatBendsAwayHasNoKnee) {
  const std::vector<Objective> both = {{"a"}, {"b"}};
  EXPECT_EQ(trade_offs_of(front_with(both, {{0, 10}, {7, 7}, {10, 0}})).knee, std::nullopt);
  EXPECT_EQ(trade_offs_of(front_with(both, {{0, 10}, {5, 5}, {10, 0}})).knee, std::nullopt);
  EXPECT_EQ(trade_offs_of(front_with(both, {{0, 10}, {3, 3}, {10, 0}})).knee, 2);
}

// Scaling an objective scales what is paid, and changes neither knee nor extremes nor stops.
TEST(TradeOffs, DoNotDependOnUnits) {
  std::vector<std::vector<double>> values, scaled;
  for (int i = 0; i <= 40; ++i) {
    const double x = 0.025 * i;
    values.push_back({x, 1.0 - std::sqrt(x)});
    scaled.push_back({1e6 * x - 3.0, 1e-6 * (1.0 - std::sqrt(x))});
  }
  const std::vector<Objective> both = {{"a"}, {"b"}};
  const TradeOffs one = trade_offs_of(front_with(both, values));
  const TradeOffs other = trade_offs_of(front_with(both, scaled));
  EXPECT_EQ(one.knee, 11);  // d/dx (x + 1 - sqrt x) = 0 at x = 1/4
  EXPECT_EQ(one.knee, other.knee);
  EXPECT_EQ(one.extremes, other.extremes);
  ASSERT_EQ(one.pairs[0].stops.size(), kMostStops);
  for (std::size_t k = 0; k < kMostStops; ++k) {
    EXPECT_EQ(one.pairs[0].stops[k].id, other.pairs[0].stops[k].id);
    if (k + 1 == kMostStops) continue;
    EXPECT_NEAR(*one.pairs[0].stops[k].buys, 1e12 * *other.pairs[0].stops[k].buys, 1e-3);
    EXPECT_GT(*one.pairs[0].stops[k].buys, 0.0);
  }
  EXPECT_EQ(one.pairs[0].stops.front().id, 1);
  EXPECT_EQ(one.pairs[0].stops.back().id, 41);
}

TEST(TradeOffs, OfThreeObjectivesThereIsOnePairEachOnItsOwnFront) {
  const std::vector<Objective> three = {{"a"}, {"b"}, {"c"}};
  // The last is on the front of all three, and not on that of a and b.
  const TradeOffs found =
      trade_offs_of(front_with(three, {{0, 4, 9}, {1, 1, 5}, {4, 0, 9}, {2, 2, 0}}));
  ASSERT_EQ(found.pairs.size(), 3U);
  EXPECT_THAT(found.extremes, ElementsAre(1, 3, 4));
  EXPECT_EQ(found.pairs[0].stops.size(), 3U);
  EXPECT_EQ(found.pairs[1].first, 0U);
  EXPECT_EQ(found.pairs[1].second, 2U);
  EXPECT_EQ(found.pairs[1].stops.size(), 3U);
  StudyRecord record;
  record.space = Space::make({Parameter::real("x", 0, 1)}).value();
  const Json json =
      front_json(record.space, front_with(three, {{0, 4, 9}, {1, 1, 5}, {4, 0, 9}, {2, 2, 0}}));
  EXPECT_EQ(json["extremes"]["c"], 4);
  EXPECT_EQ(json["trade_offs"][2]["first"], "b");
  EXPECT_FALSE(json["trade_offs"][2]["stops"].back().contains("buys"));
}

TEST(TradeOffs, OfFewMembers) {
  EXPECT_TRUE(trade_offs_of(front_with(kCheapAndGood, {})).pairs.empty());
  const TradeOffs one = trade_offs_of(front_with(kCheapAndGood, {{1, 2}, {1, 2}}));
  EXPECT_THAT(one.extremes, ElementsAre(1, 1));
  EXPECT_EQ(one.knee, std::nullopt);
  EXPECT_EQ(one.pairs[0].stops.size(), 1U);
}

TEST(TradeOffs, ImportanceIsComputedForEachObjective) {
  StudyRecord record;
  record.objectives = kCheapAndGood;
  record.space = Space::make({Parameter::real("x", 0, 1), Parameter::real("y", 0, 1)}).value();
  std::vector<Trial> trials;
  Rng rng(1, "importances");
  for (TrialId id = 1; id <= 200; ++id) {
    const double x = rng.uniform(), y = rng.uniform();
    trials.push_back(ended_by({.id = id, .point = {x, y}}, {.values = {x, y}}, {}, 2));
  }
  const std::vector<Importance> found = importances(record, trials);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_GT(found[0].parameters[0].nats, 10.0 * found[0].parameters[1].nats);
  EXPECT_GT(found[1].parameters[1].nats, 10.0 * found[1].parameters[0].nats);
  const Json json = importances_json(record.objectives, found);
  ASSERT_EQ(json.size(), 4U);
  EXPECT_EQ(json[3]["objective"], "gain");
  EXPECT_EQ(json[3]["parameter"], "y");
}

}  // namespace
}  // namespace vbo
