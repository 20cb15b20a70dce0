// SPDX-License-Identifier: MIT
// Tasks and methods as JSON-lines servers, so that optimizers in any language meet the same
// functions, and our methods meet any objective, over pipes. Values are in the task's own sign.
//
// serve_task speaks the evaluator's contract of study files (mode = "serve"):
//   {"id": 7, "params": {"x1": 0.5, ...}}   ->   {"id": 7, "value": 1.25}
//                                           or   {"id": 7, "error": "..."}
// serve_method answers
//   {"ask": 64}                             ->   {"suggestions": [{"id", "params"}, ...],
//   "seconds"}
//   {"tell": [{"id", "value"}, ...]}        ->   {"told": 64, "seconds"}
// A told result with "params" may be of a point the method did not suggest; without "value" it
// is a failure. A line that makes no sense is answered by {"error": "..."}.
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>

#include "bench/metered.hpp"
#include "tasks/task.hpp"

namespace vbo::bench {

// Name, goal, parameters and optimum of a task, as one JSON object.
std::string describe(const tasks::Task& task);

// Both read until the end of `in`, flushing after every answer.
void serve_task(const tasks::Task& task, std::uint64_t seed, std::istream& in, std::ostream& out);
void serve_method(MeteredStudy& served, std::istream& in, std::ostream& out);

}  // namespace vbo::bench
