// SPDX-License-Identifier: MIT
#include "study/start.hpp"

#include "core/axis.hpp"
#include "core/json.hpp"
#include "core/region.hpp"

namespace vbo {

Result<void> check_start(const Space& space, const std::vector<PartialPoint>& start) {
  for (std::size_t k = 0; k < start.size(); ++k) {
    const std::string field = "start." + std::to_string(k + 1);
    const std::string who = "start " + std::to_string(k + 1);
    if (start[k].size() != space.size()) {
      return Error{ErrorKind::invalid_input,
                   who + ": found " + std::to_string(start[k].size()) + " values, expected " +
                       std::to_string(space.size()) + ", one or none per parameter",
                   field};
    }
    for (std::size_t i = 0; i < space.size(); ++i) {
      if (!start[k][i] || is_value_of(space[i], *start[k][i])) continue;
      // The space says best what it expects.
      const Result<Space> alone = Space::make({space[i]});
      const Result<void> checked = alone ? alone->check({*start[k][i]}) : alone.error();
      return Error{ErrorKind::invalid_input,
                   who + ": " + (checked ? "not a value of it" : checked.error().message),
                   field + "." + space[i].name};
    }
    if (!space.region()) continue;
    if (const auto left = Region::make(space.parameters(), space.constraints(), start[k]); !left) {
      return Error{ErrorKind::invalid_input,
                   who + ": no values of the other parameters satisfy the constraints: " +
                       left.error().message,
                   field};
    }
  }
  return {};
}

Point completed(const Space& space, const PartialPoint& start, const Point& suggested) {
  Point point = suggested;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (start[i]) point[i] = *start[i];
  }
  if (!space.region() || space.check(point)) return point;
  const auto left = Region::make(space.parameters(), space.constraints(), start);
  if (!left) return suggested;  // check_start() has seen to it
  std::vector<Axis> axes;
  std::vector<double> u;
  for (std::size_t i = 0; i < space.size(); ++i) {
    axes.emplace_back(start[i] ? with_one_value(space[i], *start[i]) : space[i]);
    u.push_back(start[i] ? 0.5 : axes.back().position_of(axes.back().number_of(point[i])));
  }
  (*left)->repair(u);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < space.size(); ++i) numbers.push_back(axes[i].number_at(u[i]));
  (*left)->balance(numbers);
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (!start[i]) point[i] = axes[i].value_of(numbers[i]);
  }
  return point;
}

}  // namespace vbo
