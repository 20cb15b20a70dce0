// SPDX-License-Identifier: MIT
#include "models/dkl/dkl.hpp"

#include <cmath>
#include <utility>

#include "models/gp/likelihood.hpp"
#include "models/gp/prior.hpp"
#include "models/ledger.hpp"
#include "nn/adam.hpp"
#include "nn/init.hpp"
#include "numerics/special.hpp"

namespace vbo {
namespace {

using Eigen::Index;

constexpr double noise_low = 1e-4;
const PositivePrior lengthscale_prior = PositivePrior::gamma(3.0, 6.0);
const PositivePrior variance_prior = PositivePrior::gamma(2.0, 0.15);
const PositivePrior noise_prior = PositivePrior::gamma(1.1, 0.05);

std::span<double> span_of(Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

// The posterior of the process on features, with its pullbacks continued to the inputs.
class FeaturePosterior final : public Posterior {
 public:
  FeaturePosterior(const nn::MlpShape& shape, std::shared_ptr<const Vector> weights,
                   const Regression& regression, ConstMatrixRef X, bool joint)
      : shape_(shape), weights_(std::move(weights)) {
    const Matrix features = nn::forward<double>(shape_, weights_->data(), X, work_);
    inner_ = regression.posterior(features, joint);
  }
  const Vector& mean() const override { return inner_->mean(); }
  const Vector& variance() const override { return inner_->variance(); }
  const Matrix& covariance() const override { return inner_->covariance(); }
  Matrix draws(const BaseSamples& base) const override { return inner_->draws(base); }
  Matrix pullback(ConstVectorRef dmean, ConstVectorRef dvariance) const override {
    return to_inputs(inner_->pullback(dmean, dvariance));
  }
  Matrix pullback_joint(ConstVectorRef dmean, ConstMatrixRef dcovariance) const override {
    return to_inputs(inner_->pullback_joint(dmean, dcovariance));
  }
  Matrix pullback_draws(const BaseSamples& base, ConstMatrixRef ddraws) const override {
    return to_inputs(inner_->pullback_draws(base, ddraws));
  }

 private:
  Matrix to_inputs(const Matrix& dfeatures) const {
    Matrix dX(shape_.inputs(), dfeatures.cols());
    nn::backward<double>(shape_, weights_->data(), work_, dfeatures, nullptr, dX.data());
    return dX;
  }

  const nn::MlpShape& shape_;
  std::shared_ptr<const Vector> weights_;
  mutable nn::MlpWorkspace<double> work_;
  std::unique_ptr<Posterior> inner_;
};

struct Unpacked {
  Vector lengthscales;
  double variance, mean, noise;
};

Unpacked unpack(ConstVectorRef tail) {
  const Index H = tail.size() - 3;
  return {tail.head(H).unaryExpr([](double r) { return softplus(r); }), softplus(tail[H]),
          tail[H + 1], tail[H + 2]};
}

}  // namespace

double deep_kernel_loss(const nn::MlpShape& shape, ConstMatrixRef X, ConstVectorRef z,
                        ConstVectorRef theta, Vector* gradient) {
  const Index W = shape.parameters(), H = shape.outputs();
  const double n = static_cast<double>(X.cols());
  nn::MlpWorkspace<double> work;
  const Matrix features = nn::forward<double>(shape, theta.data(), X, work);
  const Unpacked p = unpack(theta.tail(H + 3));
  const StationaryKernel kernel(Shape::matern52, p.lengthscales.cwiseInverse(), p.variance);
  LikelihoodWorkspace storage;
  LikelihoodGradient g;
  const LikelihoodValue found =
      log_likelihood(kernel, p.noise, p.mean, features, z, storage, gradient ? &g : nullptr, true);
  if (!found.ok) return std::nan("");
  double value =
      found.value + variance_prior.log_density(p.variance) + noise_prior.log_density(p.noise);
  for (const double l : p.lengthscales) value += lengthscale_prior.log_density(l);
  if (gradient) {
    gradient->resize(theta.size());
    const Matrix dfeatures = -g.X / n;
    nn::backward<double>(shape, theta.data(), work, dfeatures, gradient->data(), nullptr);
    for (Index j = 0; j < H; ++j) {
      const double by_log = g.log_lengthscales[j] + lengthscale_prior.slope(p.lengthscales[j]);
      (*gradient)[W + j] = -by_log / p.lengthscales[j] * sigmoid(theta[W + j]) / n;
    }
    (*gradient)[W + H] = -(g.log_variance + variance_prior.slope(p.variance)) / p.variance *
                         sigmoid(theta[W + H]) / n;
    (*gradient)[W + H + 1] = -g.mean / n;
    (*gradient)[W + H + 2] = -(g.noise_variance + noise_prior.slope(p.noise) / p.noise) / n;
  }
  return -value / n;
}

FitReport DeepKernel::fit(ConstMatrixRef X, ConstVectorRef y, Rng rng) {
  std::vector<int> widths{static_cast<int>(X.rows())};
  widths.insert(widths.end(), options_.hidden.begin(), options_.hidden.end());
  shape_ = nn::MlpShape(widths, nn::Activation::tanh, nn::Activation::tanh);
  widths.push_back(1);
  const nn::MlpShape headed(widths, nn::Activation::tanh, nn::Activation::linear);
  const Standardize output = Standardize::of(y);
  const Vector z = output.apply(y);
  const double n = static_cast<double>(X.cols());

  Vector with_head(headed.parameters()), slope(headed.parameters());
  nn::init_uniform_fan_in<double>(headed, span_of(with_head), rng);
  nn::Adam<double> adam(headed.parameters(), {.learning_rate = options_.learning_rate});
  nn::MlpWorkspace<double> work;
  for (int step = 0; step < options_.pretrain_steps; ++step) {
    const Matrix prediction = nn::forward<double>(headed, with_head.data(), X, work);
    const Matrix error = 2.0 / n * (prediction - z.transpose());
    nn::backward<double>(headed, with_head.data(), work, error, slope.data(), nullptr);
    adam.step(span_of(with_head), span_of(slope));
  }

  // The head's parameters come last: the rest is the feature network.
  const Index W = shape_.parameters(), H = shape_.outputs();
  Vector theta = Vector::Zero(W + H + 3);  // r = 0: length-scales and variance log 2
  theta.head(W) = with_head.head(W);
  theta[W + H + 2] = 2.0;
  const Vector target = options_.faithful_raw_y ? Vector(y) : z;
  nn::Adam<double> joint(theta.size(), {.learning_rate = options_.learning_rate});
  FitReport report;
  Vector gradient, good = theta;
  for (; report.iterations < options_.train_steps; ++report.iterations) {
    const double loss = deep_kernel_loss(shape_, X, target, theta, &gradient);
    if (!std::isfinite(loss) || !gradient.allFinite()) {
      theta = good;
      report.status = FitReport::Status::stopped;
      report.message = "training stopped: the covariance lost its positive definiteness";
      break;
    }
    good = theta;
    report.objective = -loss * n;
    joint.step(span_of(theta), span_of(gradient));
    theta[W + H + 2] = std::max(theta[W + H + 2], noise_low);
  }
  const Unpacked p = unpack(theta.tail(H + 3));
  weights_ = std::make_shared<const Vector>(theta.head(W));
  regression_.emplace(
      Regression::Parameters{std::make_shared<StationaryKernel>(
                                 Shape::matern52, p.lengthscales.cwiseInverse(), p.variance),
                             p.mean, p.noise, output},
      features(X), y);
  report.values = {kNoise.of(p.noise)};
  return report;
}

Matrix DeepKernel::features(ConstMatrixRef X) const {
  nn::MlpWorkspace<double> work;
  return nn::forward<double>(shape_, weights_->data(), X, work);
}

FitReport DeepKernel::update(ConstMatrixRef X, ConstVectorRef y, Rng rng) {
  if (!regression_ || X.cols() < regression_->size()) return fit(X, y, rng);
  const Index more = X.cols() - regression_->size();
  regression_->append(features(X.rightCols(more)), y.tail(more));
  return {};
}

std::unique_ptr<Posterior> DeepKernel::posterior(ConstMatrixRef X) const {
  return std::make_unique<FeaturePosterior>(shape_, weights_, *regression_, X, true);
}

std::unique_ptr<Posterior> DeepKernel::marginals(ConstMatrixRef X) const {
  return std::make_unique<FeaturePosterior>(shape_, weights_, *regression_, X, false);
}

Matrix DeepKernel::sample_functions(ConstMatrixRef X, Index S, bool with_noise, Rng rng) const {
  return regression_->sample(features(X), S, with_noise, rng);
}

std::unique_ptr<Surrogate> DeepKernel::conditioned_on(ConstMatrixRef X, ConstVectorRef y) const {
  auto copy = std::make_unique<DeepKernel>(*this);
  copy->regression_->append(features(X), y);
  return copy;
}

double DeepKernel::noise_variance() const {
  const Regression::Parameters& p = regression_->parameters();
  return p.noise_variance * p.output.scale * p.output.scale;
}

}  // namespace vbo
