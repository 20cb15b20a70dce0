// SPDX-License-Identifier: MIT
#include "tasks/basic_task.hpp"

#include <cmath>

namespace vbo::tasks {

std::optional<double> BasicTask::noiseless(const Point& point) const {
  if (random_inside_) return std::nullopt;
  Rng unused(0);
  return value(point, unused);
}

void BasicTask::complete(std::string spec, std::vector<TaskOption> options, double added_noise) {
  info_.spec = std::move(spec);
  info_.options = std::move(options);
  info_.noise = std::hypot(info_.noise, added_noise);
  added_noise_ = added_noise;
}

std::vector<double> reals(const Point& point) {
  std::vector<double> x;
  x.reserve(point.size());
  for (const Value& value : point) x.push_back(std::get<double>(value));
  return x;
}

Point to_point(const std::vector<double>& x) { return {x.begin(), x.end()}; }

std::vector<Parameter> box(int dim, double low, double high) {
  std::vector<Parameter> parameters;
  for (int i = 1; i <= dim; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), low, high));
  }
  return parameters;
}

}  // namespace vbo::tasks
