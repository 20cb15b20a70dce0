// SPDX-License-Identifier: MIT
#include "study/file/objective_tables.hpp"

#include <algorithm>

#include "core/objectives.hpp"

namespace vbo {
namespace {

TomlField field_of(const std::string& name) {
  return {"objective \"" + name + "\"", "objective." + name};
}

Objective read_objective(const toml::table& table, std::size_t index, TomlErrors& errors) {
  const auto given = table["name"].value_exact<std::string>();
  const TomlField prefix =
      given ? field_of(*given) : TomlField("objective[" + std::to_string(index) + "]");
  TomlTable reader(table, prefix, {"name", "goal", "reference"}, errors);
  Objective objective;
  if (!reader.find("name")) reader.missing("name", "a text in quotes");
  objective.name = reader.text("name").value_or("");
  if (!errors.any() && !is_objective_name(objective.name)) {
    errors.add_found(*reader.find("name"), reader.field("name"), kObjectiveNames);
  }
  constexpr const char* goals = "\"minimize\" or \"maximize\"";
  if (!reader.find("goal")) reader.missing("goal", goals);
  const auto goal = goal_from(reader.text("goal").value_or("minimize"));
  if (goal) {
    objective.goal = *goal;
  } else {
    errors.add_found(*reader.find("goal"), reader.field("goal"), goals);
  }
  objective.reference = reader.finite("reference");
  return objective;
}

}  // namespace

void read_objectives(const toml::table& root, StudyFile& file, TomlErrors& errors) {
  const toml::node* node = root.get("objective");
  if (!node) return;
  constexpr const char* tables = "one [[objective]] table per objective";
  const toml::array* array = node->as_array();
  if (!array) return errors.add_found(*node, "objective", tables);
  if (const toml::node* goal = root["study"]["goal"].node()) {
    return errors.add(goal, "study.goal",
                      "found a goal beside [[objective]] tables, expected the goal of each "
                      "objective in its table");
  }
  if (array->size() < 2 || array->size() > kMostObjectives) {
    return errors.add(node, "objective",
                      "found " + std::to_string(array->size()) + " [[objective]] table" +
                          (array->size() == 1 ? "" : "s") + ", expected 2 to " +
                          std::to_string(kMostObjectives) + "; one objective is study.goal alone");
  }
  if (const toml::node* task = root["evaluate"]["task"].node()) {
    return errors.add(task, "evaluate.task",
                      "found a task beside [[objective]] tables, expected a command: built-in "
                      "tasks have one objective");
  }
  if (const toml::node* value = root["stop"]["value"].node()) {
    return errors.add(value, "stop.value",
                      "found a value to stop at beside [[objective]] tables, expected none: it "
                      "is for one objective");
  }
  std::vector<Objective> objectives;
  for (const toml::node& element : *array) {
    const toml::table* table = element.as_table();
    if (!table) return errors.add_found(element, "objective", tables);
    Objective objective = read_objective(*table, objectives.size() + 1, errors);
    if (errors.any()) return;
    const TomlField prefix = field_of(objective.name);
    const TomlField field(prefix.shown + ".name", prefix.path + ".name");
    const std::string found = "found \"" + objective.name + "\"";
    if (std::ranges::find(objectives, objective.name, &Objective::name) != objectives.end()) {
      return errors.add(table->get("name"), field,
                        found + " a second time, expected all names to be different");
    }
    if (file.study.space.index_of(objective.name)) {
      return errors.add(table->get("name"), field,
                        found + ", which is a parameter, expected another name");
    }
    objectives.push_back(std::move(objective));
  }
  if (file.evaluate) file.evaluate->process.objectives = objectives;
  file.study.objectives = std::move(objectives);
}

}  // namespace vbo
