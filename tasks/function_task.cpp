// SPDX-License-Identifier: MIT
#include "tasks/function_task.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace vbo::tasks {
namespace {

// Uniformly distributed orthogonal matrix, row-major (d,d): Gram-Schmidt on a Gaussian matrix, each
// row twice because one pass loses orthogonality when d is large.
std::vector<double> random_rotation(std::size_t d, std::uint64_t seed) {
  Rng rng(seed, "task rotation");
  std::vector<double> R(d * d);
  for (double& r : R) r = rng.normal();
  for (std::size_t i = 0; i < d; ++i) {
    double* const row = &R[i * d];
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < i; ++j) {
        const double* const other = &R[j * d];
        double projection = 0.0;
        for (std::size_t k = 0; k < d; ++k) projection += row[k] * other[k];
        for (std::size_t k = 0; k < d; ++k) row[k] -= projection * other[k];
      }
    }
    double norm = 0.0;
    for (std::size_t k = 0; k < d; ++k) norm += row[k] * row[k];
    for (std::size_t k = 0; k < d; ++k) row[k] /= std::sqrt(norm);
  }
  return R;
}

// Smooth but irregular, increasing, and 0 at 0, after the transformations T_osz and T_asy (beta =
// 0.2) of [Hansen2009, BBOB]: no polynomial describes what it is applied to. `position` is that of
// the coordinate, from 0 to 1; `unit` the scale on which the box is [-5, 5].
double bent(double t, double position, double unit) {
  t /= unit;
  if (t != 0.0) {
    const double log_t = std::log(std::abs(t));
    const double c1 = t > 0.0 ? 10.0 : 5.5, c2 = t > 0.0 ? 7.9 : 3.1;
    t = std::copysign(std::exp(log_t + 0.049 * (std::sin(c1 * log_t) + std::sin(c2 * log_t))), t);
  }
  if (t > 0.0) t = std::pow(t, 1.0 + 0.2 * position * std::sqrt(t));
  return t * unit;
}

class FunctionTask final : public BasicTask {
 public:
  FunctionTask(const Classic& classic, TaskOptions& options) : classic_(classic) {
    const auto dim = static_cast<int>(options.integer(
        "dim", classic.preset_dim, classic.smallest_dim, 1000, "number of parameters"));
    constexpr std::int64_t any_seed = std::int64_t{1} << 53;
    const auto shift = options.optional_integer(
        "shift", 0, any_seed, "seed: move the optimum to a random place inside the box");
    const auto rotate =
        options.optional_integer("rotate", 0, any_seed, "seed: rotate at random about the optimum");
    bends_ = options.integer(
                 "bend", 0, 0, 1,
                 "1: bend every coordinate about the optimum, smoothly and irregularly") == 1;
    const auto levels = options.optional_integer(
        "discretize", 4, 1000000, "levels: integers on a grid; the optimum is on the grid");

    z_.resize(static_cast<std::size_t>(dim));
    classic.minimizer(z_);
    x_ = z_;
    if (shift) place_optimum(static_cast<std::uint64_t>(*shift));
    if (rotate) R_ = random_rotation(z_.size(), static_cast<std::uint64_t>(*rotate));

    Point optimum = to_point(x_);
    std::vector<Parameter> parameters = box(dim, classic.low, classic.high);
    if (levels) {
      step_ = (classic.high - classic.low) / static_cast<double>(*levels - 1);
      for (std::size_t i = 0; i < x_.size(); ++i) {
        // Not on the border, so that the optimum has neighbours on all sides.
        const auto level =
            std::clamp<std::int64_t>(std::llround((x_[i] - classic.low) / step_), 1, *levels - 2);
        x_[i] = on_grid(level);
        optimum[i] = level;
        parameters[i] = Parameter::integer(parameters[i].name, 0, *levels - 1);
      }
    }
    space_ = Space::make(std::move(parameters)).value();
    info_ = {.name = std::string(classic.name),
             .summary = std::string(classic.summary),
             .source = std::string(classic.source),
             .goal = Goal::minimize,
             .optimum = Optimum{{std::move(optimum)}, classic.minimum(dim)}};
  }

 private:
  // Off-centre by 20 to 70 percent of the half width, in every coordinate.
  void place_optimum(std::uint64_t seed) {
    Rng rng(seed, "task shift");
    const double centre = 0.5 * (classic_.low + classic_.high);
    const double half = 0.5 * (classic_.high - classic_.low);
    for (double& x : x_) {
      const double sign = rng.uniform() < 0.5 ? -1.0 : 1.0;
      x = centre + sign * half * rng.uniform(0.2, 0.7);
    }
  }

  double on_grid(std::int64_t level) const {
    return classic_.low + step_ * static_cast<double>(level);
  }

  double value(const Point& point, Rng&) const override {
    const std::size_t d = z_.size();
    std::vector<double> offset(d), z(z_);
    for (std::size_t i = 0; i < d; ++i) {
      const auto* const level = std::get_if<std::int64_t>(&point[i]);
      offset[i] = (level ? on_grid(*level) : std::get<double>(point[i])) - x_[i];
    }
    const double unit = 0.1 * (classic_.high - classic_.low);
    for (std::size_t i = 0; i < d; ++i) {
      double t = offset[i];
      if (!R_.empty()) t = std::inner_product(offset.begin(), offset.end(), &R_[i * d], 0.0);
      const double position = d > 1 ? static_cast<double>(i) / static_cast<double>(d - 1) : 0.0;
      z[i] += bends_ ? bent(t, position, unit) : t;
    }
    if (classic_.penalty == 0.0) return classic_.f(z);
    double outside = 0.0;
    for (double& t : z) {
      const double inside = std::clamp(t, classic_.low, classic_.high);
      outside += (t - inside) * (t - inside);
      t = inside;
    }
    return classic_.f(z) + classic_.penalty * outside;
  }

  const Classic& classic_;
  std::vector<double> z_;  // (d), the function's own minimizer
  std::vector<double> x_;  // (d), where the task puts it
  std::vector<double> R_;  // (d,d) row-major; empty: identity
  bool bends_ = false;
  double step_ = 0.0;  // grid spacing when discretized
};

}  // namespace

std::unique_ptr<BasicTask> make_function_task(const Classic& classic, TaskOptions& options) {
  return std::make_unique<FunctionTask>(classic, options);
}

}  // namespace vbo::tasks
