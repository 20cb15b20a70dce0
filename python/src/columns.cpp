// SPDX-License-Identifier: MIT
#include "columns.hpp"

#include <algorithm>
#include <memory>

#include "errors.hpp"

namespace nb = nanobind;

namespace vbo::python {
namespace {

template <class Array, class T>
Array give(std::vector<T> numbers) {
  auto kept = std::make_unique<std::vector<T>>(std::move(numbers));
  T* data = kept->data();
  const std::size_t size = kept->size();
  nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  kept.release();
  return Array(data, {size}, owner);
}

std::int64_t code_of(const Parameter& parameter, const Value& value) {
  if (!parameter.has_choices()) return std::get<std::int64_t>(value);
  const auto& choices = parameter.choices;
  return std::find(choices.begin(), choices.end(), value) - choices.begin();
}

}  // namespace

Doubles array_of(std::vector<double> numbers) { return give<Doubles>(std::move(numbers)); }
Integers array_of(std::vector<std::int64_t> numbers) { return give<Integers>(std::move(numbers)); }

Columns columns_of(const Space& space, std::span<const Trial> trials) {
  Columns columns;
  columns.ids.reserve(trials.size());
  for (const Trial& trial : trials) columns.ids.push_back(trial.id);
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (space[i].kind == ParameterKind::real) {
      auto& column = columns.reals.emplace_back();
      column.reserve(trials.size());
      for (const Trial& trial : trials) column.push_back(std::get<double>(trial.point[i]));
    } else {
      auto& column = columns.integers.emplace_back();
      column.reserve(trials.size());
      for (const Trial& trial : trials) column.push_back(code_of(space[i], trial.point[i]));
    }
  }
  return columns;
}

nb::tuple arrays_of(const Space& space, Columns columns) {
  nb::list arrays;
  std::size_t real = 0;
  std::size_t integer = 0;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (space[i].kind == ParameterKind::real) {
      arrays.append(array_of(std::move(columns.reals[real++])));
    } else {
      arrays.append(array_of(std::move(columns.integers[integer++])));
    }
  }
  return nb::make_tuple(array_of(std::move(columns.ids)), arrays);
}

std::vector<Point> points_of(const Space& space, const nb::list& arrays, std::size_t n) {
  std::vector<Point> points(n, Point(space.size()));
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Parameter& parameter = space[i];
    if (parameter.kind == ParameterKind::real) {
      const auto column = nb::cast<DoublesIn>(arrays[i]);
      for (std::size_t k = 0; k < n; ++k) points[k][i] = column.data()[k];
      continue;
    }
    const auto column = nb::cast<IntegersIn>(arrays[i]);
    for (std::size_t k = 0; k < n; ++k) {
      const std::int64_t code = column.data()[k];
      if (parameter.has_choices()) {
        points[k][i] = parameter.choices.at(static_cast<std::size_t>(code));
      } else {
        points[k][i] = code;
      }
    }
  }
  return points;
}

}  // namespace vbo::python
