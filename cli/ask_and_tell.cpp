// SPDX-License-Identifier: MIT
#include "cli/ask_and_tell.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "cli/file_kind.hpp"
#include "cli/target.hpp"
#include "core/actual.hpp"
#include "core/limits.hpp"
#include "core/objectives.hpp"
#include "core/spelling.hpp"
#include "core/value_text.hpp"
#include "exec/command_template.hpp"
#include "exec/value_line.hpp"
#include "vbo/study.hpp"

namespace vbo::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A number as an evaluator would print it, nan and inf as NaN; nullopt when it is none.
std::optional<double> told_number(const std::string& text) {
  const std::optional<Outcome> read =
      text.find('{') == std::string::npos ? parse_value_line(text) : std::nullopt;
  if (!read) return std::nullopt;
  return read->value().value_or(std::numeric_limits<double>::quiet_NaN());
}

// Suggestions from whoever coordinates the study: another process that runs it, or somebody else
// who asks, or ourselves, and then for all who wait.
class Asker {
 public:
  explicit Asker(const AskWish& options)
      : options_(options),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(options.wait_seconds))) {}

  Result<Answer> ask() {
    Result<Answer> answer = wait_for_answer();
    if (answer || !queue_ || request_ == 0) return answer;
    // Whoever gives up must not be served later. What has come until now is the answer.
    if (const auto gone = queue_->storage->withdraw_request(request_); gone) {
      Result<std::optional<Answer>> part = look();
      if (part && *part) return std::move(**part);
    }
    return answer;
  }

 private:
  Result<Answer> wait_for_answer() {
    for (;;) {
      if (Result<std::optional<Answer>> answer = look(); !answer) {
        return answer.error();
      } else if (*answer) {
        return std::move(**answer);
      }
      const Result<bool> coordinated = coordinate();
      if (!coordinated) return coordinated.error();
      if (*coordinated) continue;  // our request is answered now
      if (Clock::now() >= end_) return last_;
      if (queue_) {
        const auto waited = queue_->storage->wait(std::chrono::milliseconds(50));
        if (!waited) return waited.error();
      } else {
        usleep(20'000);  // somebody is creating the study
      }
    }
  }

  // Places the request as soon as there is a study to place it in; the answer when it is there.
  Result<std::optional<Answer>> look() {
    if (!queue_) {
      Result<OpenedStudy> opened = open_queue(options_.study, seconds_left());
      if (!opened) {
        const bool not_yet = opened.error().kind == ErrorKind::not_found;
        const bool creates = not_yet && is_study_file(options_.study);
        if (creates || opened.error().kind == ErrorKind::busy) return std::optional<Answer>();
        return opened.error();
      }
      queue_ = std::move(*opened);
      const Result<std::int64_t> placed = place();
      if (!placed) return placed.error();
      request_ = *placed;
    }
    Result<std::optional<std::vector<Trial>>> answer = queue_->storage->load_answer(request_);
    if (!answer) {
      // The coordinator's word: there is nothing left to suggest.
      if (answer.error().kind == ErrorKind::conflict && !options_.results) {
        return std::optional(Answer{queue_->record.space, queue_->record.objectives, {}});
      }
      return answer.error();
    }
    if (!*answer) return std::optional<Answer>();
    return std::optional(
        Answer{queue_->record.space, queue_->record.objectives, std::move(**answer)});
  }

  Result<std::int64_t> place() {
    const std::string& who = me_.text();
    Storage& storage = *queue_->storage;
    if (options_.results) {
      const Result<Delivery> results = options_.results(queue_->record);
      if (!results) return results.error();
      return storage.bring(*results, who);
    }
    if (!options_.over_budget) {
      const Result<TrialCounts> counts = storage.counts();
      if (!counts) return counts.error();
      const std::int64_t there =
          counts->completed + counts->failed + counts->running + counts->waiting;
      const std::int64_t left = std::max<std::int64_t>(0, queue_->record.budget - there);
      if (options_.count > left) {
        return Error{
            ErrorKind::invalid_input,
            "asked for " + std::to_string(options_.count) + ", and the budget of " +
                std::to_string(queue_->record.budget) + " has room for " + std::to_string(left) +
                " more; ask beyond it with --over-budget (over HTTP: \"over_budget\": true)",
            "study.budget"};
      }
    }
    return storage.request(options_.count, who);
  }

  // Answers all requests when nobody else does; false when somebody does.
  Result<bool> coordinate() {
    Result<Study> study = open_to_write(options_.study, options_.threads);
    if (!study) {
      if (study.error().kind != ErrorKind::busy) return study.error();
      last_ = study.error();
      return false;
    }
    if (!queue_) return true;  // created; our request comes next
    const auto answered = study->answer_requests();
    if (!answered) return answered.error();
    const Result<void> closed = study->close();
    return closed ? Result<bool>(true) : closed.error();
  }

  double seconds_left() const {
    return std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count());
  }

  const AskWish& options_;
  const ProcessName me_;
  const Clock::time_point end_;
  std::optional<OpenedStudy> queue_;
  std::int64_t request_ = 0;
  Error last_;  // why we are not the coordinator
};

}  // namespace

Result<Answer> ask_for(const AskWish& wish) { return Asker(wish).ask(); }

std::optional<std::pair<std::string, std::string>> assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::string value_arguments(const std::vector<Objective>& objectives,
                            const std::vector<double>& values) {
  if (objectives.size() < 2) return values.empty() ? "VALUE" : to_string(Value(values.front()));
  std::string text;
  for (std::size_t m = 0; m < objectives.size(); ++m) {
    const std::string number = values.empty() ? "NUMBER" : to_string(Value(values[m]));
    text += (m ? " --value " : "--value ") + shell_quoted(objectives[m].name + "=" + number);
  }
  return text;
}

Result<Outcome> with_errors(Outcome outcome, const std::vector<std::string>& given,
                            const std::vector<Objective>& objectives) {
  if (given.empty() || outcome.values.empty()) return outcome;
  const bool several = objectives.size() > 1;
  std::string expected = "a standard error, 0 or more";
  if (several) {
    expected = "one for each objective, as in";
    for (const Objective& objective : objectives) {
      expected += " --sem " + shell_quoted(objective.name + "=0.1");
    }
  }
  const auto wrong = [&](const std::string& text) {
    return Error{ErrorKind::invalid_input, "--sem: found \"" + text + "\", expected " + expected};
  };
  std::map<std::string, double> numbers;
  for (const std::string& text : given) {
    const auto parts =
        several ? assignment(text) : std::optional(std::pair(objectives.front().name, text));
    const std::optional<double> number = parts ? told_number(parts->second) : std::nullopt;
    if (!number || !std::isfinite(*number) || *number < 0.0) return wrong(text);
    if (!numbers.emplace(parts->first, *number).second) return wrong(text);
  }
  for (const Objective& objective : objectives) {
    const auto found = numbers.find(objective.name);
    if (found == numbers.end()) return wrong(given.front());
    outcome.standard_error.push_back(found->second);
  }
  if (numbers.size() > objectives.size()) return wrong(given.back());
  return outcome;
}

Result<Outcome> with_values(Outcome outcome, const std::vector<std::string>& given,
                            const std::vector<Objective>& objectives) {
  const auto wrong = [&](const std::string& found) {
    return Error{ErrorKind::invalid_input, found + ", expected " + value_arguments(objectives)};
  };
  if (given.empty()) {
    if (outcome.failure || outcome.values.size() == objectives.size()) return outcome;
    return wrong("found one value, and the study has " + std::to_string(objectives.size()) +
                 " objectives");
  }
  std::vector<std::string> names;
  for (const Objective& objective : objectives) names.push_back(objective.name);
  std::map<std::string, double> numbers;
  for (const std::string& text : given) {
    const auto parts = assignment(text);
    if (!parts) return wrong("--value: found \"" + text + "\"");
    if (std::ranges::find(names, parts->first) == names.end()) {
      return Error{ErrorKind::invalid_input, "--value: no objective is called \"" + parts->first +
                                                 "\"" + suggestion(parts->first, names)};
    }
    const std::optional<double> number = told_number(parts->second);
    if (!number) {
      return Error{ErrorKind::invalid_input, "--value: found \"" + parts->second + "\" for \"" +
                                                 parts->first + "\", expected a number"};
    }
    if (!numbers.emplace(parts->first, *number).second) {
      return Error{ErrorKind::invalid_input,
                   "--value: found \"" + parts->first + "\" a second time, expected it once"};
    }
  }
  std::vector<double> values;
  for (const std::string& name : names) {
    const auto found = numbers.find(name);
    if (found == numbers.end()) return wrong("--value: found none of \"" + name + "\"");
    values.push_back(found->second);
  }
  Outcome read = outcome_of(std::move(values), objectives);
  outcome.values = std::move(read.values);
  outcome.failure = std::move(read.failure);
  if (outcome.failure) outcome.metrics.clear();
  return outcome;
}

Error no_such_trial(Storage& storage, TrialId id, const std::string& study_argument) {
  const std::string who = "trial " + std::to_string(id);
  const Result<std::vector<Revision>> revisions = storage.load_revisions();
  if (revisions) {
    for (const Revision& revision : *revisions) {
      if (revision.before.id != id || revision.kind != RevisionKind::dropped) continue;
      return {ErrorKind::not_found,
              who + " was dropped" + (revision.reason.empty() ? "" : " (" + revision.reason + ")") +
                  "; tell a result of its point with: vbo tell " + shell_quoted(study_argument) +
                  " --at NAME=VALUE ... VALUE"};
    }
  }
  return {ErrorKind::not_found, who + " does not exist; the open ones: vbo ask " +
                                    shell_quoted(study_argument) + " --pending"};
}

namespace {

// The trial's point with what was really set.
Result<std::optional<Point>> actual_point(const std::vector<std::string>& given, const Space& space,
                                          const Trial& trial) {
  if (given.empty()) return std::optional<Point>();
  Point point = trial.suggested ? *trial.suggested : trial.point;
  std::vector<std::string> names;
  for (const Parameter& p : space.parameters()) names.push_back(p.name);
  for (const std::string& text : given) {
    const auto parts = assignment(text);
    if (!parts) {
      return Error{ErrorKind::invalid_input,
                   "--actual: found \"" + text + "\", expected NAME=VALUE"};
    }
    const auto index = space.index_of(parts->first);
    if (!index) {
      return Error{ErrorKind::invalid_input, "--actual: unknown parameter \"" + parts->first +
                                                 "\"" + suggestion(parts->first, names)};
    }
    Result<Value> value = value_from_text(without_step(space[*index]), parts->second);
    if (!value) return value.error();
    point[*index] = std::move(*value);
  }
  return std::optional(std::move(point));
}

}  // namespace

Result<Told> tell_result(const TellWish& wish) {
  Result<OpenedStudy> study = open_queue(wish.study, wish.wait_seconds);
  if (!study) return study.error();
  Storage& storage = *study->storage;
  const Result<std::optional<Trial>> stored = storage.load_trial(wish.outcome.id);
  if (!stored) return stored.error();
  if (!*stored) return no_such_trial(storage, wish.outcome.id, wish.study);
  const auto actual = actual_point(wish.actual, study->record.space, **stored);
  if (!actual) return actual.error();
  const std::vector<Objective>& objectives = study->record.objectives;
  Result<Outcome> outcome = with_values(wish.outcome, wish.values, objectives);
  if (outcome) outcome = with_errors(std::move(*outcome), wish.sem, objectives);
  if (!outcome) return outcome.error();
  if (!outcome->failure) {
    const Result<void> complete = check_metrics(study->record.space, outcome->metrics);
    if (!complete) return complete.error();
  }
  const Trial ended =
      told_again(**stored, *outcome, study->record.space.limits(), *actual, objectives.size());
  const bool is_open = !(*stored)->value() && !(*stored)->failure;
  if (wish.replace && !is_open) {
    const Result<void> replaced = storage.replace(ended, *wish.replace);
    return replaced ? Result<Told>({ended, objectives}) : replaced.error();
  }
  const Result<Completion> completed = storage.complete(ended, 0);
  if (completed) return Told{ended, objectives};
  Error error = completed.error();
  if (error.kind == ErrorKind::conflict) {
    error.message += ". If that is wrong, replace it: vbo tell " + shell_quoted(wish.study) + " " +
                     std::to_string(ended.id) + " " +
                     (ended.value() ? value_arguments(objectives, ended.values) : "--fail REASON") +
                     " --replace REASON";
  }
  return error;
}

}  // namespace vbo::cli
