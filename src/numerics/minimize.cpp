// SPDX-License-Identifier: MIT
#include "numerics/minimize.hpp"

#include <nlopt.h>

#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <optional>

namespace vbo {
namespace {

// What the callback knows and leaves behind; NLopt itself reports neither iterations nor the best
// point when it stops on an error.
struct Search {
  const GradientFunction& f;
  const Vector& lower;
  const Vector& upper;
  const MinimizeOptions& options;
  nlopt_opt handle = nullptr;

  Vector start_gradient{};  // at the start, until NLopt has asked for it as well
  Vector best_x{};
  double best_value = std::numeric_limits<double>::infinity();
  double worst_value = -std::numeric_limits<double>::infinity();
  int iterations = 0;
  int evaluations = 0;
  std::optional<MinimizeStatus> stop{};
  std::string thrown{};

  double evaluate(const Vector& x, Vector& gradient);
  double projected_gradient_norm(const Vector& x, const Vector& gradient) const;
  void finish(MinimizeStatus status) {
    if (!stop) stop = status;
    if (handle) nlopt_force_stop(handle);
  }
};

// The gradient without the components that push against an active bound.
double Search::projected_gradient_norm(const Vector& x, const Vector& gradient) const {
  double norm = 0.0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const bool blocked =
        (gradient[i] > 0.0 && x[i] <= lower[i]) || (gradient[i] < 0.0 && x[i] >= upper[i]);
    if (!blocked) norm = std::max(norm, std::abs(gradient[i]));
  }
  return norm;
}

double Search::evaluate(const Vector& x, Vector& gradient) {
  ++evaluations;
  double value = std::numeric_limits<double>::quiet_NaN();
  try {
    if (start_gradient.size() > 0 && x == best_x) {
      value = best_value;
      gradient = start_gradient;
    } else {
      gradient.setZero();
      value = f(x, gradient);
    }
    start_gradient.resize(0);
  } catch (const std::exception& error) {
    thrown = error.what();
    finish(MinimizeStatus::objective_threw);
  } catch (...) {
    thrown = "an exception of unknown type";
    finish(MinimizeStatus::objective_threw);
  }
  if (!std::isfinite(value) || !gradient.allFinite()) {
    if (best_x.size() == 0) {
      finish(MinimizeStatus::bad_start);
      gradient.setZero();
      return 0.0;
    }
    // A bowl around the best point, above everything seen: the line search comes back.
    const Vector away = x - best_x;
    const double height = 1.0 + std::abs(worst_value) + (worst_value - best_value);
    const double curvature = height / std::max(away.squaredNorm(), 1e-300);
    gradient = 2.0 * curvature * away;
    return worst_value + 2.0 * height;
  }
  worst_value = std::max(worst_value, value);
  if (value < best_value || best_x.size() == 0) {
    if (best_x.size() != 0) ++iterations;
    best_value = value;
    best_x = x;
    if (projected_gradient_norm(x, gradient) <= options.gradient_tolerance) {
      finish(MinimizeStatus::gradient_converged);
    } else if (iterations >= options.max_iterations) {
      finish(MinimizeStatus::iteration_limit);
    }
  }
  if (evaluations >= options.max_evaluations) finish(MinimizeStatus::evaluation_limit);
  return value;
}

extern "C" double vbo_minimize_callback(unsigned n, const double* x, double* gradient, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (search.stop) return search.best_value;
  const Vector point = Eigen::Map<const Vector>(x, n).cwiseMax(search.lower).cwiseMin(search.upper);
  Vector slope(n);
  const double value = search.evaluate(point, slope);
  if (gradient) Eigen::Map<Vector>(gradient, n) = slope;
  return value;
}

MinimizeStatus status_of(nlopt_result code) {
  switch (code) {
    case NLOPT_SUCCESS:
    case NLOPT_STOPVAL_REACHED:
    case NLOPT_FTOL_REACHED:
      return MinimizeStatus::value_converged;
    case NLOPT_XTOL_REACHED:
      return MinimizeStatus::step_converged;
    case NLOPT_MAXEVAL_REACHED:
    case NLOPT_MAXTIME_REACHED:
      return MinimizeStatus::evaluation_limit;
    default:
      return MinimizeStatus::stalled;
  }
}

std::string text_of(MinimizeStatus status, const Search& search) {
  switch (status) {
    case MinimizeStatus::gradient_converged:
      return "converged: the projected gradient is below its tolerance";
    case MinimizeStatus::value_converged:
      return "converged: the value no longer falls";
    case MinimizeStatus::step_converged:
      return "converged: the point no longer moves";
    case MinimizeStatus::iteration_limit:
      return "stopped at the limit of iterations";
    case MinimizeStatus::evaluation_limit:
      return "stopped at the limit of evaluations";
    case MinimizeStatus::stalled:
      return "stalled: no further descent found";
    case MinimizeStatus::bad_start:
      return "the value or gradient at the start is not finite";
    case MinimizeStatus::bad_arguments:
      return "sizes of start and bounds differ, or a lower bound exceeds its upper bound";
    case MinimizeStatus::objective_threw:
      return "the objective threw: " + search.thrown;
  }
  return {};
}

}  // namespace

MinimizeResult minimize_bounded(const GradientFunction& f, ConstVectorRef x0, ConstVectorRef lower,
                                ConstVectorRef upper, const MinimizeOptions& options) {
  const Vector low = lower;
  const Vector high = upper;
  Search search{.f = f, .lower = low, .upper = high, .options = options};
  const auto report = [&](MinimizeStatus status) {
    const bool found = search.best_x.size() == x0.size() && search.evaluations > 0 &&
                       std::isfinite(search.best_value);
    return MinimizeResult{
        .x = found ? search.best_x : Vector(x0),
        .value = found ? search.best_value : std::numeric_limits<double>::quiet_NaN(),
        .status = status,
        .text = text_of(status, search),
        .iterations = search.iterations,
        .evaluations = search.evaluations};
  };
  if (x0.size() != low.size() || x0.size() != high.size() || !(low.array() <= high.array()).all()) {
    return report(MinimizeStatus::bad_arguments);
  }

  // The first evaluation is ours: NLopt calls a zero gradient at the start a failure.
  const Vector start = x0.cwiseMax(low).cwiseMin(high);
  Vector gradient(start.size());
  search.evaluate(start, gradient);
  if (start.size() == 0) search.finish(MinimizeStatus::gradient_converged);
  if (search.stop) return report(*search.stop);
  search.start_gradient = gradient;

  const auto n = static_cast<unsigned>(start.size());
  const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> opt(nlopt_create(NLOPT_LD_LBFGS, n),
                                                                   &nlopt_destroy);
  if (!opt) return report(MinimizeStatus::stalled);
  search.handle = opt.get();
  nlopt_set_min_objective(opt.get(), vbo_minimize_callback, &search);
  nlopt_set_lower_bounds(opt.get(), low.data());
  nlopt_set_upper_bounds(opt.get(), high.data());
  nlopt_set_ftol_rel(opt.get(), options.value_tolerance);
  nlopt_set_xtol_rel(opt.get(), options.step_tolerance);
  nlopt_set_vector_storage(opt.get(), static_cast<unsigned>(std::max(1, options.memory)));
  Vector x = start;
  double value = search.best_value;
  const nlopt_result code = nlopt_optimize(opt.get(), x.data(), &value);
  search.handle = nullptr;
  return report(search.stop ? *search.stop : status_of(code));
}

}  // namespace vbo
