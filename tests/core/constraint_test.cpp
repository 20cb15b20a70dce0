// SPDX-License-Identifier: MIT
// Constraints: what they mean, what is said about wrong ones, and the region they leave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/expression.hpp"
#include "core/region.hpp"

namespace vbo {
namespace {

using ::testing::HasSubstr;

std::vector<Parameter> parameters() {
  return {Parameter::real("x", -10, 10),
          Parameter::real("y", -10, 10),
          Parameter::integer("n", 0, 100),
          Parameter::categorical("solver", {"adam", "sgd", 3, true}),
          Parameter::ordinal("width", {16, 32, 64}),
          Parameter::categorical("fast", {true, false}),
          Parameter::real("learning rate", 0, 1)};
}

// Whether it holds at x = 2, y = 3, n = 4, solver = "sgd", width = 32, fast = true, rate = 0.5.
bool holds(std::string_view text) {
  const Result<Expression> expression = Expression::parse(text, parameters());
  if (!expression) {
    ADD_FAILURE() << text << ": " << expression.error().message;
    return false;
  }
  const std::vector<double> numbers = {2, 3, 4, 1, 1, 0, 0.5};
  return expression->violation(numbers) == 0.0;
}

std::string error_of(std::string_view text) {
  const Result<Expression> expression = Expression::parse(text, parameters());
  return expression ? "no error" : expression.error().message;
}

TEST(Expression, MeansWhatItSays) {
  for (const char* text : {"x + y <= 5",
                           "x * y > 5.5",
                           "x - y - 1 < 0",
                           "2 ^ 3 ^ 2 == 512",
                           "-x ^ 2 < 0",
                           "x / y * 3 <= 2.1",
                           "y - x >= 1",
                           "min(x, y, 1) <= 1",
                           "max(x, y) < 3.5",
                           "abs(-x) <= 2",
                           "sqrt(n) <= 2",
                           "log(exp(x)) < 2.001",
                           "n != 5",
                           "n = 4",
                           "1 <= x < y <= 3",
                           "not x > y",
                           "not (x > 1 and y > 4)",
                           "x > 5 or y > 2",
                           "x > 5 or y > 5 or n == 4",
                           "solver == \"sgd\"",
                           "'adam' != solver",
                           "solver != 3",
                           "not solver == true",
                           "width * n <= 128",
                           "width == 32",
                           "fast",
                           "fast == true",
                           "not not fast",
                           "x > 5 or fast and n == 4",
                           "`learning rate` <= 0.5",
                           "true",
                           "(x) + ((y)) <= 5",
                           "1e-3 < .5",
                           "n - -4 == 8"}) {
    EXPECT_TRUE(holds(text)) << text;
    EXPECT_FALSE(holds("not (" + std::string(text) + ")")) << text;
  }
  // What is not a number satisfies nothing.
  EXPECT_FALSE(holds("log(-x) < 1"));
  EXPECT_FALSE(holds("not log(-x) < 1"));
  EXPECT_FALSE(holds("0 / (x - 2) <= 1"));
}

TEST(Expression, ErrorsSayWhere) {
  EXPECT_EQ(error_of("widht * 3 <= 4"),
            "column 1: unknown parameter \"widht\", did you mean \"width\"?");
  EXPECT_EQ(error_of("n <= 3 * widht"),
            "column 10: unknown parameter \"widht\", did you mean \"width\"?");
  EXPECT_THAT(error_of("x + "), HasSubstr("column 5: found the end, expected a number"));
  EXPECT_THAT(error_of("x + y"), HasSubstr("found a number, expected a comparison"));
  EXPECT_THAT(error_of("(x <= 1"), HasSubstr("column 8: found the end, expected )"));
  EXPECT_THAT(error_of("x <= 1)"), HasSubstr("column 7: found \")\" after the end"));
  EXPECT_THAT(error_of("solver == \"adm\""),
              HasSubstr("column 11: \"solver\" has no such choice, did you mean \"adam\"?"));
  EXPECT_THAT(error_of("solver + 1 <= 2"), HasSubstr("whose choices are not all numbers"));
  EXPECT_THAT(error_of("solver <= \"adam\""), HasSubstr("expected == or !="));
  EXPECT_THAT(error_of("(x < 1) + 2 < 3"), HasSubstr("found a condition, expected a number"));
  EXPECT_THAT(error_of("sin(x) < 1"),
              HasSubstr("unknown function \"sin\", expected one of min max"));
  EXPECT_THAT(error_of("min(x) < 1"), HasSubstr("expected a comma"));
  EXPECT_THAT(error_of("x * x = 1"), HasSubstr("has to be linear"));
  EXPECT_THAT(error_of("x = 1 or y < 2"), HasSubstr("has to stand alone"));
  EXPECT_THAT(error_of("x < 1 & y < 2"), HasSubstr("column 7: found \"&\""));
  EXPECT_THAT(error_of("x < 'a"), HasSubstr("without its end"));
  EXPECT_THAT(error_of(""), HasSubstr("column 1: found the end"));
  EXPECT_THAT(error_of(std::string(5000, ' ')), HasSubstr("at most 4096"));
  for (const char* deep : {"(", "-", "not ", "min(1,", "1+(", "x^"}) {
    std::string text;
    while (text.size() + std::string(deep).size() < 4096) text += deep;
    EXPECT_THAT(error_of(text), HasSubstr("nested deeper"));
  }
  std::string sum = "x";
  for (int i = 0; i < 2000; ++i) sum += "+x";
  EXPECT_EQ(error_of(sum + "<1"), "no error");
}

// A mixture of many components is a flat sum, however many there are.
TEST(Expression, ChainsAreNotNested) {
  std::string sum = "x", product = "1", all = "x < 3", any = "x > 3";
  for (int i = 1; i < 2000; ++i) sum += "+x";
  for (int i = 1; i < 1000; ++i) product += i % 2 == 0 ? "/x" : "*x";
  for (int i = 1; i < 300; ++i) all += " and y < 4", any += " or y > 4";
  EXPECT_TRUE(holds(sum + " = 4000"));
  EXPECT_TRUE(holds(sum + " < 4001"));
  EXPECT_TRUE(holds(product + " <= 2"));
  EXPECT_TRUE(holds(all));
  EXPECT_FALSE(holds(any));
}

// Any bytes give an answer and no crash; a valid one can be evaluated.
TEST(Expression, RoomIsTheDistanceToTheBound) {
  const std::vector<double> numbers = {2, 3, 4, 1, 1, 0, 0.5};
  const auto room = [&](std::string_view text) {
    return Expression::parse(text, parameters()).value().room(numbers);
  };
  EXPECT_EQ(room("x + y <= 8"), 3.0);
  EXPECT_EQ(room("x + y >= 8"), -3.0);  // violated by as much
  EXPECT_EQ(room("x < y"), 1.0);
  EXPECT_EQ(room("0 <= x < y"), 1.0);                    // the nearer of the two
  EXPECT_EQ(room("x <= 2.5 or y <= 10"), 7.0);           // the wider of the two
  EXPECT_EQ(room("x <= 2.5 and solver == 'sgd'"), 0.5);  // choices have no distance
  EXPECT_EQ(room("solver == 'sgd'"), std::nullopt);
  EXPECT_EQ(room("x + y = 5"), std::nullopt);
  EXPECT_EQ(room("sqrt(x - y) <= 1"), std::nullopt);  // not a number
}

TEST(Expression, AnyTextIsAnswered) {
  Rng rng(1, "expression-fuzz");
  const std::vector<std::string> pieces = {
      "x",        "y",   "n",     "solver", "width", "fast", "`learning rate`",
      "\"adam\"", "3",   "1e308", "+",      "-",     "*",    "/",
      "^",        "(",   ")",     ",",      "<=",    "<",    "==",
      "=",        "!=",  ">",     "and",    "or",    "not",  "min",
      "sqrt",     "log", "true",  " ",      "\xff",  "'",    "."};
  int valid = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::uint64_t k = rng.below(12); k > 0; --k)
      text += pieces[rng.below(pieces.size())] + " ";
    const Result<Expression> expression = Expression::parse(text, parameters());
    if (!expression) continue;
    ++valid;
    const double violation = expression->violation(std::vector<double>{2, 3, 4, 1, 1, 0, 0.5});
    EXPECT_GE(violation, 0.0) << text;
    const std::optional<double> room = expression->room(std::vector<double>{2, 3, 4, 1, 1, 0, 0.5});
    EXPECT_TRUE(!room || std::isfinite(*room)) << text;
  }
  EXPECT_GT(valid, 50);
}

Space space_of(std::vector<Parameter> list, std::vector<std::string> constraints) {
  Result<Space> space = Space::make(std::move(list), std::move(constraints));
  EXPECT_TRUE(space) << space.error().message;
  return space ? *space : Space();
}

std::vector<Parameter> reals(int n, double low = 0.0, double high = 1.0) {
  std::vector<Parameter> list;
  for (int i = 0; i < n; ++i) list.push_back(Parameter::real("x" + std::to_string(i), low, high));
  return list;
}

std::string sum_of(int n) {
  std::string text = "x0";
  for (int i = 1; i < n; ++i) text += " + x" + std::to_string(i);
  return text;
}

// The mean and deviation of one coordinate over many spread points.
struct Moments {
  double mean = 0.0, deviation = 0.0;
};
Moments spread_moments(const Space& space, std::size_t coordinate, int n = 4000) {
  Rng rng(5, "spread-test");
  double sum = 0.0, squares = 0.0;
  std::vector<double> u(space.size());
  for (int i = 0; i < n; ++i) {
    for (double& c : u) c = rng.uniform();
    space.region()->spread(u);
    EXPECT_TRUE(space.region()->contains(u));
    sum += u[coordinate];
    squares += u[coordinate] * u[coordinate];
  }
  const double mean = sum / n;
  return {mean, std::sqrt(std::max(0.0, squares / n - mean * mean))};
}

TEST(Region, SpreadPointsAreUniformOverASimplex) {
  // Uniform over the simplex of n parts: each has mean 1/n and variance (n-1) / (n^2 (n+1)).
  for (const int n : {3, 8, 20}) {
    const Space space = space_of(reals(n), {sum_of(n) + " = 1"});
    const Moments found = spread_moments(space, 1);
    EXPECT_NEAR(found.mean, 1.0 / n, 0.15 / n) << n;
    EXPECT_NEAR(found.deviation, std::sqrt((n - 1.0) / (n + 1.0)) / n, 0.2 / n) << n;
  }
}

TEST(Region, SpreadPointsAreUniformOverAThinSlab) {
  // |x0 - x1| <= 5e-5 is 1e-4 of the square; along it x0 is uniform.
  const Space space = space_of(reals(2), {"abs(x0 - x1) <= 5e-5"});
  const Moments found = spread_moments(space, 0);
  EXPECT_NEAR(found.mean, 0.5, 0.05);
  EXPECT_NEAR(found.deviation, std::sqrt(1.0 / 12.0), 0.03);
}

TEST(Region, SpreadPointsVisitDisjointPartsByTheirVolume) {
  // Two squares, of areas 0.01 and 0.03: a quarter of the points in the first.
  const Space space = space_of(reals(2), {"x0 <= 0.1 and x1 <= 0.1 or x0 >= 0.7 and x1 >= 0.9"});
  Rng rng(6, "spread-test");
  int first = 0;
  constexpr int n = 4000;
  std::vector<double> u(2);
  for (int i = 0; i < n; ++i) {
    for (double& c : u) c = rng.uniform();
    space.region()->spread(u);
    ASSERT_TRUE(space.region()->contains(u));
    first += u[0] <= 0.1;
  }
  EXPECT_NEAR(static_cast<double>(first) / n, 0.25, 0.06);
}

TEST(Region, RepairStaysNearAndLeavesTheInsideAlone) {
  const Space space = space_of(reals(2), {"x0 + x1 <= 0.6"});
  std::vector<double> inside = {0.2, 0.3};
  space.region()->repair(inside);
  EXPECT_EQ(inside, (std::vector<double>{0.2, 0.3}));
  std::vector<double> outside = {0.31, 0.31};
  space.region()->repair(outside);
  EXPECT_TRUE(space.region()->contains(outside));
  EXPECT_NEAR(outside[0], 0.3, 0.03);
  EXPECT_NEAR(outside[1], 0.3, 0.03);
  EXPECT_NEAR(outside[0] + outside[1], 0.6, 1e-3);  // at the border, where the optimum may lie
  std::vector<double> again = {0.31, 0.31};
  space.region()->repair(again);
  EXPECT_EQ(again, outside);
}

TEST(Region, RepairFindsTheNearestPointAtAnyScale) {
  const auto repaired = [](const Space& space, std::vector<double> u) {
    space.region()->repair(u);
    EXPECT_TRUE(space.region()->contains(u));
    return u;
  };
  const auto near = [](double depth, std::vector<double> expected) {
    std::vector<testing::Matcher<double>> each;
    for (const double x : expected) each.push_back(testing::DoubleNear(x, 0.01 * depth));
    return testing::ElementsAreArray(each);
  };
  const Space half = space_of(reals(3), {"x0 + 2*x1 <= 0.8"});
  const Space ball = space_of(reals(2), {"(x0 - 0.5)^2 + (x1 - 0.5)^2 <= 0.16"});
  for (const double depth : {0.1, 1e-3, 1e-6}) {
    const double s = depth / std::sqrt(5.0), r = 0.4 / std::sqrt(2.0), d = depth / std::sqrt(2.0);
    EXPECT_THAT(repaired(half, {0.2 + s, 0.3 + 2 * s, 0.7}), near(depth, {0.2, 0.3, 0.7}));
    EXPECT_THAT(repaired(ball, {0.5 + r + d, 0.5 - r - d}), near(depth, {0.5 + r, 0.5 - r}));
  }
  // A bound of the box in the way, a corner of two constraints, a mixture.
  EXPECT_THAT(repaired(space_of(reals(2), {"x0 + x1 <= 0.6"}), {0.9, 0.0}), near(0.3, {0.6, 0.0}));
  EXPECT_THAT(repaired(space_of(reals(2), {"x0 <= 0.2", "x1 >= 0.7"}), {0.3, 0.6}),
              near(0.1, {0.2, 0.7}));
  EXPECT_THAT(repaired(space_of(reals(3), {"x0 + x1 + x2 = 1", "x0 <= 0.2"}), {0.4, 0.3, 0.3}),
              near(0.2, {0.2, 0.4, 0.4}));
}

TEST(Region, StepsKeepMixturesExact) {
  std::vector<Parameter> list;
  for (const char* name : {"a", "b", "c", "d"})
    list.push_back(Parameter::real(name, 0, 1, false, 0.05));
  const Space space = space_of(list, {"a + b + c + d = 1"});
  Rng rng(7, "mixture");
  std::vector<double> u(4);
  for (int i = 0; i < 2000; ++i) {
    for (double& c : u) c = rng.uniform();
    if (i % 2 == 0) space.region()->repair(u);
    space.region()->spread(u);
    ASSERT_TRUE(space.region()->contains(u));
  }
}

TEST(Region, EqualitiesThatImplyEachOtherHoldAsOneDoes) {
  const Space space = space_of(
      reals(3), {"x0 + x1 + x2 = 1", "3 * (x0 + x1) + 3 * x2 = 3", "x0 + x1 = 0.7", "x2 = 0.3"});
  Rng rng(6, "redundant-test");
  std::vector<double> u(3);
  for (int i = 0; i < 200; ++i) {
    for (double& c : u) c = rng.uniform();
    space.region()->repair(u);
    EXPECT_NEAR(u[0] + u[1], 0.7, 1e-12);
    EXPECT_NEAR(u[2], 0.3, 1e-12);
  }
}

TEST(Region, BalanceClosesWhatToleranceLeaves) {
  const Space space = space_of(reals(3), {"x0 + x1 + x2 = 1", "x0 <= 0.25", "x1 >= 0.25"});
  for (std::vector<double> numbers : {std::vector{0.25, 0.25, 0.5 + 2e-9},
                                      {0.25, 0.25 + 1e-9, 0.5 - 2e-9},
                                      {0.0, 0.999999998, 0.0}}) {
    space.region()->balance(numbers);
    EXPECT_NEAR(numbers[0] + numbers[1] + numbers[2], 1.0, 1e-15);
    EXPECT_LE(numbers[0], 0.25);
    EXPECT_GE(numbers[1], 0.25);
  }
}

TEST(Region, ContradictionsAreNamed) {
  const auto error = [](std::vector<std::string> constraints) {
    const Result<Space> space = Space::make(reals(3), std::move(constraints));
    return space ? Error{ErrorKind::io, "no error"} : space.error();
  };
  const Error two = error({"x2 <= 0.5", "x0 + x1 >= 1.5", "x2 >= 0.1", "x0 <= 0.4"});
  EXPECT_EQ(two.message,
            "no point of the space satisfies together constraint 2, \"x0 + x1 >= 1.5\" and "
            "constraint 4, \"x0 <= 0.4\"");
  EXPECT_EQ(two.field, "constraint.2");
  EXPECT_EQ(error({"x0 > 2"}).message, "no point of the space satisfies constraint 1, \"x0 > 2\"");
  EXPECT_EQ(error({"x0 + x1 + x2 = 4"}).field, "constraint.1");
  EXPECT_EQ(error({"x0 <= 1", "x0 + y <= 1"}).message.substr(0, 24), "constraint 2, column 6: ");
}

}  // namespace
}  // namespace vbo
