// SPDX-License-Identifier: MIT
// What module.cpp joins. The classes bound here are thin and speak JSON and columns; python/vbo
// makes of them what people use.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace vbo::python {

class LockedStudy;

std::string importance_json(LockedStudy& locked, int threads);
std::string report_html(LockedStudy& locked, const std::string& url);

void bind_space(nanobind::module_& module);
void bind_study(nanobind::module_& module);

}  // namespace vbo::python
