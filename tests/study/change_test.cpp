// SPDX-License-Identifier: MIT
// Settings that change while a study lives: what may, and that the log tells which settings held
// when, also with results that people corrected before and after.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/support.hpp"
#include "vbo/verify.hpp"

namespace vbo {
namespace {

using ::testing::HasSubstr;
using testing::kill_study;
using testing::objective;

StudyOptions options_of(const std::string& method, std::int64_t batch, double high) {
  StudyOptions options;
  options.name = "changing";
  options.space = Space::make({Parameter::real("x", -1, high), Parameter::integer("n", 1, 9),
                               Parameter::categorical("c", {Value("a"), Value("b")})})
                      .value();
  options.budget = 100;
  options.optimizer = {.method = method, .seed = 1, .batch = batch, .threads = 1};
  return options;
}

Result<Study> open_as(const MemoryStorage& storage, const StudyOptions& options) {
  return Study::open(options, {std::make_unique<MemoryStorage>(storage), nullptr});
}

std::vector<Point> points_of(MemoryStorage& storage) {
  std::vector<Point> points;
  for (const Trial& trial : storage.load_trials(1, -1).value()) points.push_back(trial.point);
  return points;
}

class Change : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

// Killed after every step, it makes the same suggestions as without.
TEST_P(Change, ResumesAndReplaysExactly) {
  const auto play = [&](bool kill) {
    MemoryStorage storage;
    StudyOptions options = options_of(GetParam().first, 4, 1.0);
    Study study = open_as(storage, options).value();
    const auto step = [&] {
      if (!kill) return;
      kill_study(std::move(study), storage);
      study = open_as(storage, options).value();
      EXPECT_EQ(study.warning(), "");
      EXPECT_EQ(study.change(), "");
    };
    const auto tell = [&](TrialId id, double more = 0.0) {
      study.tell(id, objective(storage.load_trial(id).value()->point) + more).value();
    };
    study.ask(8).value();
    for (const TrialId id : {1, 2, 3, 5, 6}) tell(id);
    study.tell_failure(4, {FailureCause::crash, "broke"}).value();
    study.replace({.id = 1, .values = {7.0}}, "typing error").value();
    study.retry({4}).value();
    // 7 and 8 are open, 4 will be evaluated again.
    options = options_of(GetParam().second, 2, 3.0);
    study.close().value();
    study = open_as(storage, options).value();
    EXPECT_THAT(study.change(), HasSubstr("parameter x high: stored 1.0, given 3.0"));
    step();
    study.ask(2).value();
    step();
    tell(7);
    tell(4);
    step();
    study.replace({.id = 1, .values = {0.5}}, "and another").value();
    study.replace({.id = 7, .values = {0.25}}, "of an old suggestion").value();
    study.drop({8}).value();
    step();
    for (const TrialId id : {9, 10}) tell(id);
    study.ask(3).value();
    step();
    // And back.
    options = options_of(GetParam().first, 4, 3.0);
    study.close().value();
    study = open_as(storage, options).value();
    tell(11);
    study.ask(4).value();
    step();
    for (const TrialId id : {12, 14, 15}) tell(id);
    study.ask(2).value();
    study.close().value();
    const Verification verified = verify_study(storage, true).value();
    EXPECT_TRUE(verified.replayed);
    EXPECT_THAT(verified.problems, ::testing::IsEmpty());
    EXPECT_THAT(verified.notes, ::testing::IsEmpty());
    EXPECT_EQ(storage.load_study().value()->changes.size(), 2u);
    return points_of(storage);
  };
  EXPECT_EQ(play(true), play(false));
}

INSTANTIATE_TEST_SUITE_P(Methods, Change,
                         ::testing::Values(std::pair("cmaes", "gp-logei"),
                                           std::pair("gp-logei", "turbo"),
                                           std::pair("vbo", "random"), std::pair("sobol", "vbo")),
                         [](const auto& info) {
                           std::string name =
                               info.param.first + std::string("_") + info.param.second;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Changes, OnlyMoreRoomIsTheSameStudy) {
  const auto asked = [](const std::vector<Parameter>& before, const std::vector<Parameter>& now) {
    MemoryStorage storage;
    StudyOptions options = options_of("random", 1, 1.0);
    options.space = Space::make(before).value();
    { (void)open_as(storage, options).value(); }
    options.space = Space::make(now).value();
    const auto study = open_as(storage, options);
    return study ? study->change() : "refused: " + study.error().message;
  };
  using P = Parameter;
  EXPECT_EQ(asked({P::real("x", 0, 1)}, {P::real("x", -1, 1)}),
            "parameter x low: stored 0.0, given -1.0");
  EXPECT_THAT(asked({P::real("x", 0, 1)}, {P::real("x", 0.5, 2)}), HasSubstr("refused"));
  EXPECT_THAT(asked({P::real("x", 1, 2)}, {P::real("x", 1, 2, true)}), HasSubstr("refused"));
  EXPECT_THAT(asked({P::real("x", 0, 1, false, 0.25)}, {P::real("x", -0.5, 1, false, 0.25)}),
              HasSubstr("low: stored"));
  EXPECT_THAT(asked({P::real("x", 0, 1, false, 0.25)}, {P::real("x", -0.6, 1, false, 0.25)}),
              HasSubstr("refused"));
  const std::vector<Value> two = {Value("s"), Value("l")},
                           three = {Value("s"), Value("m"), Value("l")},
                           other = {Value("l"), Value("m"), Value("s")};
  EXPECT_THAT(asked({P::ordinal("o", two)}, {P::ordinal("o", three)}), HasSubstr("values: stored"));
  EXPECT_THAT(asked({P::ordinal("o", two)}, {P::ordinal("o", other)}), HasSubstr("refused"));
  EXPECT_THAT(asked({P::categorical("o", two)}, {P::categorical("o", other)}),
              HasSubstr("choices: stored"));
  EXPECT_THAT(asked({P::categorical("o", three)}, {P::categorical("o", two)}),
              HasSubstr("refused"));
}

TEST(Changes, OptionsThatTheMethodDoesNotHaveChangeNothing) {
  MemoryStorage storage;
  { (void)open_as(storage, options_of("random", 1, 1.0)).value(); }
  StudyOptions options = options_of("turbo", 1, 1.0);
  options.optimizer.settings["nonsense"] = true;
  EXPECT_FALSE(open_as(storage, options));
  EXPECT_EQ(storage.load_study().value()->optimizer.method, "random");
}

}  // namespace
}  // namespace vbo
