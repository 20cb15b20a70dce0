// SPDX-License-Identifier: MIT
// Suggestions and results for people and robots, while others ask, tell or run the same study:
// what `vbo ask`, `vbo tell` and `vbo serve` share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/space.hpp"
#include "vbo/trial.hpp"

namespace vbo::cli {

struct AskWish {
  std::string study;  // storage or study file; a study file creates the study
  std::int64_t count = 1;
  int threads = 0;  // of the method; 0 = all cores
  double wait_seconds = 30.0;
};

struct Answer {
  Space space;
  std::vector<Trial> trials;  // empty when the space has no more points
};

Result<Answer> ask_for(const AskWish& wish);

// Stores the result of outcome.id; whoever coordinates the study, now or later, tells the method.
Result<void> tell_result(const std::string& study_argument, const Outcome& outcome,
                         double wait_seconds);

}  // namespace vbo::cli
