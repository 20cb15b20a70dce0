// SPDX-License-Identifier: MIT
// Small studies of the flagship, asked and told by hand.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "optim/vbo/vbo.hpp"

namespace vbo::play {

using ObjectiveFunction = std::function<std::optional<double>(const Point&)>;

inline Space cube(int dimension) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < dimension; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), -1, 2));
  }
  return Space::make(std::move(parameters)).value();
}

inline Space every_kind() {
  return Space::make({Parameter::real("x", -5, 10), Parameter::real("rate", 1e-5, 1e-1, true),
                      Parameter::integer("n", 1, 40), Parameter::categorical("c", {"a", "b", "c"}),
                      Parameter::real("fixed", 2, 2)})
      .value();
}

inline double sphere(const Point& p) {
  double sum = 0.0;
  for (const Value& v : p) sum += std::pow(std::get<double>(v) - 0.7, 2);
  return -sum;
}

// A cheap optimizer for tests that do not ask for quality.
inline VboOptions quick() {
  VboOptions options;
  options.critics = 2;
  options.hidden = {16};
  options.critic_steps = 5;
  options.action_steps = 2;
  options.preselection = 4;
  return options;
}

// Asks and tells; keeps every suggestion.
struct Player {
  std::unique_ptr<Vbo> vbo;
  Space space;
  std::vector<Trial> trials;  // in the order of asking
  EventId event = 0;

  Player(Space s, OptimizerOptions common, VboOptions options)
      : vbo(std::make_unique<Vbo>(s, common, options)), space(std::move(s)) {}

  std::vector<TrialId> ask(std::size_t n) {
    std::vector<TrialId> ids(n);
    std::iota(ids.begin(), ids.end(), static_cast<TrialId>(trials.size()) + 1);
    ++event;
    const std::vector<Suggestion> made = vbo->ask(ids);
    for (std::size_t i = 0; i < n; ++i) {
      Trial trial;
      trial.id = ids[i];
      trial.point = made[i].point;
      trial.rationale = made[i].rationale;
      trial.asked_in = event;
      trials.push_back(trial);
    }
    return ids;
  }

  void tell(std::span<const TrialId> ids, const ObjectiveFunction& f) {
    ++event;
    std::vector<Trial> finished;
    for (const TrialId id : ids) {
      Trial& trial = trials[static_cast<std::size_t>(id - 1)];
      const std::optional<double> value = f(trial.point);
      if (value) trial.values = {*value};
      trial.state = value ? TrialState::completed : TrialState::failed;
      trial.told_in = event;
      finished.push_back(trial);
    }
    vbo->tell(finished);
  }

  void rounds(int count, std::size_t batch, const ObjectiveFunction& f) {
    for (int i = 0; i < count; ++i) tell(ask(batch), f);
  }

  double best() const {
    double best = -1e300;
    for (const Trial& trial : trials) best = std::max(best, trial.value().value_or(-1e300));
    return best;
  }
  std::vector<Point> points() const {
    std::vector<Point> all;
    for (const Trial& trial : trials) all.push_back(trial.point);
    return all;
  }
};

inline double runs_or_one(const Player& player) {
  const AskReport report = player.vbo->report();
  return report.values.empty() ? 1.0 : report.values.front().value;
}

// `resumed` takes over from `whole`; both then hear of the trials still open and play on.
inline void resume_and_go_on(Player& whole, Player& resumed, std::span<const TrialId> open,
                             const ObjectiveFunction& f) {
  resumed.trials = whole.trials;
  resumed.event = whole.event;
  ASSERT_TRUE(resumed.vbo->restore(whole.vbo->snapshot(), whole.trials));
  for (Player* player : {&whole, &resumed}) {
    player->tell(open, f);
    player->rounds(3, 16, f);
  }
}

}  // namespace vbo::play
