// SPDX-License-Identifier: MIT
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

std::string difference(const StudyRecord& stored, const StudyRecord& asked) {
  Differences found;
  found.compare("name", stored.name, asked.name);
  if (stored.objectives.size() == 1 && asked.objectives.size() == 1) {
    found.compare("goal", to_string(stored.goal()), to_string(asked.goal()));
  } else {
    compare_objectives(found, stored.objectives, asked.objectives);
  }
  found.compare("method", stored.optimizer.method, asked.optimizer.method);
  found.compare("seed", stored.optimizer.seed, asked.optimizer.seed);
  found.compare("batch", stored.optimizer.batch, asked.optimizer.batch);
  found.compare("repeats", stored.optimizer.repeats, asked.optimizer.repeats);
  compare_objects(found, "option ", json_of(stored.optimizer)["settings"],
                  json_of(asked.optimizer)["settings"]);
  const Json before = by_name(stored.space);
  const Json now = by_name(asked.space);
  for (const auto& item : before.items()) {
    if (now.contains(item.key())) {
      compare_objects(found, "parameter " + item.key() + " ", item.value(), now[item.key()]);
    } else {
      found.compare("parameter " + item.key(), item.value(), Json());
    }
  }
  for (const auto& item : now.items()) {
    if (!before.contains(item.key())) {
      found.compare("parameter " + item.key(), Json(), item.value());
    }
  }
  found.compare("constraints", constraints_of(stored.space), constraints_of(asked.space));
  found.compare("limits", limits_json(stored.space), limits_json(asked.space));
  std::string text = std::move(found).text();
  if (text.empty() && !(stored.space == asked.space)) {
    return "parameters: the same in another order";
  }
  return text;
}

}  // namespace vbo
