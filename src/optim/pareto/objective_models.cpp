// SPDX-License-Identifier: MIT
#include "optim/pareto/objective_models.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/parallel.hpp"

namespace vbo::pareto {
namespace {

using Eigen::Index;

constexpr Index kMostCoefficients = 300;     // of a trend
constexpr int kFirstSteps = 30, kSteps = 4;  // of a fit: the first one, and one that goes on

constexpr double kLow = -2.0, kHigh = 1.0;  // values between stay as they are

double bent_value(double v) {
  constexpr double farthest = 1e100;
  if (v < kLow) return kLow - std::log(std::min(kLow + 1.0 - v, farthest));
  if (v > kHigh) return kHigh + std::log(std::min(v - kHigh + 1.0, farthest));
  return v;
}

}  // namespace

TrendCoordinates TrendCoordinates::of_data(ConstMatrixRef X) {
  constexpr double narrowest = 0.05;  // results in a plane say nothing about its distance
  TrendCoordinates made{X.rowwise().mean(), {}};
  const auto squares = (X.colwise() - made.centre).rowwise().squaredNorm();
  made.scale = (squares / static_cast<double>(X.cols())).cwiseSqrt().cwiseMax(narrowest);
  return made;
}

Matrix TrendCoordinates::of(ConstMatrixRef X) const {
  return (X.colwise() - centre).array().colwise() / scale.array();
}

namespace {

QuadraticModel trend_of(ConstMatrixRef U, ConstVectorRef v) {
  const auto form = QuadraticModel::form_for(U.cols(), U.rows(), kMostCoefficients);
  return {form, U, v, Vector::Ones(v.size())};
}

// -n/2 log s2 of the residuals of a trend.
double log_likelihood_of_trend(ConstMatrixRef U, ConstVectorRef v) {
  constexpr double least = 1e-12;  // of the variance of v
  const double whole = (v.array() - v.mean()).square().mean();
  const double left = (v - trend_of(U, v).mean(U)).squaredNorm() / static_cast<double>(v.size());
  return -0.5 * static_cast<double>(v.size()) * std::log(std::max(left, least * whole + 1e-300));
}

}  // namespace

// The likelihood of values: that of what they are bent to, times the derivative h' = 1 / (1 + low -
// v) below and 1 / (1 + v - high) above.
Scaling Scaling::of(const ObjectiveRanges& ranges, ConstMatrixRef X, ConstMatrixRef Y) {
  Scaling made{ranges, std::vector<bool>(static_cast<std::size_t>(Y.rows()), true)};
  const Matrix V = -ranges.distances(Y);
  const Matrix U = TrendCoordinates::of_data(X).of(X);
  for (Index m = 0; m < V.rows(); ++m) {
    const Vector v = V.row(m), by_bend = v.unaryExpr(&bent_value);
    const double slopes =
        -v.unaryExpr([](double at) {
            return at < kLow ? std::log1p(kLow - at) : at > kHigh ? std::log1p(at - kHigh) : 0.0;
          }).sum();
    if (slopes == 0.0 || !v.allFinite()) continue;
    made.bent[static_cast<std::size_t>(m)] =
        log_likelihood_of_trend(U, by_bend) + slopes > log_likelihood_of_trend(U, v);
  }
  return made;
}

Matrix Scaling::outcomes(ConstMatrixRef Y) const {
  Matrix V = -ranges.distances(Y);
  for (Index m = 0; m < V.rows(); ++m) {
    if (bent[static_cast<std::size_t>(m)]) V.row(m) = V.row(m).unaryExpr(&bent_value).eval();
  }
  return V;
}

Matrix Scaling::variances(ConstMatrixRef Y, ConstMatrixRef errors) const {
  if (errors.size() == 0) return {};
  constexpr double step = 1e-6;  // of the width
  const Vector half = 0.5 * step * ranges.width;
  const Matrix rise = outcomes(Y.colwise() + half) - outcomes(Y.colwise() - half);
  const Matrix by_width = ranges.width.cwiseInverse().asDiagonal() * errors;
  return (rise / step).cwiseProduct(by_width).cwiseAbs2();
}

ObjectiveModels::ObjectiveModels(Index objectives, GpOptions options, int threads)
    : options_(std::move(options)), threads_(threads) {
  options_.threads = 1;  // one process per thread
  for (Index m = 0; m < objectives; ++m) models_.emplace_back(options_);
}

// The log posterior of v, up to what both have in common; of the coefficients of a trend by the
// Bayesian information criterion.
double ObjectiveModels::fit_one(std::size_t m, bool with_trend, ConstMatrixRef X, ConstVectorRef v,
                                Rng rng) {
  Model& model = models_[m];
  State& state = with_trend ? model.beside_trend : model.plain;
  GpOptions options = options_;
  options.max_iterations = state.theta.size() == 0 ? kFirstSteps : kSteps;
  GaussianProcess gp(options);
  gp.set_state(state.theta);
  gp.set_known_variances(known(m));
  Vector left = v;
  double penalty = 0.0;
  if (with_trend) {
    const QuadraticModel trend = trend_of(local(X), v);
    left -= trend.mean(local(X));
    penalty = 0.5 * std::log(static_cast<double>(v.size())) *
              static_cast<double>(QuadraticModel::coefficients(trend.form(), X.rows()));
  }
  const FitReport report = gp.fit(X, left, rng);
  state = {gp.state(), gp.parameters().mean};
  const double scale = std::max(Standardize::of(left).scale, 1e-9);
  return report.objective - static_cast<double>(v.size()) * std::log(scale) - penalty;
}

void ObjectiveModels::fit(ConstMatrixRef X, ConstMatrixRef V, std::uint64_t seed,
                          std::uint64_t round) {
  coordinates_ = TrendCoordinates::of_data(X);
  std::vector<std::array<double, 2>> evidence(models_.size());
  parallel_for(threads_, 2 * static_cast<int>(objectives()), [&](int k) {
    const auto m = static_cast<std::size_t>(k / 2);
    const bool with_trend = k % 2 == 1;
    evidence[m][with_trend] =
        fit_one(m, with_trend, X, V.row(k / 2).transpose(),
                Rng(seed, "pareto-fit", 16 * round + static_cast<std::uint64_t>(k)));
  });
  parallel_for(threads_, static_cast<int>(objectives()), [&](int k) {
    const auto m = static_cast<std::size_t>(k);
    models_[m].has_trend = evidence[m][1] > evidence[m][0];
    place(m, X, V.row(k).transpose());
  });
}

// From the state alone: what was fitted and what was read predict the same, bit for bit.
bool ObjectiveModels::place(std::size_t m, ConstMatrixRef X, ConstVectorRef v) {
  Model& model = models_[m];
  const State& state = model.has_trend ? model.beside_trend : model.plain;
  if (state.theta.size() == 0 || !model.gp.set_state(state.theta)) return false;
  GpParameters parameters = model.gp.parameters();
  parameters.mean = state.mean;
  model.trend.reset();
  Vector left = v;
  if (model.has_trend) {
    model.trend.emplace(trend_of(local(X), v));
    left -= model.trend->mean(local(X));
  }
  model.gp.set_known_variances(known(m));
  model.gp.condition(parameters, X, left);
  return true;
}

bool ObjectiveModels::condition(ConstMatrixRef X, ConstMatrixRef V) {
  coordinates_ = TrendCoordinates::of_data(X);
  for (Index m = 0; m < objectives(); ++m) {
    Model& model = models_[static_cast<std::size_t>(m)];
    GaussianProcess other(options_);  // that both can be gone on with
    if (model.plain.theta.size() == 0 || model.beside_trend.theta.size() == 0) return false;
    if (!other.set_state(model.plain.theta) || !other.set_state(model.beside_trend.theta)) {
      return false;
    }
    if (!place(static_cast<std::size_t>(m), X, V.row(m).transpose())) return false;
  }
  return true;
}

Vector ObjectiveModels::known(std::size_t m) const {
  return known_.size() > 0 ? Vector(known_.row(static_cast<Index>(m))) : Vector();
}

Matrix ObjectiveModels::mean(ConstMatrixRef X) const {
  Matrix means(objectives(), X.cols());
  for (Index m = 0; m < means.rows(); ++m) {
    const Model& model = models_[static_cast<std::size_t>(m)];
    means.row(m) = model.gp.regression().mean(X);
    if (model.trend) means.row(m) += model.trend->mean(local(X)).transpose();
  }
  return means;
}

ObjectiveModels::Prediction ObjectiveModels::predict(ConstMatrixRef X) const {
  constexpr Index together = 64;  // points per piece of work
  Prediction p{Matrix(objectives(), X.cols()), Matrix(objectives(), X.cols())};
  const Index pieces = (X.cols() + together - 1) / together;
  parallel_for(threads_, static_cast<int>(pieces * objectives()), [&](int piece) {
    const Index m = piece / pieces, from = together * (piece % pieces);
    const Index count = std::min(together, X.cols() - from);
    const Model& model = models_[static_cast<std::size_t>(m)];
    const Matrix some = X.middleCols(from, count);
    const auto posterior = model.gp.marginals(some);
    p.mean.row(m).segment(from, count) = posterior->mean();
    if (model.trend) {
      p.mean.row(m).segment(from, count) += model.trend->mean(local(some)).transpose();
    }
    p.deviation.row(m).segment(from, count) = posterior->variance().cwiseSqrt();
  });
  return p;
}

// -t log sum_m exp(w_m u_m / t) - 0.05 w'u with u = -mean: chebyshev() where t is small.
double ObjectiveModels::score(ConstVectorRef x, const ObjectiveRanges& ranges,
                              ConstVectorRef weights, VectorRef slope) const {
  constexpr double t = 0.005, augmentation = 0.05;
  const Vector weighted = ranges.distances(mean(x)).col(0).cwiseProduct(weights);
  const double largest = weighted.maxCoeff();
  Vector share = ((weighted.array() - largest) / t).exp();
  const double sum = share.sum();
  share /= sum;
  const Vector by_mean =
      weights.cwiseQuotient(ranges.width).cwiseProduct((share.array() + augmentation).matrix());
  slope.setZero();
  for (Index m = 0; m < by_mean.size(); ++m) {
    const Vector one = Vector::Constant(1, by_mean[m]);
    const Model& model = models_[static_cast<std::size_t>(m)];
    slope += model.gp.regression().mean_slope(x, one).col(0);
    if (!model.trend) continue;
    const Vector by_u = model.trend->gradient() + model.trend->hessian() * local(x).col(0);
    slope += by_mean[m] * by_u.cwiseQuotient(coordinates_.scale);
  }
  return -largest - t * std::log(sum) - augmentation * weighted.sum();
}

Vector ObjectiveModels::pull_back(ConstVectorRef x, ConstVectorRef d_mean,
                                  ConstVectorRef d_deviation) const {
  Vector slope = Vector::Zero(x.size());
  for (Index m = 0; m < d_mean.size(); ++m) {
    const Model& model = models_[static_cast<std::size_t>(m)];
    const auto posterior = model.gp.marginals(x);
    const double by_variance = d_deviation[m] / (2.0 * std::sqrt(posterior->variance()[0]));
    slope += posterior->pullback(Vector::Constant(1, d_mean[m]), Vector::Constant(1, by_variance))
                 .col(0);
    if (!model.trend) continue;
    const Vector by_u = model.trend->gradient() + model.trend->hessian() * local(x).col(0);
    slope += d_mean[m] * by_u.cwiseQuotient(coordinates_.scale);
  }
  return slope;
}

void ObjectiveModels::add_fantasies(ConstMatrixRef X) {
  for (Model& model : models_) {
    const Index n = model.gp.regression().size();
    Matrix all = Matrix::Zero(X.rows(), n + X.cols());  // update() looks at what is new
    Vector left = Vector::Zero(all.cols());
    all.rightCols(X.cols()) = X;
    left.tail(X.cols()) = model.gp.regression().mean(X);
    model.gp.update(all, left, Rng(0));
  }
}

void ObjectiveModels::write(StateWriter& out) const {
  for (const Model& model : models_) {
    out.put<std::uint8_t>(model.has_trend);
    for (const State* state : {&model.plain, &model.beside_trend}) {
      out.put(state->theta).put(state->mean);
    }
  }
}

void ObjectiveModels::read(StateReader& in) {
  constexpr double largest = 1e6;
  for (Model& model : models_) {
    model.has_trend = in.get_flag();
    for (State* state : {&model.plain, &model.beside_trend}) {
      state->theta = in.get_numbers(largest);
      state->mean = in.get_number(-largest, largest);
    }
  }
}

}  // namespace vbo::pareto
