// SPDX-License-Identifier: MIT
#include "vbo/trial.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace vbo {
namespace {

constexpr std::array<std::pair<Goal, std::string_view>, 2> kGoals{{
    {Goal::minimize, "minimize"},
    {Goal::maximize, "maximize"},
}};

constexpr std::array<std::pair<TrialState, std::string_view>, 5> kStates{{
    {TrialState::waiting, "waiting"},
    {TrialState::running, "running"},
    {TrialState::completed, "completed"},
    {TrialState::failed, "failed"},
    {TrialState::stopped, "stopped"},
}};

constexpr std::array<std::pair<FailureCause, std::string_view>, 9> kCauses{{
    {FailureCause::timeout, "timeout"},
    {FailureCause::crash, "crash"},
    {FailureCause::no_program, "no_program"},
    {FailureCause::infeasible, "infeasible"},
    {FailureCause::temporary, "temporary"},
    {FailureCause::no_value, "no_value"},
    {FailureCause::non_finite, "non_finite"},
    {FailureCause::lost, "lost"},
    {FailureCause::reported, "reported"},
}};

template <class Table, class Key>
std::string_view name_in(const Table& table, Key key) {
  for (const auto& [value, name] : table) {
    if (value == key) return name;
  }
  return "?";
}

template <class Key, class Table>
std::optional<Key> key_in(const Table& table, std::string_view text) {
  for (const auto& [value, name] : table) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Goal goal) { return name_in(kGoals, goal); }
std::string_view to_string(TrialState state) { return name_in(kStates, state); }
std::string_view to_string(FailureCause cause) { return name_in(kCauses, cause); }

std::optional<Goal> goal_from(std::string_view text) { return key_in<Goal>(kGoals, text); }
std::optional<TrialState> trial_state_from(std::string_view text) {
  return key_in<TrialState>(kStates, text);
}
std::optional<FailureCause> failure_cause_from(std::string_view text) {
  return key_in<FailureCause>(kCauses, text);
}

Outcome Outcome::of(double value) { return of(std::vector<double>{value}); }

Outcome Outcome::of(std::vector<double> values) {
  for (const double value : values) {
    if (std::isfinite(value)) continue;
    return failed(FailureCause::non_finite,
                  "the value is " + to_string(Value(value)) + ", not a finite number");
  }
  return {.values = std::move(values)};
}

Outcome Outcome::failed(FailureCause cause, std::string message) {
  return {.failure = Failure{cause, std::move(message)}};
}

std::optional<double> Outcome::value() const {
  return values.empty() ? std::nullopt : std::optional(values.front());
}

std::optional<double> Trial::value() const {
  return values.empty() ? std::nullopt : std::optional(values.front());
}

void forget_outcome(Trial& trial) {
  trial.values.clear();
  trial.failure.reset();
  trial.metrics.clear();
  trial.standard_error.clear();
  trial.steps.clear();
  trial.attributes.clear();
}

void move_outcome(Trial& from, Trial& to) {
  to.state = from.state;
  to.values = std::move(from.values);
  to.failure = std::move(from.failure);
  to.metrics = std::move(from.metrics);
  to.standard_error = std::move(from.standard_error);
  to.steps = std::move(from.steps);
  to.attributes = std::move(from.attributes);
}

namespace {

// Why the outcome is no result of a study with so many objectives, if it is none.
std::optional<Failure> flaw_of(const Outcome& outcome, std::span<const Limit> limits,
                               std::size_t objectives) {
  if (outcome.failure) return outcome.failure;
  if (outcome.values.empty()) {
    return Failure{FailureCause::no_value, "the evaluation gave no value"};
  }
  if (outcome.values.size() != objectives) {
    return Failure{FailureCause::no_value, "found " + std::to_string(outcome.values.size()) +
                                               " values, expected " + std::to_string(objectives) +
                                               ", one per objective"};
  }
  if (auto not_finite = Outcome::of(outcome.values).failure) return not_finite;
  for (const Limit& limit : limits) {
    if (outcome.metrics.contains(limit.metric)) continue;
    return Failure{FailureCause::no_value,
                   "the metric \"" + limit.metric + "\" is missing; a constraint needs it"};
  }
  return std::nullopt;
}

}  // namespace

Trial ended_by(Trial trial, Outcome outcome, std::span<const Limit> limits,
               std::size_t objectives) {
  trial.seconds = outcome.seconds;
  trial.stderr_tail = std::move(outcome.stderr_tail);
  trial.steps = std::move(outcome.steps);
  trial.attributes = std::move(outcome.attributes);
  trial.failure = flaw_of(outcome, limits, objectives);
  if (trial.failure) {
    trial.state = TrialState::failed;
    return trial;
  }
  trial.state = outcome.stopped ? TrialState::stopped : TrialState::completed;
  trial.values = std::move(outcome.values);
  for (double& value : trial.values) value += 0.0;  // -0 becomes 0, which is how SQLite stores it
  trial.standard_error = std::move(outcome.standard_error);
  trial.metrics = std::move(outcome.metrics);
  return trial;
}

}  // namespace vbo
