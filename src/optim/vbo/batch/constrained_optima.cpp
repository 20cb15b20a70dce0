// SPDX-License-Identifier: MIT
#include "optim/vbo/batch/constrained_optima.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "models/trend/trend_processes.hpp"
#include "numerics/minimize.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr double kFlat = 1e-7;        // least width of a neighbourhood, of the box
constexpr double kWidthRatio = 1e-3;  // least, of its largest one
constexpr double kSame = 1e-3;        // widths within which two points are one
// The augmented Lagrangian: its penalty begins with the first value and grows by the factor while
// the worst violation does not fall to a third.
constexpr int kOuter = 8, kInner = 30, kEvaluations = 45;
constexpr double kPenalty = 10.0, kPenaltyGrowth = 5.0, kProgress = 0.3;
constexpr double kHolds = 1e-6;  // of the mean excess in the neighbourhood

Vector total_violation(const Matrix& excesses) {
  return excesses.cwiseMax(0.0).array().log1p().rowwise().sum();
}

// The best feasible result, or the one with the least violation.
Index best_of(const LimitResults& results) {
  const Vector violation = total_violation(results.excesses);
  Index best = 0;
  for (Index i = 1; i < violation.size(); ++i) {
    if (violation[i] < violation[best] ||
        (violation[i] == violation[best] && results.objective[i] > results.objective[best])) {
      best = i;
    }
  }
  return best;
}

// Surrogates around a centre, in coordinates in which the results have unit moments.
class Neighbourhood {
 public:
  Neighbourhood(const Matrix& X, const LimitResults& results, Index centre, Index size)
      : centre_(X.col(centre)), scale_(Vector::Ones(X.rows())) {
    std::vector<Index> nearest(static_cast<std::size_t>(X.cols()));
    std::iota(nearest.begin(), nearest.end(), Index{0});
    const Matrix steps = X.colwise() - centre_;
    for (int pass = 0; pass < 2; ++pass) {
      const Vector squares =
          (scale_.cwiseInverse().asDiagonal() * steps).colwise().squaredNorm().transpose();
      std::ranges::sort(nearest, {}, [&](Index i) { return std::pair(squares[i], i); });
      const std::vector<Index> some(nearest.begin(), nearest.begin() + size);
      scale_ = (steps(Eigen::all, some).array().square().rowwise().mean()).sqrt();
      scale_ = scale_.cwiseMax(std::max(kWidthRatio * scale_.maxCoeff(), kFlat));
    }
    nearest.resize(static_cast<std::size_t>(size));
    const double root = std::sqrt(static_cast<double>(X.rows()));
    unit_ = root * scale_;
    const Matrix U = unit_.cwiseInverse().asDiagonal() * steps(Eigen::all, nearest);
    const Matrix excesses = results.excesses(nearest, Eigen::all);
    limits_.emplace(U, excesses, Vector::Ones(size));
    limit_scale_ = excesses.cwiseAbs().colwise().mean().transpose().cwiseMax(1e-300);
    const Vector values = results.objective(nearest);
    const Vector gaps = (values.array() - values[0]).abs();
    std::vector<double> sorted(gaps.begin(), gaps.end());
    std::ranges::sort(sorted);
    const double good = std::max(
        sorted[static_cast<std::size_t>(Tuning::constrained_good * static_cast<double>(size))],
        1e-300);
    objective_.emplace(U, values, (1.0 + gaps.array() / good).square().inverse().matrix());
    objective_scale_ = good;
  }

  // By an augmented Lagrangian (Powell, Hestenes; for inequalities Rockafellar 1973): maximizes the
  // predicted objective f where all limits are predicted to hold with `careful` deviations to
  // spare, h = g + careful s <= 0:
  //   L(u) = -f(u) + (|max(0, lambda + rho h(u))|^2 - |lambda|^2) / (2 rho)
  // with s fixed during a minimization, then lambda = max(0, lambda + rho h).
  Vector optimum(double careful) const {
    const double radius = Tuning::constrained_radius;
    const Vector low = (centre_ - radius * scale_).cwiseMax(0.0);
    const Vector high = (centre_ + radius * scale_).cwiseMin(1.0);
    Vector u = Vector::Zero(centre_.size());
    const Vector u_low = (low - centre_).cwiseQuotient(unit_),
                 u_high = (high - centre_).cwiseQuotient(unit_);
    Vector multipliers = Vector::Zero(limit_scale_.size());
    double penalty = kPenalty;
    double before = INFINITY;
    for (int outer = 0; outer < kOuter; ++outer) {
      const Vector margin = careful * limits_->deviation(u);
      const auto lagrangian = [&](ConstVectorRef at, VectorRef gradient) {
        Matrix slope_f(at.size(), 1), slope_g(at.size(), margin.size());
        const double f = objective_->mean(at, &slope_f)[0] / objective_scale_;
        const Vector h = (limits_->mean(at, &slope_g) + margin).cwiseQuotient(limit_scale_);
        const Vector push = (multipliers + penalty * h).cwiseMax(0.0);
        gradient = -slope_f.col(0) / objective_scale_ + slope_g * push.cwiseQuotient(limit_scale_);
        return -f + (push.squaredNorm() - multipliers.squaredNorm()) / (2.0 * penalty);
      };
      MinimizeOptions options;
      options.max_iterations = kInner;
      options.max_evaluations = kEvaluations;
      const MinimizeResult found = minimize_bounded(lagrangian, u, u_low, u_high, options);
      if (!found.usable()) break;
      u = found.x;
      const Vector h = (limits_->mean(u) + margin).cwiseQuotient(limit_scale_);
      multipliers = (multipliers + penalty * h).cwiseMax(0.0);
      const double worst = h.maxCoeff();
      if (worst < kHolds && outer >= 2) break;
      if (worst > kProgress * before) penalty *= kPenaltyGrowth;
      before = std::max(worst, 0.0);
    }
    return centre_ + unit_.cwiseProduct(u);
  }

  const Vector& centre() const { return centre_; }
  const Vector& scale() const { return scale_; }

 private:
  Vector centre_, scale_, unit_;  // (Dn)
  std::optional<TrendProcesses> limits_, objective_;
  Vector limit_scale_;
  double objective_scale_ = 1.0;
};

}  // namespace

std::vector<Vector> constrained_optima(const Encoding& encoding, const LimitResults& results,
                                       int count, std::uint64_t turn, Rng& rng) {
  const std::vector<Index> numeric = encoding.numeric_coordinates();
  const auto D = std::ssize(numeric);
  if (D == 0 || results.codes.cols() == 0) return {};
  const Index best = best_of(results);
  const Vector code = results.codes.col(best);
  std::vector<Index> alike;
  Index centre = 0;
  for (Index i = 0; i < results.codes.cols(); ++i) {
    if (!encoding.same_categories(results.codes.col(i), code)) continue;
    if (i == best) centre = std::ssize(alike);
    alike.push_back(i);
  }
  const LimitResults chosen{results.codes(Eigen::all, alike), results.objective(alike),
                            results.excesses(alike, Eigen::all)};
  const Matrix X = chosen.codes(numeric, Eigen::all);
  const Index n = X.cols();
  if (n < D + 2) return {};
  std::vector<Index> sizes;
  for (double size = static_cast<double>(std::max<Index>(D + 3, Tuning::constrained_fewest));
       size < static_cast<double>(std::min<Index>(n, Tuning::constrained_most));
       size *= Tuning::constrained_growth) {
    sizes.push_back(static_cast<Index>(size));
  }
  sizes.push_back(std::min<Index>(n, Tuning::constrained_most));
  std::vector<std::optional<Neighbourhood>> models(sizes.size());
  std::vector<Vector> found;
  for (int i = 0; i < count; ++i) {
    const std::size_t step = turn + static_cast<std::size_t>(i);
    const std::size_t which = step % sizes.size();
    const double careful =
        Tuning::constrained_doubts[(step / sizes.size()) % std::size(Tuning::constrained_doubts)];
    std::optional<Neighbourhood>& model = models[which];
    if (!model) model.emplace(X, chosen, centre, sizes[which]);
    Vector x = model->optimum(careful);
    const auto repeats = [&](const Vector& other) {
      return (other - x).cwiseQuotient(model->scale()).cwiseAbs().maxCoeff() < kSame;
    };
    const bool known = repeats(model->centre()) || std::ranges::any_of(found, [&](const Vector& v) {
                         return repeats(v(numeric));
                       });
    if (known) {
      for (Index j = 0; j < D; ++j)
        x[j] += Tuning::constrained_step * model->scale()[j] * rng.normal();
    }
    Vector full = code;
    full(numeric) = x.cwiseMax(0.0).cwiseMin(1.0);
    encoding.snap(full);
    if (full.allFinite()) found.push_back(std::move(full));
  }
  return found;
}

}  // namespace vbo
