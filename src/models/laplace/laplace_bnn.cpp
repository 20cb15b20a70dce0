// SPDX-License-Identifier: MIT
#include "models/laplace/laplace_bnn.hpp"

#include <cmath>

#include "models/bnn/squared_error.hpp"
#include "models/gaussian_posterior.hpp"
#include "models/ledger.hpp"
#include "models/standardize.hpp"
#include "numerics/parallel.hpp"

namespace vbo {
namespace {

// Added to every variance, in fitted units: neighbouring points of a batch stay distinguishable.
constexpr double extra_variance = 1e-4;

template <class T>
double train_in(const LaplaceBnnOptions& options, const nn::MlpShape& shape, const Matrix& X,
                const Vector& y, Vector& theta) {
  SquaredError<T> error(shape, X, y, options.threads);
  const auto n = static_cast<double>(y.size());
  const LossGradient loss = [&](ConstVectorRef at, VectorRef gradient) {
    const double sse = error(at, gradient);
    gradient /= n;
    return sse / n;
  };
  minimize_by_adam(loss,
                   {.learning_rate = options.learning_rate,
                    .weight_decay = options.weight_decay,
                    .cosine = true,
                    .steps = options.steps},
                   theta);
  Vector gradient(theta.size());
  return error(theta, gradient);
}

}  // namespace

class LaplacePosterior final : public GaussianPosterior {
 public:
  LaplacePosterior(const LaplaceBnn& model, ConstMatrixRef X, bool joint)
      : model_(model), J_(jacobian(model.shape_, model.theta_, X)) {
    const double unit2 = model.scale_ * model.scale_;
    mean_ = model.offset_ + model.scale_ * J_.f.array();
    if (joint) {
      covariance_ = model.curvature_->covariance(J_);
      covariance_.diagonal().array() = covariance_.diagonal().array().max(0.0) + extra_variance;
      covariance_ *= unit2;
      variance_ = covariance_.diagonal();
    } else {
      variance_ = unit2 * (model.curvature_->variance(J_).array() + extra_variance);
    }
  }

  const Vector& mean() const override { return mean_; }
  const Vector& variance() const override { return variance_; }
  const Matrix& covariance() const override { return covariance_; }

  Matrix pullback(ConstVectorRef dmean, ConstVectorRef dvariance) const override {
    return to_inputs(model_.curvature_->pull_variance(J_, unit2() * dvariance), dmean);
  }
  Matrix pullback_joint(ConstVectorRef dmean, ConstMatrixRef dcovariance) const override {
    return to_inputs(model_.curvature_->pull_covariance(J_, unit2() * dcovariance), dmean);
  }

 private:
  double unit2() const { return model_.scale_ * model_.scale_; }
  Matrix to_inputs(Jacobian adjoint, ConstVectorRef dmean) const {
    adjoint.f = model_.scale_ * dmean;
    return vbo::pullback(model_.shape_, model_.theta_, J_, std::move(adjoint));
  }

  const LaplaceBnn& model_;
  Jacobian J_;
  Vector mean_, variance_;
  Matrix covariance_;  // empty for marginals
};

double LaplaceBnn::train(const Matrix& X, const Vector& y) {
  return options_.single_precision ? train_in<float>(options_, shape_, X, y, theta_)
                                   : train_in<double>(options_, shape_, X, y, theta_);
}

// fit() compares the size with that of its network.
bool LaplaceBnn::set_state(ConstVectorRef state) {
  constexpr double largest = 1e6;  // weight
  const bool usable = (state.array().abs() <= largest).all();
  theta_ = usable ? Vector(state) : Vector();
  return usable;
}

FitReport LaplaceBnn::fit(ConstMatrixRef X, ConstVectorRef y, Rng rng) {
  shape_ = network_shape(options_.network, X.rows());
  const Vector fresh = random_weights(shape_, rng);
  if (theta_.size() != fresh.size()) theta_ = fresh;

  FitReport report;
  const Standardize unit = Standardize::of(y);
  const auto fit_in_units = [&](const Standardize& units) {
    offset_ = units.offset;
    scale_ = units.scale;
    return train(X, units.apply(y));
  };
  double sse = fit_in_units(options_.standardize ? unit : Standardize{});
  const double spread = (y.array() - unit.offset).square().sum();
  const bool failed = !(sse * scale_ * scale_ <= 2.0 * spread + 1e-12) && y.size() > 1;
  if (failed && !options_.standardize) {
    theta_ = fresh;
    sse = fit_in_units(unit);
    report.status = FitReport::Status::fallback;
    report.message = "training on y as it comes was worse than a constant; standardized it";
  } else if (failed) {
    theta_ = fresh;  // bad weights of an earlier fit must not stay for ever
    sse = fit_in_units(unit);
    report.status = FitReport::Status::stopped;
    report.message = "training was worse than a constant; started again from random weights";
  }

  Jacobian data = jacobian(shape_, theta_, X);
  curvature_ = options_.curvature == CurvatureKind::kfac
                   ? kfac_curvature(shape_, data, options_.noise_variance)
                   : function_space_curvature(shape_, std::move(data), options_.noise_variance);
  const Evidence evidence{curvature_->eigenvalues(), options_.noise_variance, sse,
                          static_cast<double>(y.size()), theta_.squaredNorm()};
  delta_ = maximize_evidence(evidence, options_.prior_steps);
  curvature_->set_prior_precision(delta_);
  report.iterations = options_.steps;
  report.objective = evidence.value(delta_);
  report.values = {kLogEvidence.of(report.objective), kPriorPrecision.of(delta_),
                   kTrainingError.of(scale_ * std::sqrt(sse / static_cast<double>(y.size())))};
  return report;
}

std::unique_ptr<Posterior> LaplaceBnn::posterior(ConstMatrixRef X) const {
  return std::make_unique<LaplacePosterior>(*this, X, true);
}

std::unique_ptr<Posterior> LaplaceBnn::marginals(ConstMatrixRef X) const {
  return std::make_unique<LaplacePosterior>(*this, X, false);
}

Matrix LaplaceBnn::sample_functions(ConstMatrixRef X, Eigen::Index S, bool with_noise,
                                    Rng rng) const {
  const Jacobian J = jacobian(shape_, theta_, X);
  const std::uint64_t key = rng();
  const double noise = std::sqrt(noise_variance());
  Matrix F(X.cols(), S);
  parallel_for(options_.threads, static_cast<int>(S), [&](int s) {
    Rng stream(key, "laplace-draw", static_cast<std::uint64_t>(s));
    const Vector w = curvature_->draw(stream);
    F.col(s) = offset_ + scale_ * (J.f + times(shape_, J, w)).array();
    if (with_noise) {
      for (double& f : F.col(s)) f += noise * stream.normal();
    }
  });
  return F;
}

}  // namespace vbo
