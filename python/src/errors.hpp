// SPDX-License-Identifier: MIT
// vbo::Error as a Python exception of its kind (python/vbo/_errors.py). Needs the GIL.
#pragma once

#include <utility>

#include "vbo/error.hpp"

namespace vbo::python {

[[noreturn]] void raise(const Error& error);

template <class T>
T unwrap(Result<T> result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace vbo::python
