// SPDX-License-Identifier: MIT
#include "vbo/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/spelling.hpp"

namespace vbo {
namespace {

using ::testing::HasSubstr;

std::string error_of(std::vector<Parameter> parameters) {
  const Result<Space> space = Space::make(std::move(parameters));
  return space ? "no error" : space.error().message;
}

TEST(Space, KeepsItsParameters) {
  const Space space = Space::make({Parameter::real("x", -1, 1), Parameter::integer("n", 1, 8),
                                   Parameter::categorical("opt", {"adam", "sgd"})})
                          .value();
  EXPECT_EQ(space.size(), 3U);
  EXPECT_EQ(space.index_of("n"), 1U);
  EXPECT_EQ(space.index_of("absent"), std::nullopt);
  EXPECT_EQ(space.cardinality(), std::nullopt);
}

TEST(Space, ErrorsNameTheParameterAndWhatWouldBeRight) {
  EXPECT_THAT(error_of({}), HasSubstr("at least one"));
  EXPECT_THAT(error_of({Parameter::real("x", 2, 1)}), HasSubstr("\"x\": low is 2 and high is 1"));
  EXPECT_THAT(error_of({Parameter::real("x", 0, 1, true)}), HasSubstr("expected low > 0"));
  EXPECT_THAT(error_of({Parameter::real("x", 0, std::numeric_limits<double>::infinity())}),
              HasSubstr("finite"));
  EXPECT_THAT(error_of({Parameter::real("x", -1.7e308, 1.7e308)}), HasSubstr("too wide"));
  EXPECT_THAT(error_of({Parameter{"n", ParameterKind::integer, 0.5, 3, false, {}}}),
              HasSubstr("whole number"));
  EXPECT_THAT(error_of({Parameter::categorical("c", {})}), HasSubstr("\"c\": choices is empty"));
  EXPECT_THAT(error_of({Parameter::categorical("c", {"a", "a"})}), HasSubstr("twice"));
  EXPECT_THAT(error_of({Parameter::real("x", 0, 1), Parameter::real("x", 0, 1)}),
              HasSubstr("used twice"));
  EXPECT_THAT(error_of({Parameter::real("", 0, 1)}), HasSubstr("empty name"));
}

TEST(Space, CheckRejectsPointsOutsideIt) {
  const Space space = Space::make({Parameter::real("x", -1, 1), Parameter::integer("n", 1, 8),
                                   Parameter::categorical("opt", {"adam", "sgd"})})
                          .value();
  EXPECT_TRUE(space.check({0.5, std::int64_t{8}, std::string("sgd")}));
  const auto error = [&](Point point) {
    const auto checked = space.check(point);
    return checked ? std::string("no error") : checked.error().message;
  };
  EXPECT_THAT(error({0.5}), HasSubstr("1 values, expected 3"));
  EXPECT_THAT(error({1.5, std::int64_t{8}, std::string("sgd")}), HasSubstr("from -1 to 1"));
  EXPECT_THAT(error({0.5, 8.0, std::string("sgd")}),
              HasSubstr("\"n\": found 8, expected an integer"));
  EXPECT_THAT(error({0.5, std::int64_t{8}, std::string("rms")}), HasSubstr("\"adam\" \"sgd\""));
  EXPECT_THAT(error({std::nan(""), std::int64_t{8}, std::string("sgd")}), HasSubstr("finite"));
}

TEST(Space, CardinalityCountsFreeParametersOnly) {
  const Space space = Space::make({Parameter::integer("n", 1, 8), Parameter::real("fixed", 3, 3),
                                   Parameter::categorical("c", {"a", "b", "c"})})
                          .value();
  EXPECT_EQ(space.cardinality(), 24.0);
  EXPECT_TRUE(space[1].is_fixed());
}

TEST(Value, TextReadsBackExactly) {
  EXPECT_EQ(to_string(Value(0.1)), "0.1");
  EXPECT_EQ(to_string(Value(1e-300)), "1e-300");
  EXPECT_EQ(to_string(Value(std::int64_t{-3})), "-3");
  EXPECT_EQ(to_string(Value(std::string("adam"))), "adam");
}

TEST(Suggestion, HelpsWithTypingErrorsOnly) {
  EXPECT_EQ(suggestion("budgte", {"name", "budget"}), ", did you mean \"budget\"?");
  EXPECT_EQ(suggestion("colour", {"name", "budget"}), ", expected one of name budget");
}

}  // namespace
}  // namespace vbo
