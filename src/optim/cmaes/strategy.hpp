// SPDX-License-Identifier: MIT
// The search distribution N(m, sigma^2 C) of CMA-ES and its update, as in [Hansen2016], "The CMA
// Evolution Strategy: A Tutorial", arXiv:1604.00772, with negative recombination weights (active
// CMA). Knows nothing of boxes, integers, trials or restarts. Not thread-safe.
#pragma once

#include "numerics/linalg.hpp"
#include "optim/state_bytes.hpp"

namespace vbo::cmaes {

// Learning rates for n dimensions and lambda results. Equation and table numbers of [Hansen2016].
struct Rates {
  Rates(Eigen::Index n, Eigen::Index lambda, bool diagonal);

  Vector weights;        // (lambda), best first; positive part sums to 1, the rest is negative
  double mu_eff;         // variance-effective selection mass of the positive part
  double c_sigma;        // decay of the step-size path
  double damping_sigma;  // damping of the step-size
  double c_c;            // decay of the covariance path
  double c_1;            // rank-one learning rate
  double c_mu;           // rank-mu learning rate
};

class Strategy {
 public:
  // C = I. `diagonal` keeps C diagonal: time and memory O(n) instead of O(n^2) per sample, and
  // learning rates raised by (n+2)/3 as in [RosHansen2008].
  Strategy(Vector mean, double sigma, bool diagonal);

  Eigen::Index dimension() const { return mean_.size(); }
  const Vector& mean() const { return mean_; }
  Vector& mean() { return mean_; }
  double sigma() const { return sigma_; }
  void set_sigma(double sigma) { sigma_ = sigma; }
  Eigen::Index generation() const { return generation_; }
  Vector deviations() const;  // (n) sigma sqrt(C_jj)
  double condition() const;   // of C, from its last decomposition

  Vector transform(ConstVectorRef z) const;    // C^(1/2) z: y ~ N(0, C) for z ~ N(0, I)
  double mahalanobis(ConstVectorRef y) const;  // |C^(-1/2) y|
  Matrix whitening() const;  // C^(-1/2) (n,n), symmetric; its diagonal (n,1) when diagonal
  Matrix root() const;       // C^(1/2) (n,n), symmetric: it changes no faster than C does

  // One generation: Y (n, lambda) holds steps (x - m) / sigma, best first. `scale` (n) multiplies
  // the steps where the mean moves: x = m + sigma scale*y is what was sampled.
  void update(ConstMatrixRef Y, ConstVectorRef scale);

  void write(StateWriter& out) const;
  // Of this dimension and shape; one at the origin when !in.ok() afterwards.
  static Strategy read(StateReader& in, Eigen::Index dimension, bool diagonal);

 private:
  Vector whiten(ConstVectorRef y) const;  // C^(-1/2) y, symmetric root
  void decompose();

  bool diagonal_;
  Vector mean_;  // m (n)
  double sigma_;
  Matrix C_;           // (n,n), or (n,1): its diagonal
  Vector path_sigma_;  // p_sigma (n)
  Vector path_c_;      // p_c (n)
  Matrix axes_;        // B (n,n); empty when diagonal
  Vector lengths_;     // D (n): C = B diag(D^2) B^T
  Eigen::Index generation_ = 0;
  Eigen::Index decomposed_ = 0;  // generation of the last decomposition
};

}  // namespace vbo::cmaes
