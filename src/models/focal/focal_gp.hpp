// SPDX-License-Identifier: MIT
// The focalized sparse Gaussian process of FocalBO (Wei et al. 2024): a variational process with m
// inducing points whose objective weighs every observation by how near it is to a search region R.
//   K_ZZ + jitter I = L L', a_i = L^-1 k(Z,x_i);  mean_i = c + a_i' m_v;
//   v_i = k_ii + jitter + a_i'(S - I)a_i,  S = L_S L_S'
//   e_i = -1/2 [((z_i - mean_i)^2 + v_i)/noise + log noise + log 2 pi]
//   KL  = 1/2 [tr S + |m_v|^2 - m] - sum log |L_S,ii|
//   w_i = k(x_i, nearest point of R)/s2;  n_in = observations inside R
//   F   = sum w e / (sum w + 1e-7) - KL/n - (sum w / n_in - 1)      maximized by Adam
#pragma once

#include <memory>

#include "models/gp/kernel.hpp"
#include "models/standardize.hpp"
#include "models/surrogate.hpp"

namespace vbo {

// On the diagonal of K_ZZ and of the prediction, so that both stay positive definite.
inline constexpr double kFocalJitter = 1e-6;

struct FocalRegion {
  Vector low, high;  // (D)
  bool contains(ConstVectorRef x) const {
    return (x.array() >= low.array()).all() && (x.array() <= high.array()).all();
  }
};

struct FocalParameters {
  Matrix Z;             // (D,m) inducing points
  Vector mean;          // m_v (m)
  Matrix root;          // L_S (m,m), lower
  Vector lengthscales;  // (D)
  double variance = 0.0, noise_variance = 0.0, constant = 0.0;
};

struct FocalObjective {
  double value = 0.0;       // F
  double expected = 0.0;    // sum w e / (sum w + 1e-7), not normalized: sum omega e
  double divergence = 0.0;  // KL
  Vector weights;           // w (n)
  Eigen::Index inside = 0;  // n_in
  bool ok = false;
};

// F at X (D,n), z (n); with `gradient`, dF by every parameter. Weights do not depend on s2.
FocalObjective focal_objective(const FocalParameters& p, ConstMatrixRef X, ConstVectorRef z,
                               const FocalRegion& region, FocalParameters* gradient);

// m_v and L_S that maximize F for the other parameters: S^-1 = I + A D A', m_v = S A D (z - c).
void optimal_inducing(FocalParameters& p, ConstMatrixRef X, ConstVectorRef z,
                      const FocalRegion& region);

struct FocalOptions {
  Eigen::Index inducing = 50;  // m, at most n
  int epochs = 200;            // Adam steps, full batch
  double learning_rate = 0.01;
};

class FocalGp final : public Surrogate {
 public:
  FocalGp(FocalOptions options, FocalRegion region)
      : options_(options), region_(std::move(region)) {}

  FitReport fit(ConstMatrixRef X, ConstVectorRef y, Rng rng) override;
  std::unique_ptr<Posterior> posterior(ConstMatrixRef X) const override;
  std::unique_ptr<Posterior> marginals(ConstMatrixRef X) const override;
  Matrix sample_functions(ConstMatrixRef X, Eigen::Index S, bool with_noise,
                          Rng rng) const override;
  double noise_variance() const override;

  const FocalParameters& parameters() const { return p_; }

 private:
  friend class FocalPosterior;
  FocalOptions options_;
  FocalRegion region_;
  FocalParameters p_;
  Standardize output_;
  std::unique_ptr<StationaryKernel> kernel_;
  Matrix L_;  // (m,m)
};

}  // namespace vbo
