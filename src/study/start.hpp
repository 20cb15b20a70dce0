// SPDX-License-Identifier: MIT
// Points a person wants evaluated first: some or all values given, the rest chosen by the method.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vbo/study.hpp"

namespace vbo {

// Each value is one its parameter has, and together with some values of the others the constraints
// hold. The error's field is "start.2" for the second, or "start.2.NAME".
Result<void> check_start(const Space& space, const std::vector<PartialPoint>& start);

// `start` with the missing values from `suggested`, moved as far as the constraints ask.
Point completed(const Space& space, const PartialPoint& start, const Point& suggested);

}  // namespace vbo
