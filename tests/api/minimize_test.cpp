// SPDX-License-Identifier: MIT
#include "vbo/minimize.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

vbo::Space space() {
  return vbo::Space::make({vbo::Parameter::real("x", -5, 10), vbo::Parameter::integer("n", 1, 8),
                           vbo::Parameter::categorical("shape", {"flat", "steep"}),
                           vbo::Parameter::categorical("shifted", {false, true})})
      .value();
}

double bowl(const vbo::NamedPoint& p) {
  const double x = p["x"] - 2.0;
  const double scale = p["shape"].text() == "flat" ? 1.0 : 10.0;
  return scale * x * x + std::abs(static_cast<double>(p["n"].integer()) - 3.0) +
         (p["shifted"].flag() ? 1.0 : 0.0);
}

TEST(Api, MinimizesAFunctionOfNamedValues) {
  const auto found = vbo::minimize(bowl, space(), {.evaluations = 150, .optimizer = {.seed = 1}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_LT(found->value, 0.5);
  EXPECT_EQ((*found)["n"].integer(), 3);
  EXPECT_EQ((*found)["shape"].text(), "flat");
  EXPECT_NEAR((*found)["x"].number(), 2.0, 0.7);
  EXPECT_EQ(found->evaluations, 150);
  EXPECT_EQ(found->end, vbo::RunEnd::budget_spent);
}

TEST(Api, MaximizesWithSeveralWorkersUntilItIsGoodEnough) {
  const auto line = vbo::Space::make({vbo::Parameter::real("x", 0, 1)}).value();
  vbo::SolveOptions options{.evaluations = 1000, .workers = 2, .optimizer = {.method = "sobol"}};
  options.stop.value = 0.9;
  const auto found =
      vbo::maximize([](const vbo::NamedPoint& p) { return p["x"].number(); }, line, options);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_GE(found->value, 0.9);
  EXPECT_LT(found->evaluations, 1000);
  EXPECT_EQ(found->end, vbo::RunEnd::good_enough);
}

TEST(Api, WrongNamesAndTypesAreNamed) {
  const vbo::Space all = space();
  const vbo::Point point{1.0, std::int64_t{2}, "flat", true};
  const vbo::NamedPoint named(all, point);
  const auto message = [](const auto& get) -> std::string {
    try {
      get();
      return "";
    } catch (const vbo::BadResult& bad) {
      return bad.what();
    }
  };
  EXPECT_EQ(message([&] { (void)named["shap"]; }),
            "unknown parameter \"shap\", did you mean \"shape\"?");
  EXPECT_EQ(message([&] { (void)named["x"].text(); }),
            "parameter \"x\": found a real number, expected a text");
  EXPECT_EQ(message([&] { (void)named["shape"].number(); }),
            "parameter \"shape\": found a text, expected a number");
  EXPECT_EQ(message([&] { (void)named["x"].integer(); }),
            "parameter \"x\": found a real number, expected a whole number");
  EXPECT_EQ(message([&] { (void)named["n"].flag(); }),
            "parameter \"n\": found a whole number, expected true or false");
  EXPECT_EQ(named["n"].number(), 2.0);
}

TEST(Api, AFunctionThatAlwaysFailsIsAnErrorWithItsMessage) {
  const auto found = vbo::minimize([](const vbo::NamedPoint& p) { return p["y"].number(); },
                                   space(), {.optimizer = {.method = "random"}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message,
            "none of 5 evaluations succeeded, the last one with: unknown parameter \"y\", did you "
            "mean \"x\"?");
  EXPECT_EQ(vbo::minimize(bowl, space(), {.workers = 0}).error().field, "workers");
}

}  // namespace
