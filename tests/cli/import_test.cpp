// SPDX-License-Identifier: MIT
// What is read from tables; the command itself is tested end to end.
#include "cli/import.hpp"
#include "core/delivery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vbo::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Space space() {
  return Space::make({Parameter::real("x", 0, 1, false, 0.1), Parameter::integer("n", 0, 9),
                      Parameter::categorical("c", {"a", 3, true}), Parameter::real("fixed", 7, 7)},
                     {"n <= 8"})
      .value();
}

Imported read(std::string_view text) {
  return results_from(parse_csv(text, "past.csv").value(), space()).value();
}

TEST(Import, ReadsResultsInAnyOrderOfColumns) {
  const Imported imported = read(
      "c,value,x,n,metrics.mass,state,error,id\n"
      "a,1.5,0.30,2,4,completed,,1\n"
      "3,,0.1,3,,failed,no mesh,2\n"
      "true,nan,1,8,,,,3\n"
      "a,,0.1,3,,waiting,,4\n");
  EXPECT_THAT(imported.problems, IsEmpty());
  ASSERT_EQ(imported.results.size(), 3U);
  EXPECT_EQ(imported.results[0].point, (Point{0.3, std::int64_t{2}, std::string("a"), 7.0}));
  EXPECT_EQ(imported.results[0].outcome.value(), 1.5);
  EXPECT_THAT(imported.results[0].outcome.metrics, ElementsAre(Pair("mass", 4.0)));
  EXPECT_EQ(imported.results[1].outcome.failure, (Failure{FailureCause::reported, "no mesh"}));
  EXPECT_EQ(imported.results[2].point[2], Value(true));
  EXPECT_EQ(imported.results[2].outcome.failure->cause, FailureCause::non_finite);
}

TEST(Import, RefusesColumnsThatMeanTheSameOrNothing) {
  const auto error_of = [](const std::string& header) {
    const auto table = parse_csv(header + "\n0.1,2,a,1,5\n", "past.csv");
    const auto imported = results_from(table.value(), space());
    return imported ? "no error" : imported.error().message;
  };
  EXPECT_EQ(error_of("x,n,c,value,x"), "past.csv:1:13: found column \"x\" twice, expected one");
  EXPECT_EQ(error_of("x,n,c,value,params.x"),
            "past.csv:1:13: found column \"params.x\" beside \"x\", expected one");
  EXPECT_EQ(error_of("x,n,c,value,value"),
            "past.csv:1:13: found column \"value\" twice, expected one");
  EXPECT_THAT(error_of("x,n,c,value,metrics."), HasSubstr("past.csv:1:13: found column"));
  EXPECT_THAT(error_of("x,n,c,value,metrics."), HasSubstr("expected the name of a metric"));
  EXPECT_EQ(error_of("x,n,c,value,metrics.mass"), "no error");
}

TEST(Import, ListsEveryProblemWithItsPlace) {
  const Imported imported = read(
      "x,n,c,value,colour\n"
      "0.25,2,a,1,red\n"
      "0.2,9,a,1,red\n"
      "0.2,2,b,1,red\n"
      "0.2,2,a,{},red\n"
      "0.2,2,a,1,red\n");
  EXPECT_EQ(imported.results.size(), 1U);
  EXPECT_THAT(
      imported.problems,
      ElementsAre(HasSubstr("past.csv:1:13: unknown column \"colour\""),
                  HasSubstr("past.csv:2:1: parameter \"x\": found \"0.25\", expected a number "
                            "from 0 to 1 in steps of 0.1"),
                  HasSubstr("past.csv:3:1: constraint 1, \"n <= 8\", does not hold at 9"),
                  HasSubstr("past.csv:4:7: parameter \"c\": found \"b\", expected one of a 3 true"),
                  HasSubstr("past.csv:5:9: value: found \"{}\", expected a number")));
}

TEST(Import, NeedsTheValueAndEveryFreeParameter) {
  const auto error = [](std::string_view text) {
    return results_from(parse_csv(text, "past.csv").value(), space()).error().message;
  };
  EXPECT_THAT(error("x,n,c\n"), HasSubstr("found no column \"value\""));
  EXPECT_THAT(error("x,c,value\n"), HasSubstr("found no column \"n\""));
}

TEST(Import, WhatIsThereIsNotImportedAgain) {
  const std::vector<Evaluated> results =
      read("x,n,c,value\n0.1,1,a,5\n0.1,1,a,5\n0.1,1,a,6\n0.2,1,a,5\n").results;
  Trial stored{.id = 1, .point = results[0].point};
  stored.state = TrialState::completed;
  stored.values = {5.0};
  const std::vector<Evaluated> fresh = without_known(results, {stored});
  ASSERT_EQ(fresh.size(), 3U);  // the same result may have been measured twice: one is new
  EXPECT_EQ(fresh[1].outcome.value(), 6.0);
}

TEST(Import, ReadsAColumnPerObjective) {
  const std::vector<Objective> two = {{"error"}, {"speed", Goal::maximize}};
  const auto read = [&](std::string_view text) {
    return results_from(parse_csv(text, "past.csv").value(), space(), two);
  };
  const Imported imported = read("c,speed,x,n,error\na,2,0.3,2,1.5\n3,nan,0.1,3,1\n").value();
  ASSERT_EQ(imported.results.size(), 2U);
  EXPECT_THAT(imported.results[0].outcome.values, ElementsAre(1.5, 2.0));
  EXPECT_THAT(imported.results[1].outcome.failure->message, HasSubstr("\"speed\" is nan"));
  // As `vbo trials` writes it, where "error" says why an evaluation failed.
  const Imported ours = read(
                            "id,state,values.error,speed,c,x,n,error\n1,completed,1.5,2,a,0.3,2,"
                            "\n2,failed,,,a,0.3,2,no\n")
                            .value();
  ASSERT_EQ(ours.results.size(), 2U);
  EXPECT_THAT(ours.results[0].outcome.values, ElementsAre(1.5, 2.0));
  EXPECT_EQ(ours.results[1].outcome.failure->message, "no");
  EXPECT_THAT(read("c,error,x,n\na,2,0.3,2\n").error().message, HasSubstr("no column \"speed\""));
  EXPECT_THAT(read("c,error,speed,x,n\na,2,fast,0.3,2\n").value().problems,
              ElementsAre(HasSubstr("speed: found \"fast\", expected a number")));
}

}  // namespace
}  // namespace vbo::cli
