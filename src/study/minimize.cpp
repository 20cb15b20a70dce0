// SPDX-License-Identifier: MIT
#include "vbo/minimize.hpp"

#include <algorithm>

#include "core/spelling.hpp"
#include "vbo/executor.hpp"
#include "vbo/study.hpp"

namespace vbo {
namespace {

std::string kind_of(const Value& value) {
  struct {
    std::string operator()(double) const { return "a real number"; }
    std::string operator()(std::int64_t) const { return "a whole number"; }
    std::string operator()(const std::string&) const { return "a text"; }
    std::string operator()(bool) const { return "true or false"; }
  } kind;
  return std::visit(kind, value);
}

Result<Solution> solve(const NamedFunction& function, const Space& space,
                       const SolveOptions& options, Goal goal) {
  if (options.workers < 1) {
    return Error{ErrorKind::invalid_input, "workers is 0, expected at least 1", "workers"};
  }
  StudyOptions asked;
  asked.space = space;
  asked.objectives = {Objective{.goal = goal}};
  asked.budget = options.evaluations;
  asked.optimizer = options.optimizer;
  asked.optimizer.batch =
      std::max(options.optimizer.batch, static_cast<std::int64_t>(options.workers));
  asked.storage = options.storage;
  Result<Study> study = Study::open(std::move(asked));
  if (!study) return study.error();

  const auto executor = make_function_executor(
      [&](const Point& point) { return function(NamedPoint(space, point)); }, options.workers);
  std::string last_failure;
  RunOptions run{.stop = options.stop, .interrupts = options.interrupts};
  run.on_finished = [&](const Trial& trial) {
    if (trial.failure) last_failure = trial.failure->message;
    if (options.on_finished) options.on_finished(trial);
  };
  const Result<RunEnd> end = study->run(*executor, run);
  if (!end) return end.error();
  const Result<std::optional<Trial>> best = study->best();
  if (!best) return best.error();
  const Result<TrialCounts> counts = study->counts();
  if (!counts) return counts.error();
  if (!*best) {
    const std::string why = last_failure.empty() ? "" : ", the last one with: " + last_failure;
    return Error{ErrorKind::not_found,
                 "none of " + std::to_string(counts->ended()) + " evaluations succeeded" + why};
  }
  return Solution{.value = *(*best)->value(),
                  .trial = **best,
                  .space = space,
                  .end = *end,
                  .evaluations = counts->ended()};
}

}  // namespace

void NamedValue::refuse(const char* wanted) const {
  throw BadResult(
      {ErrorKind::invalid_input,
       "parameter \"" + parameter_.name + "\": found " + kind_of(value_) + ", expected " + wanted,
       parameter_.name});
}

double NamedValue::number() const {
  if (const auto* real = std::get_if<double>(&value_)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
  refuse("a number");
}

std::int64_t NamedValue::integer() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return *whole;
  refuse("a whole number");
}

const std::string& NamedValue::text() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  refuse("a text");
}

bool NamedValue::flag() const {
  if (const auto* flag = std::get_if<bool>(&value_)) return *flag;
  refuse("true or false");
}

NamedValue NamedPoint::operator[](std::string_view name) const {
  if (const auto at = space_.index_of(name)) return {space_[*at], point_[*at]};
  std::vector<std::string> names;
  for (const Parameter& parameter : space_.parameters()) names.push_back(parameter.name);
  throw BadResult({ErrorKind::invalid_input,
                   "unknown parameter \"" + std::string(name) + "\"" + suggestion(name, names),
                   std::string(name)});
}

Result<Solution> minimize(const NamedFunction& function, const Space& space,
                          const SolveOptions& options) {
  return solve(function, space, options, Goal::minimize);
}

Result<Solution> maximize(const NamedFunction& function, const Space& space,
                          const SolveOptions& options) {
  return solve(function, space, options, Goal::maximize);
}

}  // namespace vbo
