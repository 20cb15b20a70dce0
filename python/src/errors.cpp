// SPDX-License-Identifier: MIT
#include "errors.hpp"
#include "core/one_line.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace vbo::python {
namespace {

const char* name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_input:
      return "InvalidInput";
    case ErrorKind::not_found:
      return "NotFound";
    case ErrorKind::conflict:
      return "Conflict";
    case ErrorKind::busy:
      return "Busy";
    case ErrorKind::damaged:
      return "Damaged";
    case ErrorKind::io:
      return "StorageError";
    case ErrorKind::unsupported:
      return "Unsupported";
  }
  return "Error";
}

}  // namespace

void raise(const Error& error) {
  const nb::object type = nb::module_::import_("vbo._errors").attr(name_of(error.kind));
  const nb::object exception =
      type(one_line(error.message), nb::arg("field") = error.field, nb::arg("line") = error.line);
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw nb::python_error();
}

}  // namespace vbo::python
