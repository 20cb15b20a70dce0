// SPDX-License-Identifier: MIT
// The shortest way from a function to its optimum: one call, points by the names of parameters.
//   auto found = vbo::minimize([](const vbo::NamedPoint& p) { return p["x"] * p["x"]; },
//                              vbo::Space::make({vbo::Parameter::real("x", -5, 10)}).value());
//   found.value().value, found.value()["x"].number()
// Stability: a minor version of 0.x may change it.
// Threads: calls may run at the same time, on different storages; with several workers the function
// is called from several threads at once. A NamedPoint is as good as the point it looks at.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "vbo/optimizer.hpp"
#include "vbo/space.hpp"
#include "vbo/stop_rule.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// One value of a point. A getter of another type throws BadResult, which names the parameter, what
// it is and what was asked for.
class NamedValue {
 public:
  NamedValue(const Parameter& parameter, const Value& value)
      : parameter_(parameter), value_(value) {}

  double number() const;  // of a real, an integer, or a choice that is a number
  std::int64_t integer() const;
  const std::string& text() const;  // of a choice
  bool flag() const;                // of a choice
  const Value& value() const { return value_; }
  operator double() const { return number(); }

 private:
  [[noreturn]] void refuse(const char* wanted) const;
  const Parameter& parameter_;
  const Value& value_;
};

// A point with the names of its space; refers to both, which have to outlive it.
class NamedPoint {
 public:
  // REQUIRES: space.check(point).
  NamedPoint(const Space& space, const Point& point) : space_(space), point_(point) {}

  // A name that no parameter has throws BadResult, with a suggestion for a misspelt one.
  NamedValue operator[](std::string_view name) const;
  const Space& space() const { return space_; }
  const Point& point() const { return point_; }  // by position

 private:
  const Space& space_;
  const Point& point_;
};

struct SolveOptions {
  std::int64_t evaluations = 200;
  std::size_t workers = 1;     // evaluations at the same time, one thread each
  OptimizerOptions optimizer;  // method, seed, settings; a batch of 1 becomes that of the workers
  std::string storage = "memory:";  // or a file: then a run that was ended goes on where it was
  StopRule stop;
  const std::atomic<int>* interrupts = nullptr;  // 1 = finish what runs, 2 = stop at once
  std::function<void(const Trial&)> on_finished;
};

struct Solution {
  double value = 0.0;
  Trial trial;
  Space space;
  RunEnd end = RunEnd::budget_spent;
  std::int64_t evaluations = 0;  // all that ended, failures among them

  NamedValue operator[](std::string_view name) const {
    return NamedPoint(space, trial.point)[name];
  }
};

using NamedFunction = std::function<double(const NamedPoint&)>;

// Evaluates the function until the evaluations are spent or the stop rule ends the run. An
// exception, and a value that is not finite, is a failed evaluation and not the end. Errors: wrong
// options; what the storage says; no evaluation succeeded, with the message of the last failure.
Result<Solution> minimize(const NamedFunction& function, const Space& space,
                          const SolveOptions& options = {});
Result<Solution> maximize(const NamedFunction& function, const Space& space,
                          const SolveOptions& options = {});

}  // namespace vbo
