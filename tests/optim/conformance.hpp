// SPDX-License-Identifier: MIT
// What every registered method must do, played quickly: small settings for the options a method
// happens to have, spaces of every kind, and a game of asks and tells that can be taken up again
// from a snapshot or replayed from its log.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "vbo/optimizer.hpp"
#include "vbo/random.hpp"

namespace vbo::testing {

// A method with one objective, and with two: "vbo" and "vbo 2".
inline std::vector<std::string> one_objective() {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) names.push_back(info.name);
  return names;
}
inline std::vector<std::string> method_names() {
  std::vector<std::string> names = one_objective();
  for (const std::string& name : one_objective()) names.push_back(name + " 2");
  return names;
}
inline bool has_two_objectives(const std::string& name) { return name.ends_with(" 2"); }
inline std::string method_of(const std::string& name) { return name.substr(0, name.find(' ')); }

inline std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) c = c == '-' || c == ' ' ? '_' : c;
  return name;
}

inline const MethodInfo& info_of(const std::string& name) {
  static const std::vector<MethodInfo> all = methods();
  return *std::ranges::find(all, method_of(name), &MethodInfo::name);
}

// Whatever makes a method slow, at a value that makes it quick. By the names of options, so that a
// later method with the usual names is quick too.
inline OptionMap quick_settings(const std::string& name) {
  const std::string method = name == "vbo 2" ? "pareto" : name;  // which it is then
  static const std::vector<std::pair<std::string, std::int64_t>> small = {
      {"action_steps", 3},  {"burn_in", 8},      {"candidates", 40},     {"chain_samples", 6},
      {"chains", 2},        {"critic_steps", 8}, {"critics", 2},         {"epochs", 8},
      {"gp_iterations", 2}, {"gp_points", 24},   {"inducing", 6},        {"iterations", 4},
      {"levels", 8},        {"max_depth", 2},    {"max_leapfrog", 8},    {"members", 6},
      {"minibatch", 8},     {"pretrain", 10},    {"pretrain_steps", 10}, {"prior_steps", 10},
      {"raw_samples", 12},  {"restarts", 1},     {"samples", 16},        {"preselection", 4},
      {"steps", 30},        {"thin", 2},         {"train_steps", 10},    {"warm_up", 1},
      {"warm_up_steps", 8}, {"window", 3},
  };
  OptionMap settings;
  for (const OptionInfo& option : info_of(method).options) {
    const bool number = option.range.find(" | ") == std::string::npos;
    for (const auto& [known, value] : small) {
      if (option.name == known && number) settings[known] = value;
    }
    if (option.name != "hidden" && option.name != "widths") continue;
    if (option.default_value.front() == '[') {
      settings[option.name] = std::vector<double>{6.0, 6.0};
    } else {
      settings[option.name] = std::int64_t{6};
    }
  }
  return settings;
}

inline OptimizerOptions quick_options(const std::string& name) {
  OptimizerOptions options;
  options.method = method_of(name);
  options.seed = 5;
  options.batch = 4;
  options.budget = 40;  // auto takes the Gaussian process
  options.threads = 1;
  options.settings = quick_settings(name);
  if (has_two_objectives(name)) {
    options.objectives = {{.name = "first", .goal = Goal::maximize},
                          {.name = "second", .goal = Goal::maximize}};
  }
  return options;
}

// A little of everything. 0.1 to 0.7 and the logarithm do not survive encode(decode(x)) bit by bit.
inline Space mixed_space() {
  return Space::make({Parameter::real("x", 0.1, 0.7), Parameter::real("rate", 1e-3, 7.0, true),
                      Parameter::integer("n", 1, 12), Parameter::categorical("c", {"a", "b", "c"})})
      .value();
}

// Smooth, with its best inside at `best` of each parameter, between about -1.5 and 0.
inline double smooth(const Space& space, const Point& point, double best = 0.3) {
  double sum = 0.0;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Parameter& p = space[i];
    double u = 0.0;
    if (!p.choices.empty()) {
      u = 0.3 +
          0.3 * static_cast<double>(std::ranges::find(p.choices, point[i]) - p.choices.begin());
    } else {
      const auto* whole = std::get_if<std::int64_t>(&point[i]);
      const double v = whole ? static_cast<double>(*whole) : std::get<double>(point[i]);
      if (p.high > p.low) {
        u = p.log ? std::log(v / p.low) / std::log(p.high / p.low) : (v - p.low) / (p.high - p.low);
      }
    }
    sum -= (u - best) * (u - best);
  }
  return sum;
}

inline void expect_inside(const Space& space, const Point& point) {
  EXPECT_TRUE(space.check(point));
  for (const Value& value : point) {
    if (const auto* real = std::get_if<double>(&value)) {
      EXPECT_TRUE(std::isfinite(*real));
    }
  }
}

// An optimizer and the log of everything that happened to it.
class Game {
 public:
  Game(Space space, OptimizerOptions options)
      : space_(std::move(space)),
        options_(std::move(options)),
        optimizer_(make_optimizer(space_, options_).value()) {}

  std::vector<Suggestion> ask(std::size_t n) {
    std::vector<TrialId> ids(n);
    std::iota(ids.begin(), ids.end(), std::ssize(trials_) + 1);
    std::vector<Suggestion> suggestions = optimizer_->ask(ids);
    EXPECT_EQ(suggestions.size(), n);
    ++event_;
    for (std::size_t i = 0; i < suggestions.size(); ++i) {
      expect_inside(space_, suggestions[i].point);
      Trial& trial = trials_.emplace_back();
      trial.id = ids[i];
      trial.point = suggestions[i].point;
      trial.rationale = suggestions[i].rationale;
      trial.asked_in = event_;
    }
    return suggestions;
  }

  // nullopt: the trial failed.
  void tell(const std::vector<std::pair<TrialId, std::optional<double>>>& outcomes) {
    ++event_;
    std::vector<Trial> told;
    for (const auto& [id, value] : outcomes) {
      Trial& trial = trials_[static_cast<std::size_t>(id - 1)];
      trial.values.clear();
      if (value) trial.values = {*value};
      if (value && options_.objectives.size() > 1) {
        trial.values.push_back(smooth(space_, trial.point, 0.7));
      }
      if (!value) trial.failure = Failure{FailureCause::crash, "crashed"};
      trial.state = value ? TrialState::completed : TrialState::failed;
      trial.told_in = event_;
      told.push_back(trial);
    }
    optimizer_->tell(told);
  }

  // Rounds of `batch` with outcomes f(point, id), where nullopt is a failure.
  template <class F>
  void rounds(int count, const F& f) {
    for (int round = 0; round < count; ++round) {
      const auto first = std::ssize(trials_);
      ask(static_cast<std::size_t>(options_.batch));
      std::vector<std::pair<TrialId, std::optional<double>>> outcomes;
      for (auto i = static_cast<std::size_t>(first); i < trials_.size(); ++i) {
        outcomes.emplace_back(trials_[i].id, f(trials_[i].point, trials_[i].id));
      }
      tell(outcomes);
    }
  }
  void rounds(int count) {
    rounds(count, [this](const Point& p, TrialId id) -> std::optional<double> {
      return id % 7 == 3 ? std::nullopt : std::optional(smooth(space_, p));
    });
  }

  // The same game as another process would take it up: from a snapshot, or from the log alone.
  Game restored() const {
    Game game(space_, options_);
    game.trials_ = trials_;
    game.event_ = event_;
    std::vector<Trial> relabelled = trials_;  // labels are for people: nothing depends on them
    for (Trial& trial : relabelled) trial.rationale.source = "another label";
    const Result<void> put_back = game.optimizer_->restore(optimizer_->snapshot(), relabelled);
    EXPECT_TRUE(put_back) << (put_back ? "" : put_back.error().message);
    return game;
  }
  Game replayed() const {
    Game game(space_, options_);
    for (EventId event = 1; event <= event_; ++event) {
      std::size_t asked = 0;
      std::vector<std::pair<TrialId, std::optional<double>>> outcomes;
      for (const Trial& trial : trials_) {
        asked += trial.asked_in == event;
        if (trial.told_in == event) outcomes.emplace_back(trial.id, trial.value());
      }
      if (asked > 0) {
        game.ask(asked);
      } else {
        game.tell(outcomes);
      }
    }
    return game;
  }

  std::vector<TrialId> open() const {
    std::vector<TrialId> ids;
    for (const Trial& trial : trials_) {
      if (trial.told_in == 0) ids.push_back(trial.id);
    }
    return ids;
  }

  const Space& space() const { return space_; }
  const std::vector<Trial>& trials() const { return trials_; }
  Optimizer& optimizer() { return *optimizer_; }

 private:
  Space space_;
  OptimizerOptions options_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<Trial> trials_;
  EventId event_ = 0;
};

inline std::vector<Point> points_of(const std::vector<Trial>& trials) {
  std::vector<Point> points;
  for (const Trial& trial : trials) points.push_back(trial.point);
  return points;
}

}  // namespace vbo::testing
