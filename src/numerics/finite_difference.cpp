// SPDX-License-Identifier: MIT
#include "numerics/finite_difference.hpp"

#include <cmath>
#include <limits>
#include <sstream>

namespace vbo {

Vector finite_difference_gradient(const ScalarFunction& f, ConstVectorRef x, double relative_step) {
  Vector point = x;
  Vector gradient(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const auto central = [&](double h) {
      // Divide by the step that was really taken, after rounding.
      const double above = x[i] + h;
      const double below = x[i] - h;
      point[i] = above;
      const double f_above = f(point);
      point[i] = below;
      const double f_below = f(point);
      point[i] = x[i];
      return (f_above - f_below) / (above - below);
    };
    const double h = relative_step * std::max(1.0, std::abs(x[i]));
    gradient[i] = (4.0 * central(0.5 * h) - central(h)) / 3.0;
  }
  return gradient;
}

GradientComparison compare_gradient(const ScalarFunction& f, ConstVectorRef x,
                                    ConstVectorRef analytic, const GradientTolerance& tolerance) {
  GradientComparison result;
  std::ostringstream text;
  text.precision(10);
  if (analytic.size() != x.size()) {
    text << "the gradient has " << analytic.size() << " components, x has " << x.size();
    result.worst_error = std::numeric_limits<double>::infinity();
    result.text = text.str();
    return result;
  }
  const Vector numeric = finite_difference_gradient(f, x, tolerance.relative_step);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double size = std::max({std::abs(analytic[i]), std::abs(numeric[i]), tolerance.floor});
    double error = std::abs(analytic[i] - numeric[i]) / size;
    if (!std::isfinite(error)) error = std::numeric_limits<double>::infinity();
    if (result.worst_index < 0 || error > result.worst_error) {
      result.worst_error = error;
      result.worst_index = i;
    }
  }
  result.matches = result.worst_error <= tolerance.relative;
  if (result.worst_index >= 0) {
    text << "component " << result.worst_index << " of " << x.size() << ": analytic "
         << analytic[result.worst_index] << ", differences " << numeric[result.worst_index]
         << ", relative error " << result.worst_error << " (allowed " << tolerance.relative << ")";
  }
  result.text = text.str();
  return result;
}

}  // namespace vbo
