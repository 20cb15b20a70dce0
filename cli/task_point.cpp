// SPDX-License-Identifier: MIT
#include "cli/task_point.hpp"

#include <cmath>
#include <optional>

#include "core/axis.hpp"
#include "core/spelling.hpp"
#include "core/value_text.hpp"
#include "vbo/random.hpp"

namespace vbo::cli {
namespace {

Value middle_of(const Parameter& p) {
  if (p.kind == ParameterKind::categorical) return p.choices.front();
  const Axis axis(p);
  if (axis.is_discrete()) return axis.value_of(axis.number_of_index((axis.count() - 1) / 2));
  return p.log ? std::sqrt(p.low * p.high) : 0.5 * (p.low + p.high);
}

Value random_of(const Parameter& p, Rng& rng) {
  const Axis axis(p);
  if (!axis.is_discrete()) return rng.uniform(p.low, p.high);
  const std::uint64_t index = rng.below(static_cast<std::uint64_t>(axis.count()));
  return axis.value_of(axis.number_of_index(static_cast<std::int64_t>(index)));
}

using Partial = std::vector<std::optional<Value>>;

Result<void> read_list(const Space& space, std::string_view list, Partial& point) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t comma = std::min(list.find(',', from), list.size());
    parts.push_back(list.substr(from, comma - from));
    from = comma + 1;
  }
  if (parts.size() != space.size()) {
    return Error{ErrorKind::invalid_input, "--point: found " + std::to_string(parts.size()) +
                                               " values, expected " + std::to_string(space.size()) +
                                               ", one per parameter"};
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Result<Value> value = value_from_text(space[i], parts[i]);
    if (!value) return value.error();
    point[i] = std::move(*value);
  }
  return {};
}

Result<void> read_assignment(const Space& space, const std::string& text, Partial& point) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return Error{ErrorKind::invalid_input,
                 "--set: found \"" + text + "\", expected NAME=VALUE, as in --set " +
                     space[0].name + "=" + to_string(middle_of(space[0]))};
  }
  const std::string name = text.substr(0, equals);
  auto index = space.index_of(name);
  if (!index && name.starts_with('x')) {  // x1, x2, ... name the parameters of any task in order
    const auto last = static_cast<std::int64_t>(space.size());
    const auto place = value_from_text(Parameter::integer("place", 1, last), name.substr(1));
    if (place) index = static_cast<std::size_t>(std::get<std::int64_t>(*place) - 1);
  }
  if (!index) {
    std::vector<std::string> names;
    for (const Parameter& p : space.parameters()) names.push_back(p.name);
    return Error{ErrorKind::invalid_input,
                 "--set: unknown parameter \"" + name + "\"" + suggestion(name, names)};
  }
  Result<Value> value = value_from_text(space[*index], std::string_view(text).substr(equals + 1));
  if (!value) return value.error();
  point[*index] = std::move(*value);
  return {};
}

}  // namespace

Result<Point> task_point(const tasks::Task& task, const TaskPointArguments& arguments) {
  const Space& space = task.space();
  Partial point(space.size());
  if (!arguments.point.empty()) {
    if (const auto read = read_list(space, arguments.point, point); !read) return read.error();
  }
  for (const std::string& text : arguments.set) {
    if (const auto read = read_assignment(space, text, point); !read) return read.error();
  }
  const auto& optimum = task.info().optimum;
  if (arguments.at == "optimum" && (!optimum || optimum->points.empty())) {
    return Error{ErrorKind::invalid_input,
                 "--at optimum: no optimum of \"" + task.info().name + "\" is known"};
  }
  Rng rng(arguments.seed, "task point");
  Point full;
  std::string missing;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Value random = random_of(space[i], rng);  // drawn always: independent of what is set
    if (point[i]) {
      full.push_back(*point[i]);
    } else if (arguments.at == "optimum") {
      full.push_back(optimum->points.front()[i]);
    } else if (arguments.at == "middle") {
      full.push_back(middle_of(space[i]));
    } else if (arguments.at == "random") {
      full.push_back(random);
    } else {
      missing += " " + space[i].name;
    }
  }
  if (!missing.empty()) {
    return Error{ErrorKind::invalid_input,
                 "no value for" + missing +
                     "; give --set NAME=VALUE for each, --point with all of them in order, or "
                     "--at optimum, middle or random for the rest"};
  }
  return full;
}

}  // namespace vbo::cli
