// SPDX-License-Identifier: MIT
#include "optim/auto/auto.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vbo/optimizer.hpp"

namespace vbo {
namespace {

std::string chosen(std::int64_t dimension, std::int64_t batch, std::int64_t budget) {
  return choose_method({.dimension = dimension, .batch = batch, .budget = budget}).method;
}

TEST(Auto, TakesTheWholeFrontOfSeveralObjectives) {
  EXPECT_EQ(choose_method({.dimension = 6, .batch = 64, .budget = 5000, .objectives = 2}).method,
            "pareto");
  EXPECT_EQ(choose_method({.dimension = 6, .batch = 8, .budget = 200, .objectives = 2}).method,
            "gp-logehvi");
  OptimizerOptions options{.method = "vbo"};
  options.objectives = {{.name = "a"}, {.name = "b"}};
  options.settings["candidates"] = std::int64_t{300};  // vbo is pareto then, and has its options
  const Space space = Space::make({Parameter::real("x", 0.0, 1.0)}).value();
  EXPECT_TRUE(make_optimizer(space, options));
  options.objectives.resize(9);
  const auto many = make_optimizer(space, options);
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().message, ::testing::HasSubstr("found 9 objectives, expected at most 8"));
}

TEST(Auto, ChoosesByBudgetBatchAndDimension) {
  EXPECT_EQ(chosen(6, 1, 100), "gp-logei");
  EXPECT_EQ(chosen(150, 64, 1024), "gp-logei");
  EXPECT_EQ(chosen(6, 1, 1025), "vbo");
  EXPECT_EQ(chosen(6, 65, 100), "vbo");
  EXPECT_EQ(chosen(151, 1, 100), "vbo");
  EXPECT_EQ(chosen(6, 1, 0), "vbo");
}

TEST(Auto, SomeHundredResultsInManyRoundsAreVbos) {
  EXPECT_EQ(chosen(60, 8, 299), "gp-logei");
  EXPECT_EQ(chosen(60, 8, 300), "vbo");
  EXPECT_EQ(chosen(60, 10, 300), "vbo");
  EXPECT_EQ(chosen(60, 11, 300), "gp-logei");
  EXPECT_EQ(chosen(60, 0, 300), "vbo");  // one at a time
}

TEST(Auto, LimitsOnMetricsAreForVbo) {
  const Problem limited{.dimension = 20, .batch = 1, .budget = 40, .limited = true};
  EXPECT_EQ(choose_method(limited).method, "vbo");
  EXPECT_EQ(choose_method(limited).reason, "metrics have limits");
}

TEST(Auto, InSmallSpacesSomeRoundsAreEnough) {
  EXPECT_EQ(chosen(12, 64, 1024), "vbo");
  EXPECT_EQ(chosen(13, 64, 1024), "gp-logei");
  EXPECT_EQ(chosen(12, 64, 704), "gp-logei");
  Problem problem{.dimension = 6, .batch = 64, .budget = 1024};
  problem.categorical = true;
  EXPECT_EQ(choose_method(problem).method, "vbo");
  problem.dimension = 7;
  EXPECT_EQ(choose_method(problem).method, "gp-logei");
}

// What the rule looks at is taken from the space.
TEST(Auto, LooksAtTheKindsOfParametersAndAtLimits) {
  const auto says = [](const Space& space) {
    return make_optimizer(space, {.method = "auto", .batch = 32, .budget = 400})
        .value()
        ->report()
        .message;
  };
  const Parameter x = Parameter::real("x", 0, 1);
  EXPECT_THAT(says(Space::make({x}).value()), ::testing::HasSubstr("auto chose vbo: 400 results"));
  const Parameter six = Parameter::categorical("c", {"a", "b", "c", "d", "e", "f"});
  EXPECT_THAT(says(Space::make({x, six}).value()), ::testing::HasSubstr("auto chose gp-logei: "));
  EXPECT_THAT(
      says(Space::make({x, six}, {}, {{.metric = "m", .at_most = 1.0, .at_least = {}}}).value()),
      ::testing::HasSubstr("auto chose vbo: metrics have limits"));
}

TEST(Auto, LeavesConstrainedSpacesToVbo) {
  const auto says = [](std::vector<std::string> constraints) {
    const auto space = Space::make({Parameter::real("x", 0, 1), Parameter::real("y", 0, 1)},
                                   std::move(constraints));
    return make_optimizer(space.value(), {.method = "auto", .budget = 50})
        .value()
        ->report()
        .message;
  };
  EXPECT_THAT(says({}), ::testing::HasSubstr("auto chose gp-logei: "));
  EXPECT_THAT(says({"x + y <= 1"}), ::testing::HasSubstr("auto chose vbo: the space has"));
}

TEST(Auto, IsTheMethodItChoseAndSaysWhich) {
  const Space space = Space::make({Parameter::real("x", 0, 1)}).value();
  for (const auto& [budget, name] : {std::pair{50, "gp-logei"}, {5000, "vbo"}}) {
    auto automatic = make_optimizer(space, {.method = "auto", .seed = 4, .budget = budget}).value();
    auto named = make_optimizer(space, {.method = name, .seed = 4, .budget = budget}).value();
    const std::vector<TrialId> ids{1, 2, 3};
    const auto a = automatic->ask(ids), b = named->ask(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(a[i].point, b[i].point);
    EXPECT_THAT(automatic->report().message,
                ::testing::HasSubstr("auto chose " + std::string(name) + ": "));
  }
}

// Also for stored studies: their options are those of the method chosen when they began.
TEST(Auto, OptionsOfOneCandidateChooseIt) {
  const Space space = Space::make({Parameter::real("x", 0, 1)}).value();
  OptimizerOptions options{.method = "auto", .budget = 50};
  options.settings["critics"] = std::int64_t{2};  // vbo has them, gp-logei has not
  const auto made = make_optimizer(space, options);
  ASSERT_TRUE(made);
  EXPECT_THAT((*made)->report().message, ::testing::HasSubstr("auto chose vbo: the options"));
  options.settings = {{"kritics", std::int64_t{2}}};  // nobody has them
  const auto wrong = make_optimizer(space, options);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, ::testing::HasSubstr("kritics"));
}

// A study begun when the rule chose otherwise goes on with the method it began with.
TEST(Auto, TheStoredChoiceWins) {
  const Space space = Space::make({Parameter::real("x", 0, 1), Parameter::real("y", 0, 1)}).value();
  const OptimizerOptions common{.method = "auto", .seed = 4, .batch = 4, .budget = 50};
  ASSERT_EQ(choose_method({.dimension = 2, .batch = 4, .budget = 50}).method, "gp-logei");
  for (const std::string stored : {"vbo", "turbo", "gp-logei"}) {
    OptimizerOptions named = common;
    named.method = stored;
    auto begun = make_optimizer(space, named).value();
    std::vector<Trial> history;
    for (TrialId id = 1; id <= 20; ++id) {
      const TrialId ids[] = {id};
      Trial trial;
      trial.id = id;
      trial.asked_in = 2 * id - 1;
      trial.told_in = 2 * id;
      const Suggestion made = begun->ask(ids).at(0);
      trial.point = made.point;
      trial.rationale = made.rationale;
      trial.state = TrialState::completed;
      const double x = std::get<double>(trial.point[0]), y = std::get<double>(trial.point[1]);
      trial.values = {-(x - 0.3) * (x - 0.3) - (y - 0.6) * (y - 0.6)};
      history.push_back(trial);
      begun->tell({&history.back(), 1});
    }
    auto resumed = make_optimizer(space, common).value();
    ASSERT_TRUE(resumed->restore(stored + "\n" + begun->snapshot(), history)) << stored;
    const std::vector<TrialId> ids{21, 22, 23, 24};
    const auto a = begun->ask(ids), b = resumed->ask(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(a[i].point, b[i].point) << stored;
    EXPECT_THAT(resumed->report().message, ::testing::HasSubstr("auto chose " + stored));
    EXPECT_TRUE(resumed->snapshot().starts_with(stored + "\n"));
  }
  auto fresh = make_optimizer(space, common).value();
  EXPECT_FALSE(fresh->restore("unheard-of\nstate", {}));
  EXPECT_FALSE(fresh->restore("", {}));
}

}  // namespace
}  // namespace vbo
