// SPDX-License-Identifier: MIT
#include <utility>

#include "cli/ask_and_tell.hpp"
#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/delivery.hpp"
#include "core/one_line.hpp"
#include "core/spelling.hpp"
#include "core/value_text.hpp"
#include "exec/value_line.hpp"

namespace vbo::cli {
namespace {

struct TellArguments {
  std::string study;
  TrialId id = 0;
  std::string id_text;
  std::string value;
  std::vector<std::string> values;   // NAME=NUMBER, one per objective
  std::vector<std::string> sem;      // NUMBER, or NAME=NUMBER, one per objective
  std::vector<std::string> metrics;  // NAME=VALUE
  std::vector<std::string> at;       // NAME=VALUE, one per parameter
  std::vector<std::string> actual;   // NAME=VALUE
  std::string reason;
  std::string replace;
  double wait = kWaitSeconds;
  bool json = false;
};

// A number as an evaluator would print it; nullopt when it is none.
std::optional<Outcome> parse_value(const std::string& text) {
  if (text.find('{') != std::string::npos) return std::nullopt;
  return parse_value_line(text);
}

Result<void> read_metrics(const std::vector<std::string>& given, Outcome& outcome) {
  for (const std::string& text : given) {
    const auto parts = assignment(text);
    const std::optional<Outcome> number = parts ? parse_value(parts->second) : std::nullopt;
    if (!number || number->values.empty()) {
      return Error{ErrorKind::invalid_input,
                   "--metric: found \"" + text + "\", expected NAME=NUMBER, as in stress=240"};
    }
    if (!outcome.failure) outcome.metrics[parts->first] = number->values.front();
  }
  return {};
}

Result<Point> point_at(const std::vector<std::string>& given, const Space& space) {
  std::vector<std::optional<Value>> values(space.size());
  std::vector<std::string> names;
  for (const Parameter& p : space.parameters()) names.push_back(p.name);
  for (const std::string& text : given) {
    const auto parts = assignment(text);
    if (!parts) {
      return Error{ErrorKind::invalid_input, "--at: found \"" + text + "\", expected NAME=VALUE"};
    }
    const auto index = space.index_of(parts->first);
    if (!index) {
      return Error{ErrorKind::invalid_input, "--at: unknown parameter \"" + parts->first + "\"" +
                                                 suggestion(parts->first, names)};
    }
    Result<Value> value = value_from_text(space[*index], parts->second);
    if (!value) return value.error();
    values[*index] = std::move(*value);
  }
  Point point;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (!values[i]) {
      return Error{ErrorKind::invalid_input, "--at: found no value of \"" + space[i].name +
                                                 "\", expected one for every parameter"};
    }
    point.push_back(std::move(*values[i]));
  }
  return point;
}

// A point nobody suggested; answers with the trial it became.
Result<Told> store_at(const TellArguments& options, const Outcome& given) {
  const auto results = [&](const StudyRecord& record) -> Result<Delivery> {
    Result<Outcome> outcome = with_values(given, options.values, record.objectives);
    if (outcome) outcome = with_errors(std::move(*outcome), options.sem, record.objectives);
    if (!outcome) return outcome.error();
    Result<Point> point = point_at(options.at, record.space);
    if (!point) return point.error();
    if (const auto inside = record.space.check(*point); !inside) return inside.error();
    return Delivery{.results = {{std::move(*point), std::move(*outcome)}}};
  };
  Result<Answer> answer =
      ask_for({.study = options.study, .wait_seconds = options.wait, .results = results});
  if (!answer) return answer.error();
  if (answer->trials.empty()) {
    return Error{ErrorKind::conflict, "the result was not stored; tell it again"};
  }
  return Told{std::move(answer->trials.front()), std::move(answer->objectives)};
}

void print_told(const Told& told, bool json) {
  const Trial& trial = told.trial;
  if (json) {
    print_json({{"id", trial.id},
                {"state", to_string(trial.state)},
                {values_key(told.objectives), values_json(told.objectives, trial.values)},
                {"error", trial.failure ? Json(trial.failure->message) : Json()}});
    return;
  }
  print_out("trial " + std::to_string(trial.id) +
            (trial.failure
                 ? " failed: " + one_line(trial.failure->message)
                 : " completed: " + values_text(told.objectives, trial.values, number_text)) +
            "\n");
}

int tell(TellArguments options) {
  if (options.at.empty()) {
    const Result<Value> id =
        value_from_text(Parameter::integer("ID", 1, std::int64_t{1} << 53U), options.id_text);
    if (!id) {
      return fail(kWrongUsage, "ID: found \"" + options.id_text +
                                   "\", expected the number of a suggestion, as in: "
                                   "vbo tell study.db 7 1.25");
    }
    options.id = std::get<std::int64_t>(*id);
  } else {
    if (!options.value.empty() || (!options.id_text.empty() && !options.values.empty())) {
      return fail(kWrongUsage, "found an ID and --at, expected one of them");
    }
    if (!options.actual.empty() || !options.replace.empty()) {
      return fail(kWrongUsage,
                  "found --at and " +
                      std::string(options.actual.empty() ? "--replace" : "--actual") +
                      ", which tells the result of a suggestion: expected its ID instead of --at");
    }
    options.value = std::exchange(options.id_text, {});
  }
  const bool failed = !options.reason.empty();
  const bool has_value = !options.value.empty() || !options.values.empty();
  if (failed && has_value) {
    return fail(kWrongUsage, "found both a value and --fail, expected one of them");
  }
  if (!options.value.empty() && !options.values.empty()) {
    return fail(kWrongUsage, "found both VALUE and --value, expected one of them");
  }
  if (!failed && !has_value) {
    return fail(kWrongUsage,
                "found neither a value nor --fail, expected one of them, as in: "
                "vbo tell study.db 7 1.25");
  }
  Outcome outcome;
  if (failed) outcome = Outcome::failed(FailureCause::reported, options.reason);
  if (!options.value.empty()) {
    std::optional<Outcome> parsed = parse_value(options.value);
    if (!parsed) {
      return fail(kWrongUsage, "VALUE: found \"" + options.value + "\", expected a number");
    }
    outcome = *std::move(parsed);
  }
  if (const auto read = read_metrics(options.metrics, outcome); !read) return fail(read.error());
  if (failed && !options.sem.empty()) {
    return fail(kWrongUsage, "--sem: found \"" + options.sem.front() +
                                 "\" beside --fail, expected it beside a value");
  }
  outcome.id = options.id;
  TellWish wish{.study = options.study,
                .outcome = outcome,
                .values = options.values,
                .sem = options.sem,
                .actual = options.actual,
                .wait_seconds = options.wait};
  if (!options.replace.empty()) wish.replace = options.replace;
  const Result<Told> told = options.at.empty() ? tell_result(wish) : store_at(options, outcome);
  if (!told) return fail(told.error());
  print_told(*told, options.json);
  return kDone;
}

}  // namespace

Action define_tell(CLI::App& app, const Console&) {
  auto options = std::make_shared<TellArguments>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Storage (.db) or study file (.toml)");
  arguments.optional_positional("ID", options->id_text, "The suggestion's id; not with --at");
  arguments.optional_positional("VALUE", options->value, "The result, a number");
  arguments.repeated("--value", options->values, "NAME=NUMBER",
                     "Instead of VALUE: the value of an objective; repeat it for each");
  arguments.option("--fail", options->reason, "REASON", "The evaluation failed, and why");
  arguments.repeated(
      "--sem", options->sem, "NUMBER",
      "The standard error of the result; of several objectives NAME=NUMBER for each");
  arguments.repeated("--metric", options->metrics, "NAME=NUMBER",
                     "A further measurement; repeat it");
  arguments.repeated(
      "--at", options->at, "NAME=VALUE",
      "Instead of an ID: a point that was not suggested; repeat it for every parameter");
  arguments.repeated("--actual", options->actual, "NAME=VALUE",
                     "What was really set, where that is not what was suggested; repeat it");
  arguments.option("--replace", options->replace, "REASON",
                   "Replace the stored result, and why; the log keeps both");
  arguments.option("--wait", options->wait, "SECONDS",
                   "How long to wait for other processes that write", 0.0, kLongestWait);
  arguments.flag("--json", options->json, "Print JSON");
  return [options] { return tell(*options); };
}

}  // namespace vbo::cli
