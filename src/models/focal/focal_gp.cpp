// SPDX-License-Identifier: MIT
#include "models/focal/focal_gp.hpp"

#include <algorithm>
#include <cmath>

#include "models/gaussian_posterior.hpp"
#include "nn/adam.hpp"
#include "numerics/flops.hpp"
#include "numerics/sobol.hpp"
#include "numerics/special.hpp"

namespace vbo {

using Eigen::Index;

namespace {

// theta = (Z, m_v, L_S, r_l, r_s, r_noise, c) with l = 0.005 + (D - 0.005) sigmoid(r_l) (at least
// up to 1), s2 = softplus(r_s), noise = 1e-4 + softplus(r_noise).
struct Packing {
  Index D, m;
  double longest() const { return std::max(1.0, static_cast<double>(D)); }
  Index size() const { return D * m + m + m * m + D + 3; }

  FocalParameters unpack(ConstVectorRef theta) const {
    FocalParameters p;
    const double* at = theta.data();
    p.Z = Eigen::Map<const Matrix>(at, D, m);
    p.mean = Eigen::Map<const Vector>(at += D * m, m);
    p.root = Eigen::Map<const Matrix>(at += m, m, m);
    at += m * m;
    p.lengthscales.resize(D);
    for (Index j = 0; j < D; ++j) p.lengthscales[j] = 0.005 + (longest() - 0.005) * sigmoid(at[j]);
    p.variance = softplus(at[D]);
    p.noise_variance = 1e-4 + softplus(at[D + 1]);
    p.constant = at[D + 2];
    return p;
  }

  // dF/dparameters -> -dF/dtheta, for a minimizer.
  void pack_gradient(const FocalParameters& g, ConstVectorRef theta, Vector& out) const {
    const Index tail = D * m + m + m * m;
    out << -g.Z.reshaped(), -g.mean, -g.root.reshaped(), Vector::Zero(D + 3);
    for (Index j = 0; j < D; ++j) {
      const double s = sigmoid(theta[tail + j]);
      out[tail + j] = -g.lengthscales[j] * (longest() - 0.005) * s * (1.0 - s);
    }
    out[tail + D] = -g.variance * sigmoid(theta[tail + D]);
    out[tail + D + 1] = -g.noise_variance * sigmoid(theta[tail + D + 1]);
    out[tail + D + 2] = -g.constant;
  }
};

}  // namespace

// mean = c + a'm_v, covariance = k(x,x') + a'(S - I)a' (+ jitter on the diagonal), a = L^-1 k(Z,x).
class FocalPosterior final : public GaussianPosterior {
 public:
  FocalPosterior(const FocalGp& model, ConstMatrixRef X, bool joint) : model_(model), X_(X) {
    const FocalParameters& p = model.p_;
    const double s = model.output_.scale;
    A_ = model.kernel_->cross(p.Z, X_);
    model.L_.triangularView<Eigen::Lower>().solveInPlace(A_);
    RA_ = p.root.triangularView<Eigen::Lower>().transpose() * A_;
    mean_ = ((A_.transpose() * p.mean).array() + p.constant) * s + model.output_.offset;
    const Vector raw = (p.variance + kFocalJitter + RA_.colwise().squaredNorm().array() -
                        A_.colwise().squaredNorm().array())
                           .transpose();
    const double floor = variance_floor * p.variance;
    free_ = (raw.array() > floor).cast<double>();
    variance_ = s * s * raw.cwiseMax(floor);
    if (joint) {
      covariance_ = model.kernel_->cross(X_, X_);
      covariance_.noalias() += RA_.transpose() * RA_;
      covariance_.noalias() -= A_.transpose() * A_;
      covariance_ *= s * s;
      covariance_.diagonal() = variance_;
    }
    flops::add(flops::gemm(A_.rows(), A_.cols(), 2 * A_.rows() + (joint ? 2 * A_.cols() : 2)));
  }

  const Vector& mean() const override { return mean_; }
  const Vector& variance() const override { return variance_; }
  const Matrix& covariance() const override { return covariance_; }

  Matrix pullback(ConstVectorRef dmean, ConstVectorRef dvariance) const override {
    const double s = model_.output_.scale;
    const Vector dv = (s * s * free_.array() * dvariance.array()).matrix();
    return pull(s * dmean, 2.0 * change() * dv.asDiagonal());
  }

  Matrix pullback_joint(ConstVectorRef dmean, ConstMatrixRef dcovariance) const override {
    const double s = model_.output_.scale;
    Matrix dSigma = s * s * dcovariance;
    dSigma.diagonal().array() *= free_.array();
    return pull(s * dmean, 2.0 * change() * dSigma) + model_.kernel_->pull_self(X_, dSigma);
  }

 private:
  Matrix change() const {  // (S - I) A
    return model_.p_.root.triangularView<Eigen::Lower>() * RA_ - A_;
  }
  Matrix pull(const Vector& dmean, const Matrix& dA_of_covariance) const {
    Matrix dA = dA_of_covariance;
    dA.noalias() += model_.p_.mean * dmean.transpose();
    model_.L_.triangularView<Eigen::Lower>().transpose().solveInPlace(dA);
    return model_.kernel_->pull_cross(model_.p_.Z, X_, dA);
  }

  const FocalGp& model_;
  Matrix X_, A_, RA_;
  Vector mean_, variance_, free_;
  Matrix covariance_;
};

FitReport FocalGp::fit(ConstMatrixRef X, ConstVectorRef y, Rng rng) {
  output_ = Standardize::of(y);
  const Vector z = output_.apply(y);
  const Packing packing{X.rows(), std::min(options_.inducing, X.cols())};
  Vector theta = Vector::Zero(packing.size());
  SobolSequence sobol(static_cast<int>(packing.D), Rng(rng(), "inducing"));
  theta.head(packing.D * packing.m) = sobol.draw(static_cast<int>(packing.m)).reshaped();
  for (Index i = 0; i < packing.m; ++i) {
    theta[packing.D * packing.m + i] = 1e-3 * rng.normal();
    theta[packing.D * packing.m + packing.m + i * (packing.m + 1)] = 1.0;  // L_S = I
  }

  nn::Adam<double> adam(theta.size(), {.learning_rate = options_.learning_rate});
  FitReport report;
  Vector gradient(theta.size()), good = theta;
  const auto span = [](Vector& v) {
    return std::span<double>(v.data(), static_cast<std::size_t>(v.size()));
  };
  for (; report.iterations < options_.epochs; ++report.iterations) {
    FocalParameters slope;
    const FocalObjective found = focal_objective(packing.unpack(theta), X, z, region_, &slope);
    if (found.ok) packing.pack_gradient(slope, theta, gradient);
    if (!found.ok || !gradient.allFinite()) {
      theta = good;
      report.status = FitReport::Status::stopped;
      report.message = "training stopped: the covariance lost its positive definiteness";
      break;
    }
    good = theta;
    report.objective = found.value;
    adam.step(span(theta), span(gradient));
  }
  p_ = packing.unpack(theta);
  // The last step in closed form: the best q(u) for these hyper-parameters.
  FocalParameters closed = p_;
  optimal_inducing(closed, X, z, region_);
  const FocalObjective ended = focal_objective(closed, X, z, region_, nullptr);
  if (ended.ok && closed.mean.allFinite() && closed.root.allFinite()) p_ = closed;
  kernel_ = std::make_unique<StationaryKernel>(Shape::matern52, p_.lengthscales.cwiseInverse(),
                                               p_.variance);
  Matrix Kzz = kernel_->cross(p_.Z, p_.Z);
  Kzz.diagonal().array() += kFocalJitter;
  L_ = robust_factor(Kzz);
  return report;
}

std::unique_ptr<Posterior> FocalGp::posterior(ConstMatrixRef X) const {
  return std::make_unique<FocalPosterior>(*this, X, true);
}

std::unique_ptr<Posterior> FocalGp::marginals(ConstMatrixRef X) const {
  return std::make_unique<FocalPosterior>(*this, X, false);
}

Matrix FocalGp::sample_functions(ConstMatrixRef X, Index S, bool with_noise, Rng rng) const {
  const FocalPosterior posterior(*this, X, true);
  Matrix covariance = posterior.covariance();
  if (with_noise) covariance.diagonal().array() += noise_variance();
  Matrix Z(X.cols(), S);
  for (double& v : Z.reshaped()) v = rng.normal();
  Matrix Y = robust_factor(covariance).triangularView<Eigen::Lower>() * Z;
  Y.colwise() += posterior.mean();
  return Y;
}

double FocalGp::noise_variance() const { return p_.noise_variance * output_.scale * output_.scale; }

}  // namespace vbo
