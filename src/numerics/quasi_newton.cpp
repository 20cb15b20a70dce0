// SPDX-License-Identifier: MIT
#include "numerics/quasi_newton.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace vbo {
namespace {

using Eigen::Index;

constexpr double sufficient = 1e-4;  // Armijo
constexpr double infinity = std::numeric_limits<double>::infinity();

// B <- B + y y' / s'y - (Bs)(Bs)' / s'Bs, with y moved towards Bs where s'y is too small for B to
// stay positive definite (Powell 1978; Nocedal and Wright 2006, procedure 18.2).
void update_curvature(Matrix& B, const Vector& s, Vector y) {
  const Vector Bs = B * s;
  const double sBs = s.dot(Bs), sy = s.dot(y);
  if (!(sBs > 0.0) || !std::isfinite(sy)) return;
  if (sy < 0.2 * sBs) {
    const double weight = 0.8 * sBs / (sBs - sy);
    y = weight * y + (1.0 - weight) * Bs;
  }
  B += y * y.transpose() / s.dot(y) - Bs * Bs.transpose() / sBs;
}

// Minimizes g's + s'Bs / 2 over low <= s <= high, low <= 0 <= high. First, coordinates that leave
// the box are fixed where they leave it, and the others follow; then one coordinate at a time,
// which also lets go of those that were fixed too early.
Vector model_step(const Vector& g, const Matrix& B, const Vector& low, const Vector& high) {
  const Index n = g.size();
  const double ridge = 1e-9 * B.diagonal().maxCoeff() + 1e-12;  // flat directions stay finite
  Vector step = Vector::Zero(n);
  std::vector<Index> free;
  for (Index i = 0; i < n; ++i) {
    if (g[i] > 0.0 ? low[i] < 0.0 : high[i] > 0.0) free.push_back(i);
  }
  while (!free.empty()) {
    step(free).setZero();
    Matrix free_B = B(free, free);
    free_B.diagonal().array() += ridge;
    const Vector pull = g(free) + (B * step)(free);
    step(free) = -free_B.ldlt().solve(pull);
    const auto left = std::remove_if(free.begin(), free.end(), [&](Index i) {
      return !(step[i] >= low[i] && step[i] <= high[i]);
    });
    if (left == free.end()) break;
    free.erase(left, free.end());
    step = step.cwiseMax(low).cwiseMin(high);
  }
  if (!step.allFinite()) step.setZero();
  for (int sweep = 0; sweep < 200; ++sweep) {
    double moved = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double pull = g[i] + B.col(i).dot(step) + ridge * step[i];
      const double next = std::clamp(step[i] - pull / (B(i, i) + ridge), low[i], high[i]);
      moved = std::max(moved, std::abs(next - step[i]));
      step[i] = next;
    }
    if (moved < 1e-6) break;
  }
  return step;
}

}  // namespace

MinimizeResult minimize_quasi_newton(const CurvedFunction& f, ConstVectorRef x0,
                                     ConstVectorRef lower, ConstVectorRef upper,
                                     const QuasiNewtonOptions& options) {
  const Vector low = lower, high = upper;
  MinimizeResult r{.x = x0,
                   .value = std::numeric_limits<double>::quiet_NaN(),
                   .status = MinimizeStatus::bad_arguments,
                   .text = {}};
  const auto end = [&](MinimizeStatus status, const char* text) {
    r.status = status;
    r.text = text;
    return r;
  };
  if (low.size() != x0.size() || high.size() != x0.size() || !(low.array() <= high.array()).all()) {
    return end(MinimizeStatus::bad_arguments, "sizes of start and bounds differ");
  }
  r.x = x0.cwiseMax(low).cwiseMin(high);
  Slope slope, next;
  r.evaluations = 1;
  const double start = f(r.x, infinity, slope);
  if (!std::isfinite(start) || !slope.gradient.allFinite() || !slope.curvature.allFinite()) {
    return end(MinimizeStatus::bad_start, "the value or gradient at the start is not finite");
  }
  r.value = start;

  std::deque<std::pair<Vector, Vector>> differences;  // of x and of the gradient
  for (;;) {
    Matrix B = slope.curvature;
    for (const auto& [s, y] : differences) update_curvature(B, s, y);
    const Vector step = model_step(slope.gradient, B, (low - r.x).cwiseMax(-options.longest_step),
                                   (high - r.x).cwiseMin(options.longest_step));
    const double descent = slope.gradient.dot(step);
    if (!(descent < 0.0)) {
      return end(MinimizeStatus::gradient_converged, "converged: the projected gradient is zero");
    }
    const double promised = -descent - 0.5 * step.dot(B * step);
    if (promised <= options.gain_tolerance) {
      const Vector x = (r.x + step).cwiseMax(low).cwiseMin(high);
      ++r.evaluations;
      const double value = f(x, -infinity, next);
      if (std::isfinite(value) && value < r.value) {
        ++r.iterations;
        r.x = x;
        r.value = value;
      }
      return end(MinimizeStatus::value_converged,
                 "converged: the predicted decrease of the next step is too small");
    }
    if (r.iterations >= options.max_iterations) {
      return end(MinimizeStatus::iteration_limit, "stopped at the limit of iterations");
    }

    // Backtracking: the parabola through f, its slope and the value found gives the next length.
    double length = 1.0;
    for (;;) {
      if (r.evaluations >= options.max_evaluations) {
        return end(MinimizeStatus::evaluation_limit, "stopped at the limit of evaluations");
      }
      const double ceiling = r.value + sufficient * length * descent;
      const Vector x = (r.x + length * step).cwiseMax(low).cwiseMin(high);
      ++r.evaluations;
      const double value = f(x, ceiling, next);
      if (std::isfinite(value) && value <= ceiling && next.gradient.allFinite() &&
          next.curvature.allFinite()) {
        differences.emplace_back(x - r.x, next.gradient - slope.gradient);
        if (std::ssize(differences) > options.memory) differences.pop_front();
        std::swap(slope, next);
        r.x = x;
        r.value = value;
        ++r.iterations;
        break;
      }
      if (length < 1e-3) return end(MinimizeStatus::stalled, "stalled: no further descent found");
      const double excess = value - r.value - length * descent;
      const double parabola = -0.5 * length * length * descent / excess;
      length = std::isfinite(parabola) ? std::clamp(parabola, 0.1 * length, 0.5 * length)
                                       : 0.25 * length;
    }
  }
}

}  // namespace vbo
