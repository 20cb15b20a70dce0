// SPDX-License-Identifier: MIT
// Steps, ordinals and choices of any type: exact values, exact JSON, equal shares of the unit axis.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/axis.hpp"
#include "core/json.hpp"
#include "core/value_text.hpp"

namespace vbo {
namespace {

using ::testing::HasSubstr;

std::string error_of(Parameter parameter) {
  const Result<Space> space = Space::make({std::move(parameter)});
  return space ? "no error" : space.error().message;
}

TEST(Step, EveryValueIsTheDecimalItIs) {
  const Axis tenth(Parameter::real("t", 0.0, 1.0, false, 0.1));
  ASSERT_EQ(tenth.count(), 11);
  const char* expected[] = {"0",   "0.1", "0.2", "0.3", "0.4", "0.5",
                            "0.6", "0.7", "0.8", "0.9", "1"};
  for (std::int64_t k = 0; k < 11; ++k) {
    EXPECT_EQ(to_string(tenth.value_of(tenth.number_of_index(k))), expected[k]);
  }
  const Axis odd(Parameter::real("t", -20.05, 80.0, false, 0.15));
  EXPECT_EQ(to_string(Value(odd.number_of_index(1))), "-19.9");
  EXPECT_EQ(to_string(Value(odd.number_of_index(100))), "-5.05");
  const Axis small(Parameter::real("t", 1e-7, 1e-6, false, 3e-8));
  EXPECT_EQ(to_string(Value(small.number_of_index(2))), "1.6e-07");
  const Axis whole(Parameter::integer("n", 1, 20, false, 5));  // 1 6 11 16
  EXPECT_EQ(whole.count(), 4);
  EXPECT_EQ(whole.value_of(16.4), Value(std::int64_t{16}));
}

TEST(Step, OnlyItsValuesBelongToTheSpace) {
  const Space space = Space::make({Parameter::real("t", 0.2, 0.9, false, 0.1)}).value();
  EXPECT_EQ(space.cardinality(), 8.0);
  EXPECT_TRUE(space.check({0.3}));
  EXPECT_FALSE(space.check({0.1 + 0.2}));  // 0.30000000000000004
  EXPECT_FALSE(space.check({0.35}));
  EXPECT_THAT(space.check({0.35}).error().message, HasSubstr("in steps of 0.1"));
  EXPECT_EQ(value_from_text(space[0], "0.30").value(), Value(0.3));
  EXPECT_FALSE(value_from_text(space[0], "0.31"));
}

TEST(Step, MistakesAreNamed) {
  EXPECT_THAT(error_of(Parameter::real("t", 0, 1, false, -0.1)),
              HasSubstr("\"t\": step is -0.1, expected a number > 0"));
  EXPECT_THAT(error_of(Parameter::real("t", 0, 1, false, 1e-30)), HasSubstr("at most 15 digits"));
  EXPECT_THAT(error_of(Parameter::real("t", 0, 1e20, false, 1e18)), HasSubstr("at most 15 digits"));
  Parameter whole = Parameter::integer("n", 1, 9);
  whole.step = 0.5;
  EXPECT_THAT(error_of(whole), HasSubstr("a whole number for an int"));
  EXPECT_FALSE(
      Parameter::real("t", 0.2, 0.3, false, 0.1).is_fixed());  // 0.3 - 0.2 < 0.1 in doubles
  EXPECT_TRUE(Parameter::real("t", 0.2, 0.29, false, 0.1).is_fixed());
}

TEST(Axis, EveryValueOwnsAnEqualShareAndComesBack) {
  for (const Parameter& p :
       {Parameter::real("t", -1, 1, false, 0.25), Parameter::integer("n", 10, 100, false, 15),
        Parameter::ordinal("w", {16, 32, 64, 128}), Parameter::categorical("c", {"a", 3, true})}) {
    const Axis axis(p);
    std::vector<int> counts(static_cast<std::size_t>(axis.count()));
    constexpr int shares = 100;
    const auto n = static_cast<int>(axis.count()) * shares;
    for (int i = 0; i < n; ++i)
      ++counts[static_cast<std::size_t>(axis.index_of(axis.number_at((i + 0.5) / n)))];
    EXPECT_THAT(counts, testing::Each(shares)) << p.name;
    for (std::int64_t k = 0; k < axis.count(); ++k) {
      const double number = axis.number_of_index(k);
      EXPECT_EQ(axis.number_at(axis.position_of(number)), number);
      EXPECT_TRUE(is_value_of(p, axis.value_of(number)));
      EXPECT_EQ(axis.number_of(axis.value_of(number)), number);
    }
  }
  const Axis log(Parameter::real("t", 0.1, 10, true, 0.1));
  for (std::int64_t k = 0; k < log.count(); ++k) {
    EXPECT_EQ(log.number_at(log.position_of(log.number_of_index(k))), log.number_of_index(k));
  }
}

TEST(Choices, MistakesAreNamed) {
  EXPECT_THAT(error_of(Parameter::categorical("c", {"3", 3})),
              HasSubstr("choice 3 is there twice"));
  EXPECT_THAT(error_of(Parameter::categorical("c", {1, 1.0})), HasSubstr("twice"));
  EXPECT_THAT(error_of(Parameter::ordinal("w", {16, 64, 32})), HasSubstr("neither rise nor fall"));
  EXPECT_THAT(error_of(Parameter::ordinal("w", {})), HasSubstr("values is empty"));
  EXPECT_EQ(error_of(Parameter::ordinal("w", {64, 32, 16.5})), "no error");
  EXPECT_EQ(error_of(Parameter::ordinal("w", {"low", "high"})), "no error");
}

TEST(Codec, ParametersAndPointsKeepTheirTypes) {
  const Space space =
      Space::make({Parameter::real("t", 0.2, 0.9, false, 0.1),
                   Parameter::integer("n", 1, 9, false, 2), Parameter::ordinal("w", {16, 32.5, 64}),
                   Parameter::categorical("c", {"adam", 3, true, 2.0})},
                  {"n <= 7", "c != 3 or t < 0.5"})
          .value();
  const Result<Space> back = space_from(parse_json(dump(json_of(space))).value());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(*back == space);
  for (const Point& point : {Point{0.3, std::int64_t{5}, 32.5, std::string("adam")},
                             Point{0.3, std::int64_t{5}, std::int64_t{16}, true},
                             Point{0.3, std::int64_t{5}, std::int64_t{16}, 2.0}}) {
    const std::string text = dump(json_of(space, point));
    EXPECT_EQ(point_from(space, parse_json(text).value()).value(), point) << text;
  }
  EXPECT_EQ(dump(json_of(space, {0.3, std::int64_t{5}, 32.5, true})),
            R"({"t":0.3,"n":5,"w":32.5,"c":true})");
  // Numbers as another program may write them.
  EXPECT_EQ(point_from(space, parse_json(R"({"t":0.3,"n":5.0,"w":16.0,"c":2})").value()).value(),
            (Point{0.3, std::int64_t{5}, std::int64_t{16}, 2.0}));
  EXPECT_FALSE(point_from(space, parse_json(R"({"t":0.3,"n":5,"w":16,"c":"true"})").value()));
  EXPECT_EQ(
      point_from(space, parse_json(R"({"t":0.3,"n":9,"w":16,"c":true})").value()).error().field,
      "constraint.1");
}

TEST(Codec, TextFromOutsideIsBounded) {
  EXPECT_FALSE(parse_json(std::string(65, '[') + std::string(65, ']')));
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']')));
  EXPECT_TRUE(parse_json("\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\""));
  EXPECT_FALSE(parse_json("[1, 2]", 5));
  EXPECT_LT(parse_json(std::string(1000000, '{')).error().message.size(), 300U);
}

TEST(Space, SizesAreBoundedAndNulIsRefused) {
  const auto choices = [](std::size_t n) {
    std::vector<Value> all;
    for (std::size_t i = 0; i < n; ++i) all.emplace_back(static_cast<std::int64_t>(i));
    return Space::make({Parameter::categorical("c", std::move(all))});
  };
  EXPECT_TRUE(choices(10'000));
  EXPECT_NE(choices(10'001).error().message.find("found 10001 choices, expected at most 10000"),
            std::string::npos);
  std::vector<Parameter> many;
  for (int i = 0; i <= 10'000; ++i) many.push_back(Parameter::real("x" + std::to_string(i), 0, 1));
  EXPECT_EQ(Space::make(many).error().message, "found 10001 parameters, expected at most 10000");
  many.pop_back();
  EXPECT_TRUE(Space::make(many));
  const std::string nul("a\0b", 3);
  EXPECT_EQ(Space::make({Parameter::categorical("c", {nul})}).error().field, "parameter.c.choices");
  EXPECT_EQ(Space::make({Parameter::ordinal("c", {nul})}).error().field, "parameter.c.values");
  EXPECT_FALSE(Space::make({Parameter::real(nul, 0, 1)}));
}

TEST(Codec, ErrorsKnowTheirField) {
  EXPECT_EQ(Space::make({Parameter::real("x", 2, 1)}).error().field, "parameter.x.low");
  EXPECT_EQ(Space::make({Parameter::real("x", 0, 1, true)}).error().field, "parameter.x.log");
  const Space space = Space::make({Parameter::real("x", 0, 1)}).value();
  EXPECT_EQ(point_from(space, parse_json(R"({"x":"a"})").value()).error().field, "parameter.x");
  EXPECT_EQ(point_from(space, parse_json("{}").value()).error().field, "parameter.x");
  EXPECT_EQ(
      space_from(parse_json(R"([{"name":"x","type":"float","low":"a"}])").value()).error().field,
      "parameter.x.low");
}

}  // namespace
}  // namespace vbo
