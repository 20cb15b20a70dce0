// SPDX-License-Identifier: MIT
// What a trial says about its point: whether evaluations succeed there.
#pragma once

#include "vbo/trial.hpp"

namespace vbo {

enum class Success : signed char {
  no,
  yes,
  unknown,  // the machine's failure, not the point's
};
Success success_of(const Trial& trial);

}  // namespace vbo
