// SPDX-License-Identifier: MIT
#include <algorithm>

#include "core/axis.hpp"
#include "core/json.hpp"
#include "study/impl.hpp"

namespace vbo {
namespace {

class Differences {
 public:
  void compare(const std::string& field, const Json& stored, const Json& asked) {
    if (stored == asked) return;
    add(field + ": stored " + show(stored) + ", given " + show(asked));
  }
  void add(const std::string& difference) {
    if (!text_.empty()) text_ += "; ";
    text_ += difference;
  }
  void add_all(Differences&& others) {
    if (!others.none()) add(others.text_);
  }
  bool none() const { return text_.empty(); }
  std::string text() && { return std::move(text_); }

 private:
  static std::string show(const Json& json) { return json.is_null() ? "nothing" : excerpt(json); }
  std::string text_;
};

// Each parameter by name, so that the first difference does not shift all others.
Json by_name(const Space& space) {
  Json all = Json::object();
  Json json = json_of(space);
  for (Json& parameter : json.is_object() ? json["parameters"] : json) {
    const std::string name = parameter["name"];
    parameter.erase("name");
    all[name] = std::move(parameter);
  }
  return all;
}

Json constraints_of(const Space& space) {
  Json all = Json::array();
  for (const std::string& constraint : space.constraints()) all.push_back(constraint);
  return all;
}

std::vector<std::string> names_of(const Space& space) {
  std::vector<std::string> names;
  for (const Parameter& p : space.parameters()) names.push_back(p.name);
  return names;
}

// Whether every value of a parameter is one of the other, in the same order.
bool has_all_of(const Parameter& wide, const Parameter& narrow) {
  if (wide.kind != narrow.kind) return false;
  if (narrow.has_choices()) {
    auto next = wide.choices.begin();
    for (const Value& choice : narrow.choices) {
      if (narrow.kind == ParameterKind::categorical) next = wide.choices.begin();
      next = std::find(next, wide.choices.end(), choice);
      if (next == wide.choices.end()) return false;
    }
    return true;
  }
  if (wide.log != narrow.log || wide.step != narrow.step) return false;
  if (wide.low > narrow.low || wide.high < narrow.high) return false;
  if (narrow.step == 0.0) return true;
  const Axis axis(narrow);  // the steps have to meet
  return is_value_of(wide, axis.value_of(narrow.low)) &&
         is_value_of(wide, axis.value_of(narrow.high));
}

// Fields of one or both objects, those of the first one first.
void compare_objects(Differences& found, const std::string& prefix, const Json& stored,
                     const Json& asked) {
  for (const auto& item : stored.items()) {
    found.compare(prefix + item.key(), item.value(),
                  asked.contains(item.key()) ? asked[item.key()] : Json());
  }
  for (const auto& item : asked.items()) {
    if (!stored.contains(item.key())) found.compare(prefix + item.key(), Json(), item.value());
  }
}

void compare_objectives(Differences& found, const std::vector<Objective>& stored,
                        const std::vector<Objective>& asked) {
  const auto by_name = [](const std::vector<Objective>& objectives) {
    Json all = Json::object();
    for (Json& objective : json_of(objectives)) {
      const std::string name = objective["name"];
      objective.erase("name");
      all[name] = std::move(objective);
    }
    return all;
  };
  const Json before = by_name(stored);
  const Json now = by_name(asked);
  for (const auto& item : before.items()) {
    if (now.contains(item.key())) {
      compare_objects(found, "objective " + item.key() + " ", item.value(), now[item.key()]);
    } else {
      found.compare("objective " + item.key(), item.value(), Json());
    }
  }
  for (const auto& item : now.items()) {
    if (!before.contains(item.key())) {
      found.compare("objective " + item.key(), Json(), item.value());
    }
  }
  if (found.none() && stored != asked) found.add("objectives: the same in another order");
}

}  // namespace

Difference difference(const StudyRecord& stored, const StudyRecord& asked) {
  Differences conflicts, changes;
  conflicts.compare("name", stored.name, asked.name);
  Differences goals;
  if (stored.objectives.size() == 1 && asked.objectives.size() == 1) {
    goals.compare("goal", to_string(stored.goal()), to_string(asked.goal()));
  } else {
    compare_objectives(goals, stored.objectives, asked.objectives);
  }
  Difference found{.importable = goals.none()};
  conflicts.add_all(std::move(goals));
  changes.compare("method", stored.optimizer.method, asked.optimizer.method);
  conflicts.compare("seed", stored.optimizer.seed, asked.optimizer.seed);
  changes.compare("batch", stored.optimizer.batch, asked.optimizer.batch);
  const auto repeats = [](std::int64_t count) {
    return count == kAutoRepeats ? Json("auto") : Json(count);
  };
  conflicts.compare("repeats", repeats(stored.optimizer.repeats), repeats(asked.optimizer.repeats));
  compare_objects(changes, "option ", json_of(stored.optimizer)["settings"],
                  json_of(asked.optimizer)["settings"]);
  const Json before = by_name(stored.space);
  const Json now = by_name(asked.space);
  for (const auto& item : before.items()) {
    const std::string what = "parameter " + item.key();
    if (!now.contains(item.key())) {
      conflicts.compare(what, item.value(), Json());
      found.importable = false;
      continue;
    }
    const bool wider = has_all_of(asked.space[*asked.space.index_of(item.key())],
                                  stored.space[*stored.space.index_of(item.key())]);
    found.outside = found.outside || !wider;
    compare_objects(wider ? changes : conflicts, what + " ", item.value(), now[item.key()]);
  }
  for (const auto& item : now.items()) {
    if (before.contains(item.key())) continue;
    conflicts.compare("parameter " + item.key(), Json(), item.value());
    found.importable = false;
  }
  if (found.importable && names_of(stored.space) != names_of(asked.space)) {
    conflicts.add("parameters: the same in another order");
  }
  const Json constraints = constraints_of(stored.space);
  if (constraints != constraints_of(asked.space)) found.outside = true;
  conflicts.compare("constraints", constraints, constraints_of(asked.space));
  conflicts.compare("limits", limits_json(stored.space), limits_json(asked.space));
  found.conflict = std::move(conflicts).text();
  found.change = std::move(changes).text();
  return found;
}

}  // namespace vbo
