// SPDX-License-Identifier: MIT
#include "core/actual.hpp"

#include <utility>

namespace vbo {

Parameter without_step(Parameter parameter) {
  parameter.step = 0.0;
  return parameter;
}

Result<void> check_actual(const Space& space, const Point& point) {
  std::vector<Parameter> parameters;
  for (const Parameter& p : space.parameters()) parameters.push_back(without_step(p));
  const Result<Space> loose = Space::make(std::move(parameters));
  if (!loose) return loose.error();
  return loose->check(point);
}

Result<void> check_result(const Space& space, const Evaluated& result) {
  return result.as_measured ? check_actual(space, result.point) : space.check(result.point);
}

Trial told_again(Trial stored, Outcome outcome, std::span<const Limit> limits,
                 const std::optional<Point>& actual, std::size_t objectives) {
  if (actual) {
    const Point suggestion = stored.suggested ? *stored.suggested : stored.point;
    stored.point = *actual;
    stored.suggested.reset();
    if (stored.point != suggestion) stored.suggested = suggestion;
  }
  forget_outcome(stored);
  return ended_by(std::move(stored), std::move(outcome), limits, objectives);
}

Result<Point> actual_from(const Space& space, const Json& json) {
  std::vector<Parameter> parameters;
  for (const Parameter& p : space.parameters()) parameters.push_back(without_step(p));
  const Result<Space> loose = Space::make(std::move(parameters));
  if (!loose) return loose.error();
  return point_from(*loose, json);
}

}  // namespace vbo
