// SPDX-License-Identifier: MIT
// Whether an evaluation failed because there was no program to run: evaluating another point will
// not help.
#pragma once

#include "vbo/trial.hpp"

namespace vbo {

// It could not be started, or a shell said so: exit code 126 or 127.
bool is_not_found(const Failure& failure);

}  // namespace vbo
