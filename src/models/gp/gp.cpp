// SPDX-License-Identifier: MIT
#include "models/gp/gp.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "models/gp/random_features.hpp"
#include "numerics/flops.hpp"
#include "numerics/quasi_newton.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr Index exact_sample_limit = 1500;  // points; beyond, O(m^3) is slower than features
constexpr Index feature_count = 1024;

// A subset of n indices of 0..N-1, in increasing order.
std::vector<Index> subset(Index N, Index n, Rng& rng) {
  const std::vector<std::size_t> order = rng.permutation(static_cast<std::size_t>(N));
  std::vector<Index> chosen(order.begin(), order.begin() + n);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// Gains in nats of the log posterior that are not worth another evaluation, on all data and on a
// subset of it.
constexpr double negligible_gain = 0.05, rough_gain = 1.0;
// A second search begins with this noise (of the standardized outcome) and long length-scales,
// where that is less likely by at most so many nats an observation than what the first one found.
// It begins far from its end, hence more steps.
constexpr double much_noise = 0.3, noise_margin = 0.3;
constexpr int noise_steps = 6;           // times the usual ones
constexpr Index serial_points = 200;     // below, threads gain less than they cost
constexpr Index information_probes = 2;  // more of them cost more than the steps they save

// Sizes of the subsets a cold fit starts on, each at most two thirds of all.
std::vector<Index> growing_sizes(Index first, Index all) {
  std::vector<Index> sizes;
  for (Index size = first; size > 0 && 3 * size <= 2 * all; size *= 2) sizes.push_back(size);
  return sizes;
}

}  // namespace

GpOptions GpOptions::standard(Index D) {
  GpOptions o;
  o.group.resize(static_cast<std::size_t>(D));
  std::iota(o.group.begin(), o.group.end(), Index{0});
  o.input_scale = Vector::Ones(D);
  o.lengthscale_prior = PositivePrior::log_normal(0.0, 0.7);
  o.scale_prior_to(D);
  // Wide: the mode is at 1e-5 (most programs are deterministic), 1e-1 costs 5 nats.
  o.noise_prior = PositivePrior::log_normal(-7.5, 2.0);
  o.lengthscale_low = 0.025;
  return o;
}

GpOptions GpOptions::botorch(Index D) {
  GpOptions o = standard(D);
  o.lengthscale_prior.b = std::sqrt(3.0);
  o.scale_prior_to(D);
  o.noise_prior = PositivePrior::log_normal(-4.0, 1.0);
  o.noise_start = o.noise_prior.mode();
  o.noise_low = 1e-4;
  o.lengthscale_start = o.lengthscale_prior.mode();
  o.learn_variance = false;
  return o;
}

GpOptions GpOptions::gamma_priors(Index D) {
  GpOptions o = standard(D);
  o.lengthscale_prior = PositivePrior::gamma(3.0, 6.0);
  o.variance_prior = PositivePrior::gamma(2.0, 0.15);
  o.noise_prior = PositivePrior::gamma(1.1, 0.05);
  o.learn_variance = true;
  o.lengthscale_start = o.variance_start = std::log(2.0);
  o.noise_start = 2.0;
  o.noise_low = 1e-4;
  o.lengthscale_low = 1e-4;
  return o;
}

void GpOptions::scale_prior_to(Index d) {
  if (lengthscale_prior.family != PositivePrior::Family::log_normal) return;
  // The mode of a LogNormal(a, b) is exp(a - b^2).
  const double size = static_cast<double>(std::max<Index>(1, d)), spread = lengthscale_prior.b;
  const double log_mode = std::sqrt(2.0) - 3.0 + 0.5 * std::log(size);
  lengthscale_prior = PositivePrior::log_normal(log_mode + spread * spread, spread);
}

Index GpOptions::groups() const {
  return group.empty() ? 0 : *std::max_element(group.begin(), group.end()) + 1;
}

void GpOptions::tie(Index offset, Index width) {
  const Index first = group[static_cast<std::size_t>(offset)];
  for (Index j = offset; j < static_cast<Index>(group.size()); ++j) {
    Index& g = group[static_cast<std::size_t>(j)];
    g = j < offset + width ? first : g - (width - 1);
    if (j < offset + width) input_scale[j] = std::sqrt(0.5);
  }
}

// Minus the log posterior density of the hyper-parameters, as a function of
// theta = (log lengthscales, [log variance], [log noise]).
struct GaussianProcess::Objective {
  const GaussianProcess& gp;
  ConstMatrixRef X;
  ConstVectorRef z;
  LikelihoodWorkspace& work;
  Vector factored{};  // the theta whose factor is in `work`; empty when it holds none
  LikelihoodValue found{};

  double operator()(ConstVectorRef theta, double ceiling, Slope& out) {
    const GpOptions& o = gp.options_;
    const GpParameters p = gp.from_theta(theta);
    const Index groups = p.lengthscales.size();
    double prior = 0.0;
    for (Index g = 0; g < groups; ++g) prior += o.lengthscale_prior.log_density(p.lengthscales[g]);
    if (o.learn_variance) prior += o.variance_prior.log_density(p.variance);
    if (!o.fixed_noise) prior += o.noise_prior.log_density(p.noise_variance);
    LikelihoodGradient slope;
    found = log_likelihood(gp.kernel_of(p), p.noise_variance, std::nullopt, X, z, work, &slope,
                           false, -ceiling - prior);
    factored = found.ok ? Vector(theta) : Vector();
    if (!found.ok) return std::nan("");
    if (!found.has_gradient) return -found.value - prior;
    // From the D inputs, variance and noise to theta: sums over groups, the chain rule of log
    // noise.
    const Index D = X.rows();
    Matrix chain = Matrix::Zero(D + 2, theta.size());
    for (Index j = 0; j < D; ++j) chain(j, o.group[static_cast<std::size_t>(j)]) = 1.0;
    Vector by_input(D + 2), by_theta(theta.size()), of_prior(theta.size());
    by_input << slope.log_lengthscales, slope.log_variance, slope.noise_variance;
    for (Index g = 0; g < groups; ++g) {
      by_theta[g] = o.lengthscale_prior.slope(p.lengthscales[g]);
      of_prior[g] = o.lengthscale_prior.curvature(p.lengthscales[g]);
    }
    Index next = groups;
    if (o.learn_variance) {
      chain(D, next) = 1.0;
      by_theta[next] = o.variance_prior.slope(p.variance);
      of_prior[next++] = o.variance_prior.curvature(p.variance);
    }
    if (!o.fixed_noise) {
      chain(D + 1, next) = p.noise_variance;
      by_theta[next] = o.noise_prior.slope(p.noise_variance);
      of_prior[next] = o.noise_prior.curvature(p.noise_variance);
    }
    out.gradient = -chain.transpose() * by_input - by_theta;
    out.curvature = chain.transpose() * slope.information * chain;
    out.curvature.diagonal() += of_prior;
    return -found.value - prior;
  }
};

GaussianProcess::GaussianProcess(GpOptions options)
    : options_(std::move(options)), parameters_(start()) {}

GpParameters GaussianProcess::start() const {
  GpParameters p;
  p.lengthscales = Vector::Constant(options_.groups(), options_.lengthscale_start);
  p.variance = options_.variance_start;
  p.noise_variance = options_.noise_start;
  return p;
}

GpParameters GaussianProcess::from_theta(ConstVectorRef theta) const {
  GpParameters p = parameters_;
  Index next = options_.groups();
  p.lengthscales = theta.head(next).array().exp();
  p.variance = options_.learn_variance ? std::exp(theta[next++]) : options_.variance_start;
  p.noise_variance =
      options_.fixed_noise
          ? std::max(*options_.fixed_noise / (output_.scale * output_.scale), options_.noise_low)
          : std::exp(theta[next]);
  return p;
}

Vector GaussianProcess::to_theta(const GpParameters& p) const {
  const Index groups = options_.groups();
  Vector theta(groups + (options_.learn_variance ? 1 : 0) + (options_.fixed_noise ? 0 : 1));
  theta.head(groups) = p.lengthscales.array().log();
  Index next = groups;
  if (options_.learn_variance) theta[next++] = std::log(p.variance);
  if (!options_.fixed_noise) theta[next] = std::log(p.noise_variance);
  return theta;
}

StationaryKernel GaussianProcess::kernel_of(const GpParameters& p) const {
  Vector inverse(options_.input_scale.size());
  for (Index j = 0; j < inverse.size(); ++j) {
    inverse[j] =
        options_.input_scale[j] / p.lengthscales[options_.group[static_cast<std::size_t>(j)]];
  }
  return {options_.kernel, std::move(inverse), p.variance};
}

FitReport GaussianProcess::fit(ConstMatrixRef X, ConstVectorRef y, Rng rng) {
  output_ = Standardize::of(y);
  const Vector z = output_.apply(y), known = known_of(0, y.size());
  GpParameters low = start(), high = start();
  low.lengthscales.setConstant(options_.lengthscale_low);
  high.lengthscales.setConstant(options_.lengthscale_high);
  low.variance = options_.variance_low, high.variance = options_.variance_high;
  low.noise_variance = options_.noise_low, high.noise_variance = options_.noise_high;
  const Vector lower = to_theta(low), upper = to_theta(high);

  // The first search from the general start takes short steps: long ones may end in a worse
  // optimum.
  const bool warm = fitted_.size() > 0;
  bool settled = warm;
  Vector theta = warm ? fitted_ : to_theta(start());
  Team team(X.cols() < serial_points ? 1 : options_.threads);
  LikelihoodWorkspace work{.team = &team};
  const auto minimize = [&](Objective& objective, double gain_tolerance, int steps = 1) {
    work.probes.resize(objective.X.cols(), information_probes);
    if (!options_.quadratic.empty()) work.quadratic = options_.quadratic.at(objective.X);
    for (double& v : work.probes.reshaped()) v = rng.uniform() < 0.5 ? -1.0 : 1.0;
    return minimize_quasi_newton([&](ConstVectorRef t, double ceiling,
                                     Slope& slope) { return objective(t, ceiling, slope); },
                                 theta, lower, upper,
                                 {.max_iterations = steps * options_.max_iterations,
                                  .max_evaluations = 2 * steps * options_.max_iterations,
                                  .gain_tolerance = gain_tolerance,
                                  .longest_step = settled ? 1.0 : 0.5});
  };
  // From few points to all: each size starts where the last one ended, so that few of the expensive
  // evaluations are left.
  if (!warm) {
    for (const Index size : growing_sizes(options_.warmup_points, X.cols())) {
      const std::vector<Index> some = subset(X.cols(), size, rng);
      const Matrix inputs = X(Eigen::all, some);
      const Vector outcomes = z(some);
      if (known.size() > 0) work.known = known(some);
      Objective objective{*this, inputs, outcomes, work};
      const MinimizeResult rough = minimize(objective, rough_gain);
      if (!rough.usable()) continue;
      theta = rough.x;
      settled = true;
    }
  }
  work.known = known;
  Objective objective{*this, X, z, work};
  MinimizeResult found = minimize(objective, negligible_gain);
  // Short length-scales explain severe noise, too, and a search that begins with little noise ends
  // there.
  if (found.usable() && !options_.fixed_noise && from_theta(found.x).noise_variance < much_noise) {
    GpParameters noisy = start();
    noisy.noise_variance = much_noise;
    theta = to_theta(noisy);
    settled = false;
    Slope slope;
    const double ceiling = found.value + noise_margin * static_cast<double>(X.cols());
    if (objective(theta, ceiling, slope) < ceiling) {
      MinimizeResult other = minimize(objective, negligible_gain, noise_steps);
      if (other.usable() && other.value < found.value) found = std::move(other);
    }
  }

  FitReport report;
  report.iterations = found.iterations;
  if (found.usable()) {
    fitted_ = found.x;
    parameters_ = from_theta(fitted_);
    report.objective = -found.value;
    report.status = found.converged() || found.status == MinimizeStatus::stalled
                        ? FitReport::Status::converged
                        : FitReport::Status::stopped;
    report.message = found.converged() ? "" : found.text;
  } else {
    parameters_ = start();
    fitted_ = to_theta(parameters_);
    report.status = FitReport::Status::fallback;
    report.message = "kept the starting hyper-parameters: " + found.text;
  }
  LikelihoodValue value = objective.found;
  const bool has_factor = found.usable() && objective.factored.size() == found.x.size() &&
                          objective.factored == found.x;
  if (!has_factor) {
    value = log_likelihood(kernel_of(parameters_), parameters_.noise_variance, std::nullopt, X, z,
                           work, nullptr);
  }
  const bool has_mean = value.ok && std::isfinite(value.mean) && std::isfinite(value.slope);
  parameters_.mean = has_mean ? value.mean : 0.0;
  parameters_.slope = has_mean ? value.slope : 0.0;
  if (value.ok) {
    regression_.emplace(regression_parameters(), X, y, std::move(work.K), std::move(work.alpha));
  } else {
    condition(parameters_, X, y);
  }
  return report;
}

FitReport GaussianProcess::update(ConstMatrixRef X, ConstVectorRef y, Rng rng) {
  if (!regression_ || X.cols() < regression_->size()) return fit(X, y, rng);
  const Index more = X.cols() - regression_->size();
  regression_->append(X.rightCols(more), y.tail(more), known_of(regression_->size(), more));
  return {};
}

Vector GaussianProcess::known_of(Index first, Index count) const {
  if (known_.size() < first + count) return {};
  return known_.segment(first, count) / (output_.scale * output_.scale);
}

void GaussianProcess::condition(const GpParameters& parameters, ConstMatrixRef X,
                                ConstVectorRef y) {
  parameters_ = parameters;
  output_ = Standardize::of(y);
  regression_.emplace(regression_parameters(), X, y, known_of(0, y.size()));
}

Regression::Parameters GaussianProcess::regression_parameters() const {
  return {std::make_shared<StationaryKernel>(kernel_of(parameters_)),
          parameters_.mean,
          parameters_.noise_variance,
          output_,
          options_.quadratic,
          parameters_.slope,
          options_.keep_inverse};
}

std::unique_ptr<Posterior> GaussianProcess::posterior(ConstMatrixRef X) const {
  return regression_->posterior(X, true);
}

std::unique_ptr<Posterior> GaussianProcess::marginals(ConstMatrixRef X) const {
  return regression_->posterior(X, false);
}

// Matheron: f = m + g + k(.,X) K_y^-1 (z - m(X) - g(X) - e), g a prior draw and e ~ N(0, noise).
Matrix GaussianProcess::sample_functions(ConstMatrixRef X, Index S, bool with_noise,
                                         Rng rng) const {
  if (X.cols() <= exact_sample_limit) return regression_->sample(X, S, with_noise, rng);
  const StationaryKernel kernel = kernel_of(parameters_);
  const RandomFeatures features(kernel, feature_count, rng);
  Matrix weights(features.size(), S);
  for (double& w : weights.reshaped()) w = rng.normal();
  const double noise_sigma = std::sqrt(parameters_.noise_variance);
  Matrix correction = -(features(regression_->inputs()) * weights);  // (n,S)
  correction.colwise() += regression_->residual();
  for (double& r : correction.reshaped()) r -= noise_sigma * rng.normal();
  regression_->solve_forward(correction);
  regression_->solve_backward(correction);
  Matrix Y = features(X) * weights;  // (m,S)
  Y.noalias() += kernel.cross(regression_->inputs(), X).transpose() * correction;
  flops::add(flops::gemm(X.cols(), S, regression_->size() + features.size()));
  if (with_noise) {
    for (double& v : Y.reshaped()) v += noise_sigma * rng.normal();
  }
  Y.colwise() += regression_->parameters().prior_mean(X);
  return Y.array() * output_.scale + output_.offset;
}

std::unique_ptr<Surrogate> GaussianProcess::conditioned_on(ConstMatrixRef X,
                                                           ConstVectorRef y) const {
  auto copy = std::make_unique<GaussianProcess>(*this);
  copy->regression_->append(X, y);
  return copy;
}

double GaussianProcess::noise_variance() const {
  return parameters_.noise_variance * output_.scale * output_.scale;
}

Vector GaussianProcess::state() const { return fitted_; }

bool GaussianProcess::set_state(ConstVectorRef state) {
  constexpr double farthest = 50.0;  // logarithm of a hyper-parameter; no range goes there
  fitted_ = Vector();
  parameters_ = start();
  if (state.size() == 0) return true;
  if (state.size() != to_theta(parameters_).size()) return false;
  if (!(state.array().abs() <= farthest).all()) return false;
  fitted_ = state;
  parameters_ = from_theta(fitted_);
  return true;
}

}  // namespace vbo
