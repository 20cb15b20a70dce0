// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>

#include "core/spelling.hpp"
#include "tasks/combinatorial.hpp"
#include "tasks/function_task.hpp"
#include "tasks/synthetic.hpp"

namespace vbo::tasks {
namespace {

struct Entry {
  std::string name;
  std::function<std::unique_ptr<BasicTask>(TaskOptions&)> make;
};

const std::vector<Entry>& registered() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> entries = {
        {"branin", make_branin}, {"hartmann6", make_hartmann6}, {"ackley10", make_ackley10}};
    for (const Classic& classic : classic_functions()) {
      entries.push_back({std::string(classic.name), [&classic](TaskOptions& options) {
                           return make_function_task(classic, options);
                         }});
    }
    entries.push_back({"mixed", make_mixed});
    entries.push_back({"labs", make_labs});
    entries.push_back({"ising", make_ising});
    return entries;
  }();
  return all;
}

Error unknown_task(const std::string& name) {
  const std::vector<Entry>& all = registered();
  const auto closest = std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return edit_distance(a.name, name) < edit_distance(b.name, name);
  });
  std::string message = "unknown task \"" + name + "\", ";
  if (edit_distance(closest->name, name) <= 2) {
    message += "did you mean \"" + closest->name + "\"?";
  } else {
    message += "expected one of";
    for (const Entry& e : all) message += " " + e.name;
  }
  return {ErrorKind::invalid_input, message};
}

}  // namespace

Result<std::unique_ptr<Task>> make_task(std::string_view spec) {
  Result<TaskOptions> options = TaskOptions::parse(spec);
  if (!options) return options.error();
  const std::vector<Entry>& all = registered();
  const auto entry = std::find_if(all.begin(), all.end(),
                                  [&](const Entry& e) { return e.name == options->name(); });
  if (entry == all.end()) return unknown_task(options->name());
  const double noise =
      options->number("noise", 0.0, 0.0, 1e100, "standard deviation of noise added to the value");
  std::unique_ptr<BasicTask> task = entry->make(*options);
  Result<std::vector<TaskOption>> known = options->finish();
  if (!known) return known.error();
  task->complete(std::string(spec), *known, noise);
  return std::unique_ptr<Task>(std::move(task));
}

std::vector<TaskInfo> all_tasks() {
  std::vector<TaskInfo> infos;
  for (const Entry& entry : registered()) {
    infos.push_back(make_task(entry.name).value()->info());
  }
  return infos;
}

}  // namespace vbo::tasks
