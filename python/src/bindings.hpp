// SPDX-License-Identifier: MIT
// What module.cpp joins. The classes bound here are thin and speak JSON and columns; python/vbo
// makes of them what people use.
#pragma once

#include <nanobind/nanobind.h>

namespace vbo::python {

void bind_space(nanobind::module_& module);
void bind_study(nanobind::module_& module);

}  // namespace vbo::python
