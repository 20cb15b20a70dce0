// SPDX-License-Identifier: MIT
#include "optim/auto/auto.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vbo/optimizer.hpp"

namespace vbo {
namespace {

TEST(Auto, ChoosesByBudgetBatchAndDimension) {
  EXPECT_EQ(choose_method(6, 1, 100).method, "gp-logei");
  EXPECT_EQ(choose_method(6, 16, 300).method, "gp-logei");
  EXPECT_EQ(choose_method(6, 1, 301).method, "vbo");
  EXPECT_EQ(choose_method(6, 17, 100).method, "vbo");
  EXPECT_EQ(choose_method(51, 1, 100).method, "vbo");
  EXPECT_EQ(choose_method(6, 1, 0).method, "vbo");
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

TEST(Auto, OptionsAreThoseOfTheChosenMethod) {
  const Space space = Space::make({Parameter::real("x", 0, 1)}).value();
  OptimizerOptions options{.method = "auto", .budget = 5000};
  options.settings["critics"] = std::int64_t{2};
  EXPECT_TRUE(make_optimizer(space, options));
  options.budget = 50;  // gp-logei has no critics
  const auto wrong = make_optimizer(space, options);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, ::testing::HasSubstr("critics"));
}

}  // namespace
}  // namespace vbo
