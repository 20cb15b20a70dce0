// SPDX-License-Identifier: MIT
// TuRBO's own arithmetic; what it shares with other model-based methods is in surrogate_test.cpp.
#include "optim/turbo/turbo.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace vbo {
namespace {

Space turbo_box(int D) {
  std::vector<Parameter> all;
  for (int i = 0; i < D; ++i) all.push_back(Parameter::real("x" + std::to_string(i), 0.0, 1.0));
  return Space::make(all).value();
}

double value_of(const AskReport& report, std::string_view name) {
  for (const Term& term : report.values) {
    if (term.name == name) return term.value;
  }
  return std::nan("");
}

// One round: asks a batch and tells what f says.
template <class F>
void round(Turbo& turbo, TrialId& next, int batch, const F& f) {
  std::vector<TrialId> ids;
  for (int i = 0; i < batch; ++i) ids.push_back(next++);
  std::vector<Trial> told;
  for (const Suggestion& s : turbo.ask(ids)) {
    Trial trial;
    trial.id = ids[told.size()];
    trial.point = s.point;
    trial.state = TrialState::completed;
    trial.values = {f(s.point)};
    told.push_back(trial);
  }
  turbo.tell(told);
}

TEST(Turbo, WeightsReferenceValues) {
  const Vector w = turbo_weights(Vector{{0.5, 0.8, 0.2}});
  EXPECT_NEAR(w[0], 1.1603972084031946, 1e-14);
  EXPECT_NEAR(w[1], 1.8566355334451115, 1e-14);
  EXPECT_NEAR(w[2], 0.46415888336127786, 1e-14);
}

TEST(Turbo, GrowsWhileItImproves) {
  Turbo turbo(turbo_box(2), {.seed = 1, .batch = 4}, {});
  TrialId next = 1;
  double value = 1.0;
  for (int i = 0; i < 5; ++i) round(turbo, next, 4, [&](const Point&) { return value *= 1.1; });
  turbo.ask(std::vector<TrialId>{next++});
  // One round of design, then four successes: the third doubled the side.
  EXPECT_DOUBLE_EQ(value_of(turbo.report(), "length"), 1.6);
}

TEST(Turbo, ShrinksWithoutProgressAndStartsAfresh) {
  Turbo turbo(turbo_box(2), {.seed = 1, .batch = 4}, {});
  TrialId next = 1;
  std::vector<double> lengths;
  for (int i = 0; i < 12; ++i) {
    round(turbo, next, 4, [&](const Point&) { return 1.0; });
    lengths.push_back(value_of(turbo.report(), "length"));
  }
  EXPECT_DOUBLE_EQ(lengths[1], 0.8);
  EXPECT_DOUBLE_EQ(lengths[2], 0.4);
  EXPECT_DOUBLE_EQ(lengths[3], 0.2);
  EXPECT_EQ(value_of(turbo.report(), "restarts"), 1.0);
  EXPECT_GT(value_of(turbo.report(), "length"), 0.1);
}

TEST(Turbo, ConvergesOnABowlInBatches) {
  Turbo turbo(turbo_box(6), {.seed = 1, .batch = 16}, {});
  TrialId next = 1;
  double best = -1e9;
  for (int i = 0; i < 15; ++i) {
    round(turbo, next, 16, [&](const Point& point) {
      double sum = 0.0;
      for (const Value& v : point) sum -= std::pow(std::get<double>(v) - 0.3, 2.0);
      best = std::max(best, sum);
      return sum;
    });
  }
  EXPECT_GT(best, -5e-3);
}

// Nothing is learned between asks without results: one by one they get what a batch would get, also
// when the study is resumed in between.
TEST(Turbo, AskedOneByOneItSuggestsTheSameBatch) {
  const auto bowl = [](const Point& point) {
    double sum = 0.0;
    for (const Value& v : point) sum -= std::pow(std::get<double>(v) - 0.3, 2.0);
    return sum;
  };
  const OptimizerOptions common{.seed = 3, .batch = 8};
  Turbo together(turbo_box(3), common, {}), single(turbo_box(3), common, {});
  TrialId next = 1;
  std::vector<Trial> history;
  for (int i = 0; i < 3; ++i) {
    TrialId same = next;
    round(single, same, 8, bowl);
    round(together, next, 8, [&](const Point& point) {
      Trial trial;
      trial.id = std::ssize(history) + 1;
      trial.point = point;
      trial.state = TrialState::completed;
      trial.values = {bowl(point)};
      trial.told_in = i + 1;
      history.push_back(trial);
      return *trial.value();
    });
  }
  std::vector<TrialId> ids;
  for (int i = 0; i < 8; ++i) ids.push_back(next + i);
  const std::vector<Suggestion> batch = together.ask(ids);
  Turbo resumed(turbo_box(3), common, {});
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(single.ask(std::vector{ids[i]}).front().point, batch[i].point) << i;
    Trial pending;
    pending.id = ids[i];
    pending.point = batch[i].point;
    history.push_back(pending);
    if (i == 3) {
      ASSERT_TRUE(resumed.restore(single.snapshot(), history));
    } else if (i > 3) {
      EXPECT_EQ(resumed.ask(std::vector{ids[i]}).front().point, batch[i].point) << i;
    }
  }
}

}  // namespace
}  // namespace vbo
