// SPDX-License-Identifier: MIT
#include "cli/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/trial_json.hpp"

namespace vbo::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

ProgressState halfway() {
  return {.study = "branin",
          .budget = 640,
          .completed = 318,
          .failed = 2,
          .running = 8,
          .ended_here = 160,
          .best = 0.397887,
          .best_id = 87,
          .seconds = 40.0};
}

std::pair<std::string, std::string> lines_of(const ProgressState& state, int width) {
  std::istringstream in(progress_lines(state, width, false));
  std::pair<std::string, std::string> lines;
  std::getline(in, lines.first);
  std::getline(in, lines.second);
  return lines;
}

TEST(Progress, ShowsCountsRateTimeLeftAndBest) {
  const auto [first, second] = lines_of(halfway(), 100);
  EXPECT_EQ(first, std::string(20, '#') + std::string(20, '-') +
                       "  320/640  50%  1 min 20 s left  40 s elapsed  4.0/s");
  EXPECT_EQ(second, "best 0.397887 (trial 87)  8 running  2 failed  branin");
}

TEST(Progress, UnderNoiseTheEstimateIsShown) {
  ProgressState state = halfway();
  state.estimated = 0.41;
  state.estimated_id = 12;
  EXPECT_THAT(progress_sentence(state), HasSubstr("best estimate 0.41 (trial 12)"));
  EXPECT_THAT(lines_of(state, 100).second, testing::StartsWith("best estimate 0.41 (trial 12)  8"));
}

TEST(Progress, StartUpIsNoPartOfTheRate) {
  ProgressState state = halfway();
  state.seconds = 140.0;  // 100 s were spent before anything could be evaluated
  state.startup = 100.0;
  EXPECT_THAT(progress_sentence(state), HasSubstr("4.0/s, 2 min 20 s elapsed, 1 min 20 s left"));
}

TEST(Progress, NeverWraps) {
  ProgressState state = halfway();
  state.study = std::string(300, 'x');
  for (int width = 1; width < 200; ++width) {
    const auto [first, second] = lines_of(state, width);
    EXPECT_LT(static_cast<int>(first.size()), std::max(width, 2)) << width;
    EXPECT_LT(static_cast<int>(second.size()), std::max(width, 2)) << width;
  }
}

TEST(Progress, KeepsTheBarOnANarrowTerminal) {
  EXPECT_THAT(lines_of(halfway(), 40).first, HasSubstr("####"));
  EXPECT_THAT(lines_of(halfway(), 40).first, HasSubstr("320/640"));
}

TEST(Progress, KnowsNothingAtTheBeginning) {
  ProgressState state = halfway();
  state.completed = state.failed = state.ended_here = 0;
  state.best.reset();
  state.seconds = 0.0;
  const auto [first, second] = lines_of(state, 100);
  EXPECT_THAT(first, Not(HasSubstr("left")));
  EXPECT_THAT(second, HasSubstr("no result yet"));
}

TEST(Progress, ShowsTheFrontOfSeveralObjectives) {
  ProgressState state = halfway();
  state.front = 12;
  state.hypervolume = 3.25;
  EXPECT_THAT(lines_of(state, 100).second, HasSubstr("12 trade-offs, hypervolume 3.25"));
  state.front = 0;
  EXPECT_THAT(lines_of(state, 100).second, HasSubstr("nothing feasible yet"));
}

TEST(Progress, SaysTheSameInASentence) {
  EXPECT_EQ(progress_sentence(halfway()),
            "branin: 320/640 evaluated, 2 failed, 8 running, best 0.397887 (trial 87), 4.0/s, "
            "40 s elapsed, 1 min 20 s left");
}

TEST(Duration, HasTwoUnitsAtMost) {
  EXPECT_EQ(duration_text(0.0213), "0.021 s");
  EXPECT_EQ(duration_text(42.4), "42 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(5 * 3600 + 121), "5 h 02 min");
  EXPECT_EQ(duration_text(86400 * 3 + 7200), "3 d 02 h");
}

}  // namespace
}  // namespace vbo::cli
