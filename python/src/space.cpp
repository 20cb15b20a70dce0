// SPDX-License-Identifier: MIT
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "core/json.hpp"
#include "errors.hpp"

namespace nb = nanobind;

namespace vbo::python {

// The space as the storage writes it, so that this file knows nothing about kinds of parameters.
void bind_space(nb::module_& module) {
  nb::class_<Space>(module, "Space")
      .def_static(
          "from_json",
          [](const std::string& text) { return unwrap(space_from(unwrap(parse_json(text)))); })
      .def("to_json", [](const Space& space) { return dump(json_of(space)); })
      .def("cardinality", &Space::cardinality)
      .def("__eq__", [](const Space& a, const Space& b) { return a == b; });
}

}  // namespace vbo::python
