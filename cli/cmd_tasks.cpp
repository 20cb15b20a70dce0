// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>

#include "bench/record.hpp"
#include "cli/commands.hpp"
#include "cli/task_point.hpp"
#include "cli/trial_json.hpp"
#include "tasks/show.hpp"
#include "tasks/task.hpp"

namespace vbo::cli {
namespace {

Json task_json(const tasks::TaskInfo& task) {
  Json options = Json::array();
  for (const tasks::TaskOption& option : task.options) {
    options.push_back({{"name", option.name},
                       {"default", option.preset},
                       {"range", option.range},
                       {"summary", option.summary}});
  }
  return {{"name", task.name},
          {"summary", task.summary},
          {"goal", to_string(task.goal)},
          {"source", task.source},
          {"noise", task.noise},
          {"optimum", task.optimum ? Json(task.optimum->value) : Json()},
          {"proven", task.optimum ? Json(task.optimum->proven) : Json()},
          {"built", task.built},
          {"options", options}};
}

int list_tasks(bool json) {
  const std::vector<tasks::TaskInfo> all = tasks::all_tasks();
  if (json) {
    Json list = Json::array();
    for (const tasks::TaskInfo& task : all) list.push_back(task_json(task));
    print_json(list);
    return kDone;
  }
  std::size_t width = 0;
  for (const tasks::TaskInfo& task : all) width = std::max(width, task.name.size());
  for (const tasks::TaskInfo& task : all) {
    print_out(fmt::format("{:<{}}  {}\n", task.name, width, task.summary));
  }
  return kDone;
}

std::string range_of(const Parameter& p) {
  if (p.has_choices()) {
    std::string choices;
    for (const Value& choice : p.choices)
      choices += (choices.empty() ? "" : " | ") + to_string(choice);
    return choices;
  }
  return fmt::format("{} from {} to {}", p.kind == ParameterKind::real ? "float" : "int",
                     number_text(p.low), number_text(p.high));
}

// Runs of parameters with the same range share a line: "x1 ... x10".
std::string parameter_lines(const Space& space) {
  std::string text;
  for (std::size_t first = 0; first < space.size();) {
    std::size_t last = first;
    while (last + 1 < space.size() && range_of(space[last + 1]) == range_of(space[first])) ++last;
    std::string names = space[first].name;
    if (last > first) names += (last > first + 1 ? " ... " : ", ") + space[last].name;
    text += fmt::format("  {:<14}  {}\n", names, range_of(space[first]));
    first = last + 1;
  }
  return text;
}

int describe_task(const std::string& spec, bool json) {
  const Result<std::unique_ptr<tasks::Task>> task = tasks::make_task(spec);
  if (!task) return fail(task.error());
  const tasks::TaskInfo& info = (*task)->info();
  if (json) {
    Json all = task_json(info);
    all["spec"] = info.spec;
    all["parameters"] = json_of((*task)->space());
    print_json(all);
    return kDone;
  }
  std::string text = fmt::format("{}: {}\n\n", info.name, info.summary);
  text += fmt::format("goal     {}\n", to_string(info.goal));
  if (info.optimum) {
    text += fmt::format("optimum  {}{}\n", number_text(info.optimum->value),
                        info.optimum->proven ? "" : " (best known)");
  }
  text += info.noise > 0.0 ? fmt::format("noise    about {}\n", short_number(info.noise))
                           : std::string("noise    none\n");
  text += fmt::format("source   {}\n\n{} parameters:\n{}\noptions, as in \"{}?{}={}\":\n",
                      info.source, (*task)->space().size(), parameter_lines((*task)->space()),
                      info.name, info.options.front().name, "1");
  for (const tasks::TaskOption& option : info.options) {
    text += fmt::format("  {} = {}   ({})\n      {}\n", option.name, option.preset, option.range,
                        option.summary);
  }
  print_out(text);
  return kDone;
}

struct TaskArguments {
  std::string name;
  TaskPointArguments at;
  std::uint64_t seed = 0;
  std::string output;
  bool json = false;
};

int evaluate_task(const TaskArguments& arguments) {
  const Result<std::unique_ptr<tasks::Task>> task = tasks::make_task(arguments.name);
  if (!task) return fail(task.error());
  const Result<Point> point = task_point(**task, arguments.at);
  if (!point) return fail(point.error());
  Rng rng = tasks::evaluation_rng(arguments.seed);
  const auto start = std::chrono::steady_clock::now();
  const double value = (*task)->evaluate(*point, rng);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (!arguments.json) {
    print_out(number_text(value) + "\n");
    return kDone;
  }
  const tasks::TaskInfo& info = (*task)->info();
  print_json({{"task", info.spec},
              {"value", value},
              {"params", json_of((*task)->space(), *point)},
              {"goal", to_string(info.goal)},
              {"optimum", info.optimum ? Json(info.optimum->value) : Json()},
              {"seed", arguments.seed},
              {"seconds", taken.count()}});
  return kDone;
}

int show_task(const TaskArguments& arguments, const Console& console) {
  const bool html = arguments.output.ends_with(".html");
  if (!arguments.output.empty() && !html && !arguments.output.ends_with(".svg")) {
    return fail(kWrongUsage, "--output: found \"" + arguments.output +
                                 "\", expected a name that ends in .svg or .html");
  }
  const Result<std::unique_ptr<tasks::Task>> task = tasks::make_task(arguments.name);
  if (!task) return fail(task.error());
  TaskPointArguments at = arguments.at;
  const bool known = (*task)->info().optimum && !(*task)->info().optimum->points.empty();
  if (at.at.empty()) at.at = known ? "optimum" : "middle";
  const Result<Point> point = task_point(**task, at);
  if (!point) return fail(point.error());
  const Result<std::string> picture = tasks::show(**task, *point, arguments.seed);
  if (!picture) return fail(picture.error());
  const std::string text = html ? tasks::html_page((*task)->info().spec, *picture) : *picture;
  if (arguments.output.empty()) {
    print_out(text);
    return kDone;
  }
  if (const auto written = bench::write_file(arguments.output, text); !written) {
    return fail(written.error());
  }
  if (!console.quiet) print_err("wrote " + arguments.output + "\n");
  return kDone;
}

void add_point_options(CLI::App& app, TaskArguments& arguments, const char* seed_note) {
  app.add_option("NAME", arguments.name, "Task, with its options: \"ackley?dim=20&shift=3\"")
      ->required();
  app.add_option("--set", arguments.at.set,
                 "Value of one parameter, by name or as x1, x2, ...; repeat it")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--point", arguments.at.point, "Values of all parameters in order, with commas")
      ->type_name("LIST");
  app.add_option("--at", arguments.at.at,
                 "Where the parameters are that were not set: optimum, middle or random")
      ->check(CLI::IsMember({"optimum", "middle", "random"}))
      ->type_name("PLACE");
  app.add_option("--seed", arguments.seed, seed_note)->type_name("N")->default_str("0");
}

}  // namespace

Action define_tasks(CLI::App& app, const Console& console) {
  struct State {
    Action chosen;
    std::string name;
    bool json = false;
    TaskArguments eval, show;
  };
  auto state = std::make_shared<State>();
  app.add_option("NAME", state->name, "Show this task, its parameters and its options");
  app.add_flag("--json", state->json, "Print JSON");

  CLI::App* const eval = app.add_subcommand("eval", "Evaluate a task at one point");
  eval->footer(
      "JSON:\n  {\"task\", \"value\", \"params\", \"goal\", \"optimum\", \"seed\", \"seconds\"}");
  add_point_options(*eval, state->eval, "What is random in the evaluation, and --at random");
  eval->add_flag("--json", state->eval.json, "Print JSON");
  eval->final_callback([s = state.get()] {
    s->chosen = [s] {
      s->eval.at.seed = s->eval.seed;
      return evaluate_task(s->eval);
    };
  });

  CLI::App* const show = app.add_subcommand("show", "Draw what one evaluation of a task does");
  show->footer(
      "Parameters that are not set stand at the best known point. Without -o the SVG goes to\n"
      "standard output.");
  add_point_options(*show, state->show,
                    "What is random in the evaluation; the episode, 0 to 49, of lunar-lander");
  show->add_option("-o,--output", state->show.output, "File to write, .svg or .html")
      ->type_name("FILE");
  show->final_callback([s = state.get(), &console] {
    s->chosen = [s, &console] {
      s->show.at.seed = s->show.seed;
      return show_task(s->show, console);
    };
  });

  return [state] {
    if (state->chosen) return state->chosen();
    return state->name.empty() ? list_tasks(state->json) : describe_task(state->name, state->json);
  };
}

}  // namespace vbo::cli
