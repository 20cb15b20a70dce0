// SPDX-License-Identifier: MIT
// The posterior covariance of the weights of a linearized network, in two forms:
//   KfacCurvature       a Kronecker-factored approximation per layer: cost O(W) per pair of points
//   FunctionSpaceCurvature  the full Gauss-Newton matrix, exactly, through the N x N Gram matrix of
//                       the Jacobian: (J'J/sigma^2 + delta I)^-1 without a W x W matrix
// Prior N(0, I/delta), noise variance sigma^2. Immutable after set_prior_precision(): const members
// are thread-safe.
#pragma once

#include <memory>
#include <vector>

#include "models/laplace/jacobian.hpp"
#include "vbo/random.hpp"

namespace vbo {

class Curvature {
 public:
  virtual ~Curvature() = default;

  // Eigenvalues of the (approximate) J'J that are not zero by construction; >= 0.
  virtual const Vector& eigenvalues() const = 0;
  virtual void set_prior_precision(double delta) = 0;  // delta > 0; before anything below

  virtual Vector variance(const Jacobian& J) const = 0;    // (q)
  virtual Matrix covariance(const Jacobian& J) const = 0;  // (q,q)
  // Derivatives of sum_i dvariance_i variance_i, and of sum_ij dcovariance_ij covariance_ij
  // (symmetric), with respect to J.A and J.S; f is left empty.
  virtual Jacobian pull_variance(const Jacobian& J, ConstVectorRef dvariance) const = 0;
  virtual Jacobian pull_covariance(const Jacobian& J, ConstMatrixRef dcovariance) const = 0;

  // A draw (W) of the weights' deviation from their mean.
  virtual Vector draw(Rng& rng) const = 0;
};

// [Ritter2018], "A Scalable Laplace Approximation for Neural Networks"; the biases are blocks of
// their own. At the data: B_l = sum_n s_l s_l', A_l = 1/N sum_n a_{l-1} a_{l-1}', J'J ~ B_l x A_l
// and B_l.
std::unique_ptr<Curvature> kfac_curvature(const nn::MlpShape& shape, const Jacobian& data,
                                          double sigma2);
std::unique_ptr<Curvature> function_space_curvature(const nn::MlpShape& shape, Jacobian data,
                                                    double sigma2);

// The log marginal likelihood of the linearized model, and its derivative by log delta:
//   log Z = -SSE/(2 sigma2) - N/2 log(2 pi sigma2)
//           - 1/2 [ sum_k log(lambda_k/(sigma2 delta) + 1) + delta |theta|^2 ]
struct Evidence {
  const Vector& eigenvalues;  // of J'J
  double sigma2, sse, n, theta2;
  double value(double delta) const;
  double derivative(double delta) const;
};
// `steps` of Adam on log delta at rate 0.1, from delta = 1.
double maximize_evidence(const Evidence& evidence, int steps);

}  // namespace vbo
