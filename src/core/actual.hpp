// SPDX-License-Identifier: MIT
// What was really set, as opposed to what was suggested: any value within a parameter's range. A
// thermostat that stands at 36.2 does not care for steps of 0.5, and weighed amounts for no sum of
// one, so neither steps nor constraints are asked of it.
#pragma once

#include <optional>
#include <span>

#include "core/json.hpp"
#include "vbo/space.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// The parameter as it is when something is really set: without its step.
Parameter without_step(Parameter parameter);

Result<void> check_actual(const Space& space, const Point& point);
// Whether the space may have this result; see Evaluated::as_measured.
Result<void> check_result(const Space& space, const Evaluated& result);

// Every parameter once, nothing else, each in its range.
Result<Point> actual_from(const Space& space, const Json& json);

// The stored trial with this outcome instead of any it has; `actual` as its point when that was
// really set, else the one it has. `limits` are those of the space.
Trial told_again(Trial stored, Outcome outcome, std::span<const Limit> limits,
                 const std::optional<Point>& actual = std::nullopt, std::size_t objectives = 1);

}  // namespace vbo
