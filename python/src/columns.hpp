// SPDX-License-Identifier: MIT
// Points as columns: one array per parameter, one entry per trial. A number is its value; a choice
// is its position in the parameter's list, which Python turns into the choice by one take(). So no
// Python object is made per trial.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <vector>

#include "vbo/space.hpp"
#include "vbo/trial.hpp"

namespace vbo::python {

using Doubles = nanobind::ndarray<nanobind::numpy, double, nanobind::ndim<1>>;
using Integers = nanobind::ndarray<nanobind::numpy, std::int64_t, nanobind::ndim<1>>;
using DoublesIn =
    nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using IntegersIn = nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig,
                                     nanobind::device::cpu>;

// Gives the numbers to NumPy without copying them.
Doubles array_of(std::vector<double> numbers);
Integers array_of(std::vector<std::int64_t> numbers);

// What NumPy will hold, filled without the GIL.
struct Columns {
  std::vector<std::int64_t> ids;
  std::vector<std::vector<double>> reals;           // in the order of the real parameters
  std::vector<std::vector<std::int64_t>> integers;  // ... of all others
};
Columns columns_of(const Space& space, std::span<const Trial> trials);
// (ids, [array per parameter])
nanobind::tuple arrays_of(const Space& space, Columns columns);

// The other way: the points of n rows, from one array per parameter. Raises when one is too short.
std::vector<Point> points_of(const Space& space, const nanobind::list& arrays, std::size_t n);

}  // namespace vbo::python
