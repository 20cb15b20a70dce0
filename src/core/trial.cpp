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

constexpr std::array<std::pair<TrialState, std::string_view>, 4> kStates{{
    {TrialState::waiting, "waiting"},
    {TrialState::running, "running"},
    {TrialState::completed, "completed"},
    {TrialState::failed, "failed"},
}};

constexpr std::array<std::pair<FailureCause, std::string_view>, 8> kCauses{{
    {FailureCause::timeout, "timeout"},
    {FailureCause::crash, "crash"},
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

Outcome Outcome::of(double value) {
  if (std::isfinite(value)) return {.value = value};
  return failed(FailureCause::non_finite,
                "the value is " + to_string(Value(value)) + ", not a finite number");
}

Outcome Outcome::failed(FailureCause cause, std::string message) {
  return {.failure = Failure{cause, std::move(message)}};
}

Trial ended_by(Trial trial, Outcome outcome, std::span<const Limit> limits) {
  trial.seconds = outcome.seconds;
  trial.stderr_tail = std::move(outcome.stderr_tail);
  if (!outcome.failure && !outcome.value) {
    outcome.failure = Failure{FailureCause::no_value, "the evaluation gave no value"};
  }
  if (!outcome.failure) outcome.failure = Outcome::of(*outcome.value).failure;
  for (const Limit& limit : limits) {
    if (outcome.failure || outcome.metrics.contains(limit.metric)) continue;
    outcome.failure = Failure{FailureCause::no_value, "the metric \"" + limit.metric +
                                                          "\" is missing; a constraint needs it"};
  }
  if (outcome.failure) {
    trial.state = TrialState::failed;
    trial.failure = std::move(outcome.failure);
    return trial;
  }
  trial.state = TrialState::completed;
  trial.value = *outcome.value + 0.0;  // -0 becomes 0, which is how SQLite stores it
  trial.metrics = std::move(outcome.metrics);
  return trial;
}

}  // namespace vbo
