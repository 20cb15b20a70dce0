// SPDX-License-Identifier: MIT
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "core/json.hpp"
#include "vbo/vbo.hpp"

namespace nb = nanobind;

namespace vbo::python {
namespace {

std::string methods_json() {
  Json all = Json::array();
  for (const MethodInfo& method : methods()) {
    Json options = Json::array();
    for (const OptionInfo& option : method.options) {
      options.push_back({{"name", option.name},
                         {"default", option.default_value},
                         {"range", option.range},
                         {"summary", option.summary}});
    }
    all.push_back({{"name", method.name}, {"summary", method.summary}, {"options", options}});
  }
  return dump(all);
}

}  // namespace

NB_MODULE(_vbo, module) {
  module.attr("version") = VBO_VERSION;
  module.def("methods_json", methods_json);
  bind_space(module);
  bind_study(module);
}

}  // namespace vbo::python
