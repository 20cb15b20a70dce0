// SPDX-License-Identifier: MIT
// What all tasks share: their description, and the option noise=<sd> that adds N(0, sd^2) to any of
// them. A task derives from it, fills info_ and space_ in its constructor and computes value().
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tasks/options.hpp"
#include "tasks/task.hpp"

namespace vbo::tasks {

class BasicTask : public Task {
 public:
  const TaskInfo& info() const final { return info_; }
  const Space& space() const final { return space_; }
  double evaluate(const Point& point, Rng& rng) const final {
    const double exact = value(point, rng);
    return added_noise_ > 0.0 ? exact + added_noise_ * rng.normal() : exact;
  }
  std::optional<double> noiseless(const Point& point) const final;

  // Called once by make_task, after construction.
  void complete(std::string spec, std::vector<TaskOption> options, double added_noise);

 protected:
  // May draw from rng only when random_inside_ is set.
  virtual double value(const Point& point, Rng& rng) const = 0;

  TaskInfo info_;
  Space space_;
  bool random_inside_ = false;

 private:
  double added_noise_ = 0.0;
};

using Factory = std::unique_ptr<BasicTask> (*)(TaskOptions&);

// The values of a point of real parameters, in order.
std::vector<double> reals(const Point& point);
Point to_point(const std::vector<double>& x);
// x1 ... xd, all real on [low, high].
std::vector<Parameter> box(int dim, double low, double high);

}  // namespace vbo::tasks
