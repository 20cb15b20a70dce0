// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "cli/ask_and_tell.hpp"
#include "cli/commands.hpp"
#include "cli/evaluator.hpp"
#include "cli/signals.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"
#include "core/spelling.hpp"
#include "core/value_text.hpp"
#include "exec/command_template.hpp"
#include "exec/trial_files.hpp"
#include "report/edges.hpp"

namespace vbo::cli {
namespace {

constexpr auto kLookAround = std::chrono::milliseconds(100);

// The first point random search would try: inside the bounds, and not a special one.
Result<Point> random_point(const StudyFile& file) {
  OptimizerOptions options;
  options.method = "random";
  options.seed = file.study.optimizer.seed;
  const auto random = make_optimizer(file.study.space, options);
  if (!random) return random.error();
  const TrialId first = 1;
  return (*random)->ask({&first, 1}).front().point;
}

std::string command_line(const StudyFile& file, const EvaluateSettings& settings,
                         const Point& point) {
  if (!settings.task.empty()) return "task " + settings.task;
  const auto command = CommandTemplate::make(settings.process.command, file.study.space);
  if (!command) return "";
  std::string line;
  for (const std::string& argument :
       command->expand(point, {.seed = 0, .study_dir = exec::study_dir_of(settings.process)})) {
    line += (line.empty() ? "" : " ") + shell_quoted(argument);
  }
  const std::string& input = settings.process.files.input;
  if (!input.empty()) line += " < " + shell_quoted(input);
  return line;
}

std::optional<Outcome> evaluate(Executor& executor, const Point& point) {
  const std::atomic<int>& interrupts = watch_interrupts();
  executor.submit({.id = 1, .point = point});
  while (interrupts == 0) {
    std::vector<Outcome> ended = executor.wait(kLookAround);
    if (!ended.empty()) return std::move(ended.front());
  }
  executor.cancel();
  return std::nullopt;
}

std::string right(const StudyFile& file) {
  const StudyOptions& study = file.study;
  std::string text = fmt::format(
      "{}: the study file is right: {} parameters, {}, budget {}, method {}\n", file.path,
      study.space.size(), goals_text(study.objectives), study.budget, study.optimizer.method);
  if (study.optimizer.method == "auto") {
    const StudyRecord record{.objectives = study.objectives, .optimizer = study.optimizer};
    if (const auto method = make_optimizer(study.space, record.method_options())) {
      text += "method " + (*method)->report().message + "\n";
    }
  }
  return text;
}

// The point of --at: what it leaves out is as the random point has it.
Result<Point> point_to_check(const StudyFile& file, const std::vector<std::string>& given) {
  Result<Point> point = random_point(file);
  if (!point || given.empty()) return point;
  const Space& space = file.study.space;
  std::vector<std::string> names;
  for (const Parameter& p : space.parameters()) names.push_back(p.name);
  for (const std::string& text : given) {
    const auto parts = assignment(text);
    const auto index = parts ? space.index_of(parts->first) : std::nullopt;
    if (!index) {
      return Error{ErrorKind::invalid_input,
                   parts ? "--at: unknown parameter \"" + parts->first + "\"" +
                               suggestion(parts->first, names)
                         : "--at: found \"" + text + "\", expected NAME=VALUE"};
    }
    Result<Value> value = value_from_text(space[*index], parts->second);
    if (!value) return value.error();
    (*point)[*index] = std::move(*value);
  }
  if (const auto inside = space.check(*point); !inside) return inside.error();
  return point;
}

// As the study would end it: a limit whose metric is missing makes the evaluation fail.
Outcome as_a_study_takes_it(const StudyFile& file, Outcome outcome) {
  const Trial ended =
      ended_by(Trial{}, outcome, file.study.space.limits(), file.study.objectives.size());
  outcome.failure = ended.failure;
  if (outcome.failure) outcome.values.clear();
  return outcome;
}

Json limits_json(const Space& space, const Outcome& outcome) {
  Json json = Json::array();
  if (!outcome.value() && outcome.metrics.empty()) return json;
  for (const LimitAt& at : limits_at(space, outcome.metrics)) json.push_back(json_of(at));
  return json;
}

// How long the study would take if every evaluation took as long as this one.
std::string duration_estimate(const StudyFile& file, double seconds) {
  const double workers =
      static_cast<double>(std::max<std::size_t>(1, file.evaluate->process.workers));
  const double rounds = std::ceil(static_cast<double>(file.study.budget) / workers);
  return fmt::format("study  {} evaluations, {} at a time: about {} if each takes as long\n",
                     file.study.budget, file.evaluate->process.workers,
                     duration_text(rounds * seconds));
}

void print_text(const StudyFile& file, const std::string& command, const Point& point,
                const Outcome& outcome, const Console& console) {
  print_out(right(file));
  print_out("point\n" + point_lines(file.study.space, point, "  "));
  print_out("ran    " + command + "\n");
  for (std::string_view lines = outcome.line; !lines.empty();) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    print_out("line   " + one_line(lines.substr(0, end)) + "\n");
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  if (outcome.value()) {
    const std::string values = values_text(file.study.objectives, outcome.values, short_number);
    print_out(std::string(values_key(file.study.objectives)) +
              (outcome.values.size() > 1 ? " " : "  ") + console.paint(1, Style::good, values) +
              "  in " + duration_text(outcome.seconds) + "\n");
    for (const auto& [name, metric] : outcome.metrics) {
      print_out("metric " + one_line(name) + " = " + short_number(metric) + "\n");
    }
  } else {
    print_out(console.paint(1, Style::bad, "failed") + " " + one_line(outcome.failure->message) +
              "\n");
  }
  if (outcome.value() || !outcome.metrics.empty()) {
    for (const LimitAt& at : limits_at(file.study.space, outcome.metrics)) {
      print_out("limit  " + text_of(at) + "\n");
    }
  }
  if (!outcome.folder.empty()) print_out("files  " + shell_quoted(outcome.folder) + "\n");
  if (outcome.value()) print_out(duration_estimate(file, outcome.seconds));
  if (!outcome.stderr_tail.empty()) {
    print_out("standard error\n" + outcome.stderr_tail +
              (outcome.stderr_tail.ends_with('\n') ? "" : "\n"));
  }
  std::fflush(stdout);
  if (outcome.value() && !console.quiet)
    print_err("\nNext:\n  vbo run " + shell_quoted(file.path) + "\n");
}

// With input files, a parameter in none of them and not in the command is probably forgotten.
void note_forgotten(const StudyFile& file, const ProcessOptions& process) {
  if (process.files.templates.empty()) return;
  const auto files = exec::TrialFiles::make(process, file.study.space);
  const auto command = CommandTemplate::make(process.command, file.study.space);
  if (!files || !command) return;  // said elsewhere
  std::vector<std::size_t> used = files->parameters();
  for (const exec::TextTemplate& argument : command->arguments()) {
    for (const std::size_t index : argument.parameters()) used.push_back(index);
  }
  for (std::size_t i = 0; i < file.study.space.size(); ++i) {
    if (std::ranges::find(used, i) != used.end()) continue;
    const std::string& name = file.study.space[i].name;
    print_err(
        fmt::format("note: {}: parameter \"{}\" stands in no template and not in the command; "
                    "write {{{}}}, or let the program read VBO_PARAMS\n",
                    file.path, one_line(name), one_line(name)));
  }
}

// A study that people evaluate: there is nothing to run, and the point is shown instead.
int check_without_program(const StudyFile& file, const std::vector<std::string>& at, bool json,
                          const Console& console) {
  const Result<Point> point = point_to_check(file, at);
  if (!point) return fail(point.error());
  if (json) {
    print_json({{"study", file.study.name},
                {"command", nullptr},
                {"id", 1},
                {"params", json_of(file.study.space, *point)},
                {values_key(file.study.objectives), nullptr},
                {"metrics", Json::object()},
                {"limits", Json::array()},
                {"seconds", 0.0},
                {"error", nullptr},
                {"stderr", ""}});
    return kDone;
  }
  print_out(right(file) + "point\n" + point_lines(file.study.space, *point, "  ") +
            "ran    nothing: without an [evaluate] table you tell the results\n");
  std::fflush(stdout);
  if (!console.quiet) {
    const std::string path = shell_quoted(file.path);
    print_err("\nNext:\n  vbo ask " + path + "\n  vbo tell " + path + " ID " +
              value_arguments(file.study.objectives) + "\n");
  }
  return kDone;
}

// What is stored of the study, in memory and without trials: opening that takes the settings of a
// file, or refuses them, as opening the storage does, and changes nothing. Null: nothing is stored.
Result<std::unique_ptr<Storage>> settings_alone(const StudyFile& file) {
  std::unique_ptr<Storage> none;
  const Result<std::unique_ptr<Storage>> storage = open_storage(file.study.storage, Access::read);
  if (!storage) {
    if (storage.error().kind == ErrorKind::not_found) return none;
    return storage.error();
  }
  Result<std::optional<StudyRecord>> record = (*storage)->load_study();
  if (!record) return record.error();
  if (!*record) return none;
  (*record)->changes.clear();  // their events are those of the trials
  Result<std::unique_ptr<Storage>> copy = open_storage("memory:", Access::coordinate);
  if (!copy) return copy;
  if (const auto created = (*copy)->create_study(**record); !created) return created.error();
  return copy;
}

// Whether `vbo run` would take the file, and with which settings other than the stored ones.
Result<std::string> change_of_settings(const StudyFile& file) {
  const std::string& storage = file.study.storage;
  // A server may be out of reach from here; what is wrong then is said where the study runs.
  const bool is_url = storage.find("://") != std::string::npos;
  const std::filesystem::path folder = std::filesystem::path(storage).parent_path();
  std::error_code status;
  if (!is_url && !folder.empty() && !std::filesystem::is_directory(folder, status)) {
    const Result<Study> refused = open_study(file);
    return refused ? Result<std::string>("") : refused.error();
  }
  if (!is_url && !std::filesystem::exists(storage, status)) return std::string();
  Result<std::unique_ptr<Storage>> settings = settings_alone(file);
  if (!settings) return is_url ? Result<std::string>("") : settings.error();
  if (!*settings) return std::string();
  StudyOptions options = file.study;
  options.unstated.start = true;  // points may be added at any time
  const Result<Study> study = Study::open(std::move(options), {.storage = std::move(*settings)});
  if (study) return study->change();
  // In the words of vbo run, which say how the results can be kept.
  const Result<Study> refused = open_study(file);
  const bool differs = !refused && refused.error().kind == ErrorKind::conflict;
  return differs ? refused.error() : study.error();
}

int check(const std::string& path, const std::vector<std::string>& at, bool json,
          const Console& console) {
  const Result<StudyFile> file = read_study_file(path);
  if (!file) return fail(file.error());
  const Result<std::string> change = change_of_settings(*file);
  if (!change) return fail(change.error());
  if (!change->empty() && !console.quiet) {
    print_err("note: the study goes on with other settings: " + one_line(*change) + "\n");
  }
  if (!file->evaluate) return check_without_program(*file, at, json, console);
  Result<EvaluateSettings> settings = require_evaluator(*file);
  if (!settings) return fail(settings.error());
  settings->process.workers = 1;
  settings->process.retries = 0;
  settings->process.temporary_retries = 0;
  ProgramFiles& files = settings->process.files;
  if (!files.folder.empty()) {  // what was written and read can be looked at
    files.folder += "/check";
    files.keep = Keep::all;
  }
  const Result<Point> point = point_to_check(*file, at);
  if (!point) return fail(point.error());
  const Result<std::unique_ptr<Executor>> executor = make_executor(*file, *settings);
  if (!executor) return fail(executor.error());
  if (!console.quiet) note_forgotten(*file, settings->process);
  std::optional<Outcome> outcome = evaluate(**executor, *point);
  if (!outcome) return fail(kInterrupted, "interrupted");
  outcome = as_a_study_takes_it(*file, std::move(*outcome));
  const std::string command = command_line(*file, *settings, *point);
  if (json) {
    print_json(
        {{"study", file->study.name},
         {"command", command},
         {"id", outcome->id},
         {"params", json_of(file->study.space, *point)},
         {values_key(file->study.objectives), values_json(file->study.objectives, outcome->values)},
         {"metrics", Json(outcome->metrics)},
         {"limits", limits_json(file->study.space, *outcome)},
         {"seconds", outcome->seconds},
         {"line", outcome->line},
         {"files", outcome->folder.empty() ? Json() : Json(outcome->folder)},
         {"error", outcome->failure ? Json(outcome->failure->message) : Json()},
         {"stderr", outcome->stderr_tail}});
  } else {
    print_text(*file, command, *point, *outcome, console);
  }
  return outcome->value() ? kDone : kFailed;
}

}  // namespace

Action define_check(CLI::App& app, const Console& console) {
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  Arguments arguments(app);
  arguments.positional("FILE", *path, "Study file (.toml)");
  auto at = std::make_shared<std::vector<std::string>>();
  arguments.repeated("--at", *at, "NAME=VALUE", "Evaluate there; what is left out is random");
  arguments.flag("--json", *json, "Print JSON");
  return [path, at, json, &console] { return check(*path, *at, *json, console); };
}

}  // namespace vbo::cli
