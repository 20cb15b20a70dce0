// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>

#include "cli/commands.hpp"
#include "cli/evaluator.hpp"
#include "cli/signals.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"
#include "exec/command_template.hpp"

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
  for (const std::string& argument : command->expand(point)) {
    line += (line.empty() ? "" : " ") + shell_quoted(argument);
  }
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
  return fmt::format("{}: the study file is right: {} parameters, {}, budget {}, method {}\n",
                     file.path, study.space.size(), to_string(study.objectives.front().goal),
                     study.budget, study.optimizer.method);
}

void print_text(const StudyFile& file, const std::string& command, const Point& point,
                const Outcome& outcome, const Console& console) {
  print_out(right(file));
  print_out("point\n" + point_lines(file.study.space, point, "  "));
  print_out("ran    " + command + "\n");
  if (outcome.value()) {
    print_out("value  " + console.paint(1, Style::good, short_number(*outcome.value())) + "  in " +
              duration_text(outcome.seconds) + "\n");
    for (const auto& [name, metric] : outcome.metrics) {
      print_out("metric " + one_line(name) + " = " + short_number(metric) + "\n");
    }
  } else {
    print_out(console.paint(1, Style::bad, "failed") + " " + one_line(outcome.failure->message) +
              "\n");
  }
  if (!outcome.stderr_tail.empty()) {
    print_out("standard error\n" + outcome.stderr_tail +
              (outcome.stderr_tail.ends_with('\n') ? "" : "\n"));
  }
  std::fflush(stdout);
  if (outcome.value() && !console.quiet)
    print_err("\nNext:\n  vbo run " + shell_quoted(file.path) + "\n");
}

// A study that people evaluate: there is nothing to run, and the point is shown instead.
int check_without_program(const StudyFile& file, bool json, const Console& console) {
  const Result<Point> point = random_point(file);
  if (!point) return fail(point.error());
  if (json) {
    print_json({{"study", file.study.name},
                {"command", nullptr},
                {"id", 1},
                {"params", json_of(file.study.space, *point)},
                {"value", nullptr},
                {"metrics", Json::object()},
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
    print_err("\nNext:\n  vbo ask " + path + "\n  vbo tell " + path + " ID VALUE\n");
  }
  return kDone;
}

int check(const std::string& path, bool json, const Console& console) {
  const Result<StudyFile> file = read_study_file(path);
  if (!file) return fail(file.error());
  if (!file->evaluate) return check_without_program(*file, json, console);
  Result<EvaluateSettings> settings = require_evaluator(*file);
  if (!settings) return fail(settings.error());
  settings->process.workers = 1;
  settings->process.retries = 0;
  settings->process.temporary_retries = 0;
  const Result<Point> point = random_point(*file);
  if (!point) return fail(point.error());
  const Result<std::unique_ptr<Executor>> executor = make_executor(*file, *settings);
  if (!executor) return fail(executor.error());
  const std::optional<Outcome> outcome = evaluate(**executor, *point);
  if (!outcome) return fail(kInterrupted, "interrupted");
  const std::string command = command_line(*file, *settings, *point);
  if (json) {
    print_json({{"study", file->study.name},
                {"command", command},
                {"id", outcome->id},
                {"params", json_of(file->study.space, *point)},
                {"value", outcome->value() ? Json(*outcome->value()) : Json()},
                {"metrics", Json(outcome->metrics)},
                {"seconds", outcome->seconds},
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
  arguments.flag("--json", *json, "Print JSON");
  return [path, json, &console] { return check(*path, *json, console); };
}

}  // namespace vbo::cli
