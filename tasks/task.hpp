// SPDX-License-Identifier: MIT
// A problem with a known definition: something to try a method on. evaluate() is const and may be
// called from many threads at once; all randomness comes from the Rng it is given.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/random.hpp"
#include "vbo/space.hpp"
#include "vbo/trial.hpp"

namespace vbo::tasks {

struct Optimum {
  std::vector<Point> points;  // one or more places where it is attained; may be empty
  double value = 0.0;         // in the task's own sign
  bool proven = true;         // false: best known
};

enum class Cost { microseconds, milliseconds, seconds };  // of one evaluation on one core

struct TaskOption {
  std::string name, preset, range, summary;
};

struct TaskInfo {
  std::string name;     // "hartmann6"
  std::string spec;     // as given to make_task: "hartmann6?noise=0.1"
  std::string summary;  // one sentence
  std::string source;   // where the definition comes from
  Goal goal = Goal::maximize;
  double noise = 0.0;  // standard deviation of repeated evaluations at typical points; 0 = none
  Cost cost = Cost::microseconds;
  std::optional<Optimum> optimum;
  std::vector<TaskOption> options;
  bool built = true;  // false: this build lacks a library the task needs; make_task says which
};

class Task {
 public:
  virtual ~Task() = default;
  virtual const TaskInfo& info() const = 0;
  virtual const Space& space() const = 0;
  // REQUIRES: space().check(point).
  virtual double evaluate(const Point& point, Rng& rng) const = 0;
  // What else is measured there, by name: what the limits of the space speak of. Never noisy.
  // REQUIRES: space().check(point).
  virtual std::map<std::string, double> metrics(const Point& point) const {
    (void)point;
    return {};
  }
  // The expected value of evaluate(), where it can be computed: what a benchmark judges a noisy
  // task by. nullopt for a simulator that is random inside. REQUIRES: space().check(point).
  virtual std::optional<double> noiseless(const Point& point) const = 0;
};

// By name, options behind a question mark: "hartmann6", "ackley?dim=20&shift=3&rotate=1&noise=0.1".
// The error names what is unknown and what would be right.
Result<std::unique_ptr<Task>> make_task(std::string_view spec);

// The paper's seven tasks first, then the test functions.
std::vector<TaskInfo> all_tasks();

}  // namespace vbo::tasks
