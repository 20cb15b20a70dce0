// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>

#include "core/spelling.hpp"
#include "tasks/brusselator.hpp"
#include "tasks/combinatorial.hpp"
#include "tasks/engineering.hpp"
#include "tasks/function_task.hpp"
#include "tasks/interferometer.hpp"
#include "tasks/lunar_lander.hpp"
#include "tasks/peaks.hpp"
#include "tasks/pest_control.hpp"
#include "tasks/synthetic.hpp"

namespace vbo::tasks {
namespace {

struct Entry {
  std::string name;
  std::function<std::unique_ptr<BasicTask>(TaskOptions&)> make;
};

#ifdef VBO_HAVE_BOX2D
constexpr auto make_lunar_lander = &lunar::make_lunar_lander;
#else
// Listed, so that its absence can be explained, but nothing to evaluate.
std::unique_ptr<BasicTask> make_lunar_lander(TaskOptions&) { return nullptr; }
#endif

const std::vector<Entry>& registered() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> entries = {{"branin", make_branin},
                                  {"hartmann6", make_hartmann6},
                                  {"ackley10", make_ackley10},
                                  {"brusselator", brusselator::make_brusselator},
                                  {"interferometer", interferometer::make_interferometer},
                                  {"lunar-lander", make_lunar_lander},
                                  {"pest-control", pest::make_pest_control}};
    for (const Classic& classic : classic_functions()) {
      entries.push_back({std::string(classic.name), [&classic](TaskOptions& options) {
                           return make_function_task(classic, options);
                         }});
    }
    entries.push_back({"peaks", make_peaks});
    entries.push_back({"mixed", make_mixed});
    entries.push_back({"switches", make_switches});
    entries.push_back({"labs", make_labs});
    entries.push_back({"ising", make_ising});
    entries.push_back({"welded-beam", make_welded_beam});
    entries.push_back({"pressure-vessel", make_pressure_vessel});
    entries.push_back({"speed-reducer", make_speed_reducer});
    entries.push_back({"tension-spring", make_tension_spring});
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
  if (!task) {
    return Error{ErrorKind::unsupported, "task \"" + entry->name +
                                             "\" needs Box2D, which this build of vbo lacks; "
                                             "install libbox2d-dev and build again"};
  }
  Result<std::vector<TaskOption>> known = options->finish();
  if (!known) return known.error();
  task->complete(std::string(spec), *known, noise);
  return std::unique_ptr<Task>(std::move(task));
}

std::vector<TaskInfo> all_tasks() {
  std::vector<TaskInfo> infos;
  for (const Entry& entry : registered()) {
    if (const auto task = make_task(entry.name)) {
      infos.push_back((*task)->info());
      continue;
    }
    TaskInfo info = lunar::description();  // the only one that can be missing
    info.spec = info.name;
    info.summary += " (not built: needs Box2D)";
    info.built = false;
    infos.push_back(std::move(info));
  }
  return infos;
}

}  // namespace vbo::tasks
