// SPDX-License-Identifier: MIT
#include "optim/feasibility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/limits.hpp"
#include "numerics/special.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr int kIterations = 20;  // of a fit: these models are beside the main one
constexpr double kLeastVariance = 1e-10;
constexpr double kLeastDeviation = 1e-9;
constexpr double kHalf = 0.5;  // success above, failure below

// log Phi(u), its derivative by u: phi / Phi.
ValueSlope log_cdf(double u) {
  const double value = normal_log_cdf(u);
  return {value, std::exp(normal_log_pdf(u) - value)};
}

}  // namespace

Success success_of(const Trial& trial) {
  if (!trial.values.empty() && std::isfinite(trial.values.front())) return Success::yes;
  if (!trial.failure) return Success::no;
  const FailureCause cause = trial.failure->cause;
  return cause == FailureCause::lost || cause == FailureCause::temporary ? Success::unknown
                                                                         : Success::no;
}

Index bounds_of(std::span<const Limit> limits) {
  Index count = 0;
  for (const Limit& limit : limits) count += limit.at_most.has_value() + limit.at_least.has_value();
  return count;
}

Vector relative_excesses(std::span<const Limit> limits,
                         const std::map<std::string, double>& metrics) {
  Vector found(bounds_of(limits));
  Index row = 0;
  for (const Limit& limit : limits) {
    const auto metric = metrics.find(limit.metric);
    const bool known = metric != metrics.end();
    const double scale = scale_of(limit);
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    if (limit.at_most) {
      found[row++] = known ? (metric->second - *limit.at_most) / scale : unknown;
    }
    if (limit.at_least) {
      found[row++] = known ? (*limit.at_least - metric->second) / scale : unknown;
    }
  }
  return found;
}

void Feasibility::forget() {
  success_.reset();
  border_.forget();
  bounds_.clear();
  trends_.reset();
}

namespace {

// Codes as the surrogates take them: around the middle of the cube, of size one.
Matrix centred(ConstMatrixRef X) {
  return (2.0 * X.array() - 1.0) / std::sqrt(static_cast<double>(X.rows()));
}

}  // namespace

void Feasibility::learn_shared(ConstMatrixRef X, ConstMatrixRef excesses) {
  std::vector<Index> known;
  for (Index i = 0; i < X.cols(); ++i) {
    if (excesses.col(i).allFinite()) known.push_back(i);
  }
  if (known.empty()) return;
  trends_ = std::make_unique<TrendProcesses>(centred(Matrix(X(Eigen::all, known))),
                                             excesses(Eigen::all, known).transpose(),
                                             Vector::Ones(std::ssize(known)));
}

void Feasibility::learn(const GpOptions& model, ConstMatrixRef X,
                        const std::vector<Success>& success, ConstMatrixRef excesses, Limits limits,
                        Rng rng) {
  forget();
  const auto fitted = [&](const std::vector<Index>& rows, const Vector& y, const GpOptions& with) {
    Matrix inputs(X.rows(), static_cast<Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      inputs.col(static_cast<Index>(i)) = X.col(rows[i]);
    }
    auto gp = std::make_unique<GaussianProcess>(with);
    gp->fit(inputs, y, Rng(rng(), "feasibility"));
    return gp;
  };
  GpOptions options = model;
  options.max_iterations = kIterations;
  options.fixed_noise.reset();

  std::vector<Index> rows;
  std::vector<double> labels;
  for (Index i = 0; i < X.cols(); ++i) {
    const Success found = success[static_cast<std::size_t>(i)];
    if (found == Success::unknown) continue;
    rows.push_back(i);
    labels.push_back(found == Success::yes ? 1.0 : 0.0);
  }
  const auto failures = std::count(labels.begin(), labels.end(), 0.0);
  if (failures > 0 && failures < std::ssize(labels)) {
    GpOptions noisy = options;
    // Labels: a failure that nothing explains has to be possible.
    noisy.noise_prior = PositivePrior::log_normal(-2.0, 2.0);
    noisy.noise_low = 1e-3;
    noisy.noise_start = 0.1;
    success_ = fitted(rows, Eigen::Map<const Vector>(labels.data(), std::ssize(labels)), noisy);
  }
  if (limits == Limits::shared) {
    if (excesses.rows() > 0) learn_shared(X, excesses);
    return;
  }
  for (Index bound = 0; bound < excesses.rows(); ++bound) {
    std::vector<Index> known;
    std::vector<double> values;
    for (Index i = 0; i < X.cols(); ++i) {
      if (!std::isfinite(excesses(bound, i))) continue;
      known.push_back(i);
      values.push_back(std::copysign(std::log1p(std::abs(excesses(bound, i))), excesses(bound, i)));
    }
    if (known.empty()) continue;
    bounds_.push_back(
        fitted(known, Eigen::Map<const Vector>(values.data(), std::ssize(values)), options));
  }
}

void Feasibility::learn_border(const Encoding& encoding, ConstMatrixRef X,
                               const std::vector<Success>& success, Index best, std::size_t fewest,
                               Border::Distances distances) {
  border_.learn(encoding, X, success, best, fewest, distances);
}

namespace {

// log Phi(sign (mean - bar) / sigma) at X (D,m); `slope` (D,m) becomes its derivative.
Vector log_side(const GaussianProcess& gp, double sign, double bar, ConstMatrixRef X,
                Matrix* slope) {
  const Index m = X.cols();
  const auto p = gp.marginals(X);
  Vector found(m), dmean(m), dvariance(m);
  for (Index i = 0; i < m; ++i) {
    const double sigma = std::sqrt(std::max(p->variance()[i], kLeastVariance));
    const double u = sign * (p->mean()[i] - bar) / sigma;
    const ValueSlope f = log_cdf(u);
    found[i] = f.value;
    dmean[i] = f.slope * sign / sigma;
    dvariance[i] = -0.5 * f.slope * u / (sigma * sigma);
  }
  if (slope) *slope = p->pullback(dmean, dvariance);
  return found;
}

}  // namespace

Vector Feasibility::log_success(ConstMatrixRef X, Matrix* slope) const {
  const Index m = X.cols();
  Vector found = Vector::Zero(m);
  if (slope) *slope = Matrix::Zero(X.rows(), m);
  if (!success_) return found;
  std::vector<Border::Place> places;
  for (Index i = 0; i < m; ++i) places.push_back(border_.place_of(X.col(i)));
  // What `predict` says of those for which `asked` holds; where both models know something, the
  // more doubtful one is used.
  const auto add = [&](const auto& predict, const auto& asked, bool first) {
    std::vector<Index> which;
    for (Index i = 0; i < m; ++i) {
      if (asked(places[static_cast<std::size_t>(i)])) which.push_back(i);
    }
    if (which.empty()) return;
    Matrix by_x;
    const Vector log_p = predict(Matrix(X(Eigen::all, which)), slope ? &by_x : nullptr);
    for (std::size_t k = 0; k < which.size(); ++k) {
      const auto at = static_cast<Index>(k);
      const Index i = which[k];
      const bool alone = first || places[static_cast<std::size_t>(i)] == Border::Place::near;
      if (!alone && log_p[at] >= found[i]) continue;
      found[i] = log_p[at];
      if (slope) slope->col(i) = by_x.col(at);
    }
  };
  add([&](const Matrix& at, Matrix* by_x) { return log_side(*success_, 1.0, kHalf, at, by_x); },
      [](Border::Place place) { return place != Border::Place::near; }, true);
  add([&](const Matrix& at, Matrix* by_x) { return border_.log_probability(at, by_x); },
      [](Border::Place place) { return place != Border::Place::beyond; }, false);
  return found;
}

Vector Feasibility::log_within(ConstMatrixRef X, Matrix* slope) const {
  Vector sum = Vector::Zero(X.cols());
  if (slope) *slope = Matrix::Zero(X.rows(), X.cols());
  const Matrix U = trends_ ? centred(X) : Matrix();
  for (Index i = 0; i < U.cols(); ++i) {
    Matrix dmean, ddeviation;
    const Vector mean = trends_->mean(U.col(i), slope ? &dmean : nullptr);
    const Vector deviation = trends_->deviation(U.col(i), slope ? &ddeviation : nullptr);
    for (Index m = 0; m < mean.size(); ++m) {
      const double sigma = std::max(deviation[m], kLeastDeviation);
      const double u = -mean[m] / sigma;
      const ValueSlope f = log_cdf(u);
      sum[i] += f.value;
      if (!slope) continue;
      slope->col(i) -= f.slope / sigma * (dmean.col(m) + u * ddeviation.col(m));
    }
  }
  if (slope && trends_) *slope *= 2.0 / std::sqrt(static_cast<double>(X.rows()));
  for (const auto& gp : bounds_) {
    Matrix by_x;
    sum += log_side(*gp, -1.0, 0.0, X, slope ? &by_x : nullptr);
    if (slope) *slope += by_x;
  }
  return sum;
}

Vector Feasibility::log_probability(ConstMatrixRef X, Matrix* slope) const {
  if (!success_) return log_within(X, slope);
  Matrix by_x;
  Vector found = log_success(X, slope) + log_within(X, slope ? &by_x : nullptr);
  if (slope) *slope += by_x;
  return found;
}

Matrix Feasibility::violations(ConstMatrixRef X, Index S, Rng rng) const {
  Matrix sum = Matrix::Zero(X.cols(), S);
  if (success_) {
    const Matrix draws = success_->sample_functions(X, S, false, Rng(rng(), "success"));
    sum.array() += (kHalf - draws.array()).max(0.0);
  }
  for (const auto& gp : bounds_) {
    sum.array() += gp->sample_functions(X, S, false, Rng(rng(), "bound")).array().max(0.0);
  }
  return sum;
}

}  // namespace vbo
