// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/trial_json.hpp"
#include "tasks/task.hpp"

namespace vbo::cli {
namespace {

Json task_json(const tasks::TaskInfo& task) {
  return {{"name", task.name},
          {"summary", task.summary},
          {"goal", goal_text(task.goal)},
          {"source", task.source},
          {"noise", task.noise},
          {"optimum", task.optimum ? Json(task.optimum->value) : Json()}};
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

}  // namespace

Action define_tasks(CLI::App& app, const Console&) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "Print JSON");
  return [json] { return list_tasks(*json); };
}

}  // namespace vbo::cli
