// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "study/finite_space.hpp"
#include "study/stop_rule.hpp"

namespace vbo {
namespace {

std::vector<RoundReport> reports(const std::vector<double>& information,
                                 const std::vector<double>& exploitation) {
  std::vector<RoundReport> all;
  for (std::size_t i = 0; i < information.size(); ++i) {
    AskReport report;
    report.information =
        RoundInformation{.predicted = information[i], .observed = {}, .ceiling = {}};
    if (i < exploitation.size()) report.exploitation = exploitation[i];
    all.push_back({static_cast<EventId>(i + 1), report});
  }
  return all;
}

TEST(StopRule, NeedsLittleInformationAndFlatExploitationOverSoManyRounds) {
  StopRule rule;
  rule.information = 0.1;
  rule.rounds = 3;
  const auto stops = [&](const auto& information, const auto& exploitation) {
    return nothing_left_to_learn(reports(information, exploitation), rule);
  };
  using List = std::vector<double>;
  EXPECT_TRUE(stops(List{0.05, 0.05, 0.05}, List{1.0, 1.0, 1.0}));
  EXPECT_TRUE(stops(List{9, 0.05, 0.05, 0.05}, List{0, 1.0, 1.0, 1.0}));  // earlier ones are past
  EXPECT_FALSE(stops(List{0.05, 0.05}, List{1.0, 1.0}));                  // too few rounds
  EXPECT_FALSE(stops(List{0.05, 0.1, 0.05}, List{1.0, 1.0, 1.0}));        // not below
  EXPECT_FALSE(stops(List{0.05, std::nan(""), 0.05}, List{1.0, 1.0, 1.0}));
  EXPECT_TRUE(stops(List{0.05, 0.05, 0.05}, List{1.0, 0.97, 0.951}));  // within 5%
  EXPECT_FALSE(stops(List{0.05, 0.05, 0.05}, List{1.0, 0.97, 0.94}));  // still moving
  EXPECT_TRUE(stops(List{0.05, 0.05, 0.05}, List{-20, -19.5, -19.1}));
  EXPECT_FALSE(stops(List{0.05, 0.05, 0.05}, List{-0.1, 0.0, 0.1}));
  EXPECT_TRUE(stops(List{0.05, 0.05, 0.05}, List{}));  // a method without exploitation
  EXPECT_TRUE(stops(List{0.05, 0.05, 0.05}, List{0, 0, 0}));
  rule.information = 0.0;
  EXPECT_FALSE(stops(List{-1, -1, -1}, List{1, 1, 1}));  // switched off
}

TEST(StopRule, AMethodThatSaysNothingAboutInformationIsNeverStopped) {
  StopRule rule;
  rule.information = 1.0;
  rule.rounds = 1;
  EXPECT_FALSE(nothing_left_to_learn(std::vector<RoundReport>(3), rule));
  // Nor one in a round that says what the last one told, and promises nothing.
  std::vector<RoundReport> all = reports({0.05, 0.05}, {});
  EXPECT_TRUE(nothing_left_to_learn(all, rule));
  all.back().report.information = RoundInformation{.predicted = {}, .observed = 0.0, .ceiling = {}};
  EXPECT_FALSE(nothing_left_to_learn(all, rule));
}

TEST(FiniteSpace, NumbersEveryPointOnce) {
  const Space space =
      Space::make({Parameter::integer("n", -1, 2), Parameter::real("fixed", 0.5, 0.5),
                   Parameter::categorical("c", {"a", "b", "c"})})
          .value();
  const FiniteSpace finite = *FiniteSpace::of(space);
  ASSERT_EQ(finite.size(), 12U);
  for (std::uint64_t i = 0; i < 12; ++i) {
    const Point point = finite.point_of(i);
    EXPECT_TRUE(space.check(point));
    EXPECT_EQ(finite.number_of(point), i);
  }
  EXPECT_FALSE(FiniteSpace::of(Space::make({Parameter::real("x", 0, 1)}).value()));
}

TEST(FiniteSpace, FindsWhatIsLeft) {
  FiniteSpace finite = *FiniteSpace::of(Space::make({Parameter::integer("n", 0, 4)}).value());
  for (const std::int64_t n : {4, 0, 1}) finite.insert({n});
  EXPECT_EQ(finite.unseen(), 2U);
  EXPECT_EQ(finite.next_unseen(4), Point{std::int64_t{2}});
  EXPECT_EQ(finite.next_unseen(3), Point{std::int64_t{3}});
  finite.insert({std::int64_t{4}});
  EXPECT_EQ(finite.unseen(), 2U);
}

}  // namespace
}  // namespace vbo
