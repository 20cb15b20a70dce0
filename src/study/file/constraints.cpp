// SPDX-License-Identifier: MIT
#include "study/file/constraints.hpp"

#include <cmath>

#include "core/json.hpp"

namespace vbo {
namespace {

struct Constraints {
  std::vector<std::string> required;
  std::vector<const toml::table*> tables;  // of the required ones
  std::vector<Limit> limits;
};

void read_require(const toml::table& table, const TomlField& field, Constraints& found,
                  TomlErrors& errors) {
  TomlTable reader(table, field, {"require"}, errors);
  if (!reader.find("require")) {
    reader.missing("require", "a condition, as in \"a + b <= 1\", or a metric with its bound");
  }
  found.required.push_back(reader.text("require").value_or(""));
  found.tables.push_back(&table);
}

void read_limit(const toml::table& table, const TomlField& field, Constraints& found,
                TomlErrors& errors) {
  if (const toml::node* require = table.get("require")) {
    return errors.add(require, field, "found both require and metric, expected one of them");
  }
  TomlTable reader(table, field, {"metric", "at_most", "at_least"}, errors);
  if (!reader.find("metric")) return reader.missing("metric", "the name of what is bounded");
  Limit limit;
  limit.metric = reader.text("metric").value_or("");
  if (errors.any()) return;
  if (limit.metric.empty() || limit.metric.size() > kLongestMetricName) {
    return errors.add_found(*table.get("metric"), reader.field("metric"),
                            "the name of a metric, 1 to 128 bytes");
  }
  limit.at_most = reader.finite("at_most");
  limit.at_least = reader.finite("at_least");
  if (errors.any()) return;
  if (!limit.at_most && !limit.at_least) return reader.missing("at_most", "at_most or at_least");
  if (limit.at_most && limit.at_least && *limit.at_least > *limit.at_most) {
    return errors.add_found(*table.get("at_least"), reader.field("at_least"),
                            "a number not above at_most");
  }
  found.limits.push_back(std::move(limit));
}

Constraints read_constraints(const toml::table& root, TomlErrors& errors) {
  Constraints found;
  const toml::node* node = root.get("constraint");
  if (!node) return found;
  const toml::array* array = node->as_array();
  if (!array) {
    errors.add_found(*node, "constraint", "one [[constraint]] table per constraint");
    return found;
  }
  std::size_t count = 0;
  for (const toml::node& element : *array) {
    const toml::table* table = element.as_table();
    if (!table) {
      errors.add_found(element, "constraint", "a [[constraint]] table");
      return found;
    }
    const std::string number = std::to_string(++count);
    const TomlField field{"constraint " + number, "constraint." + number};
    const bool bounds = table->contains("at_most") || table->contains("at_least");
    if (table->contains("metric") || (bounds && !table->contains("require"))) {
      read_limit(*table, field, found, errors);
    } else {
      read_require(*table, field, found, errors);
    }
  }
  return found;
}

}  // namespace

void make_space(const toml::table& root, std::vector<Parameter> parameters,
                std::vector<Limit> limits, StudyFile& file, TomlErrors& errors) {
  Constraints found = read_constraints(root, errors);
  if (errors.any()) return;
  limits.insert(limits.end(), found.limits.begin(), found.limits.end());
  Result<Space> space =
      Space::make(std::move(parameters), std::move(found.required), std::move(limits));
  if (space) {
    file.study.space = std::move(*space);
    return;
  }
  const toml::node* where = root.get("parameter");
  for (std::size_t c = 0; c < found.tables.size(); ++c) {
    if (space.error().field == "constraint." + std::to_string(c + 1)) {
      where = found.tables[c]->get("require");
    }
  }
  errors.add(where, space.error().field, space.error());
}

}  // namespace vbo
