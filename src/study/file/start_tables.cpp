// SPDX-License-Identifier: MIT
#include "study/file/start_tables.hpp"

#include "core/axis.hpp"
#include "study/start.hpp"

namespace vbo {
namespace {

// In the type the parameter has; nullopt when it is none of its values.
std::optional<Value> value_of(const Parameter& parameter, const toml::node& node) {
  std::vector<Value> readings;
  if (const auto text = node.value_exact<std::string>()) readings.emplace_back(*text);
  if (const auto flag = node.value_exact<bool>()) readings.emplace_back(*flag);
  if (const auto whole = node.value_exact<std::int64_t>()) {
    readings.emplace_back(*whole);
    readings.emplace_back(static_cast<double>(*whole));
  }
  if (const auto number = node.value_exact<double>()) readings.emplace_back(*number);
  for (const Value& value : readings) {
    if (is_value_of(parameter, value)) return value;
  }
  return std::nullopt;
}

std::string expected_of(const Parameter& parameter) {
  if (parameter.has_choices()) {
    std::string list = "one of";
    for (const Value& choice : parameter.choices) list += " " + to_string(choice);
    return list;
  }
  std::string text = parameter.kind == ParameterKind::integer ? "a whole number" : "a number";
  text += " from " + to_string(Value(parameter.low)) + " to " + to_string(Value(parameter.high));
  if (parameter.step > 0.0) text += " in steps of " + to_string(Value(parameter.step));
  return text;
}

}  // namespace

void read_start(const toml::table& root, StudyFile& file, TomlErrors& errors) {
  const toml::node* node = root.get("start");
  if (!node) return;
  const toml::array* array = node->as_array();
  if (!array) return errors.add_found(*node, "start", "one [[start]] table per point");
  const Space& space = file.study.space;
  std::vector<std::string> names;
  for (const Parameter& p : space.parameters()) names.push_back(p.name);
  std::vector<const toml::table*> tables;
  for (const toml::node& element : *array) {
    const toml::table* table = element.as_table();
    if (!table) return errors.add_found(element, "start", "a [[start]] table");
    const std::string number = std::to_string(tables.size() + 1);
    const TomlTable reader(*table, {"start " + number, "start." + number}, names, errors);
    tables.push_back(table);
    PartialPoint& point = file.study.start.emplace_back(space.size());
    for (std::size_t i = 0; i < space.size(); ++i) {
      const toml::node* given = table->get(space[i].name);
      if (!given) continue;
      point[i] = value_of(space[i], *given);
      if (!point[i]) {
        errors.add_found(
            *given,
            {"start " + number + "." + space[i].name, "start." + number + "." + space[i].name},
            expected_of(space[i]));
      }
    }
  }
  if (errors.any()) return;
  if (const auto checked = check_start(space, file.study.start); !checked) {
    const toml::node* where = node;
    for (std::size_t k = 0; k < tables.size(); ++k) {
      if (checked.error().field == "start." + std::to_string(k + 1)) where = tables[k];
    }
    errors.add(where, checked.error().field, checked.error());
  }
}

}  // namespace vbo
