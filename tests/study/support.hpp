// SPDX-License-Identifier: MIT
// A small study on a storage that outlives it, so that tests can end it at any moment.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "storage/memory/memory.hpp"
#include "support/scripted_optimizer.hpp"
#include "vbo/study.hpp"

namespace vbo::testing {

inline StudyOptions small_study() {
  StudyOptions options;
  options.name = "small";
  options.space =
      Space::make({Parameter::real("x", -1, 1), Parameter::integer("n", 1, 1000)}).value();
  options.budget = 40;
  options.optimizer = {.method = "scripted", .seed = 1, .batch = 3};
  return options;
}

inline Result<Study> open_on(const MemoryStorage& storage, const StudyOptions& options,
                             ScriptedOptions scripted_options = {}) {
  return Study::open(options, scripted(std::make_unique<MemoryStorage>(storage), scripted_options));
}

// Ends a study as a killed process does: whatever it still tries to write does not arrive.
inline void kill_study(Study study, MemoryStorage& storage) {
  storage.fail_from_write(1, {ErrorKind::io, "killed"});
  { const Study gone = std::move(study); }
  storage.repair();
}

inline double objective(const Point& point) {
  const double x = std::get<double>(point[0]);
  return x * x + 0.001 * static_cast<double>(std::get<std::int64_t>(point[1]));
}

inline std::vector<Point> points_of(const std::vector<Trial>& trials) {
  std::vector<Point> points;
  for (const Trial& trial : trials) points.push_back(trial.point);
  return points;
}

}  // namespace vbo::testing
