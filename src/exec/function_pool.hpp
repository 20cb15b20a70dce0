// SPDX-License-Identifier: MIT
// Evaluates trials by calling a function on threads of this process. For objectives that are code
// already linked in: built-in tasks, tests. A function cannot be killed: cancel() forgets what runs
// and the destructor waits for it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "vbo/executor.hpp"

namespace vbo {

// The function is called from several threads at once. Throwing is a crash, a non-finite value a
// failure like any other. REQUIRES: workers >= 1.
std::unique_ptr<Executor> make_function_pool(std::function<double(const Job&)> function,
                                             std::size_t workers);
// The same for a function that measures more than a value; id and seconds are filled in here.
std::unique_ptr<Executor> make_outcome_pool(std::function<Outcome(const Job&)> function,
                                            std::size_t workers);

}  // namespace vbo
