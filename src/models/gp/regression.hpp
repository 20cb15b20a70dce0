// SPDX-License-Identifier: MIT
// Exact Gaussian-process regression once kernel, mean and noise are given:
//   z = (y - offset) / scale ~ N(m(X), K_y),  K_y = k(X,X) + noise I = L L',
//   alpha = K_y^-1 (z - m(X)),  m(x) = c, or c + s b(x) with a quadratic mean (quadratic_mean.hpp)
//   mean = m + k' alpha,  covariance = k(x,x') - k' K_y^-1 k'          (latent f; units of y)
// Conditioning on more data extends L in place: O(n^2) per point instead of O(n^3).
// Const calls may come from several threads at once.
#pragma once

#include <memory>

#include "models/gaussian_posterior.hpp"
#include "models/gp/kernel.hpp"
#include "models/gp/quadratic_mean.hpp"
#include "models/standardize.hpp"

namespace vbo {

class Regression {
 public:
  struct Parameters {
    std::shared_ptr<const Kernel> kernel;
    double mean = 0.0;            // c, in standardized units
    double noise_variance = 0.0;  // in standardized units
    Standardize output;
    QuadraticMean quadratic = {};
    double slope = 0.0;  // s of the quadratic mean, in standardized units
    // Keep L^-1 beside L: n^3/3 operations at first and n^2 for every point more. Then predictions
    // at single points are products instead of substitutions, some three times as fast.
    bool keep_inverse = false;

    Vector prior_mean(ConstMatrixRef X) const;  // m (q) at X (D,q)
  };

  // X (D,n), y (n) in units of y, n >= 0; `known` (n), or empty: variances of single outcomes
  // beside the noise, in standardized units.
  Regression(Parameters parameters, ConstMatrixRef X, ConstVectorRef y, const Vector& known = {});

  // The same with the lower triangle of L (n,n) and alpha (n) at hand: no factorization.
  Regression(Parameters parameters, ConstMatrixRef X, ConstVectorRef y, Matrix L, Vector alpha);

  // Also conditions on y (k) at X (D,k), with known variances (k) or none.
  void append(ConstMatrixRef X, ConstVectorRef y, const Vector& known = {});

  std::unique_ptr<Posterior> posterior(ConstMatrixRef X, bool joint) const;
  // Posterior means at X (D,q) alone, n instead of n^2 operations a point, and
  // d (weights' mean) / dX (D,q).
  Vector mean(ConstMatrixRef X) const;
  Matrix mean_slope(ConstMatrixRef X, ConstVectorRef weights) const;
  // S exact joint draws at X (D,m) -> (m,S). O(m^3 + n m^2 + n^2 m).
  Matrix sample(ConstMatrixRef X, Eigen::Index S, bool with_noise, Rng& rng) const;

  // z <- L^-1 z and z <- L^-T z, for z (n,m).
  void solve_forward(MatrixRef z) const;
  void solve_backward(MatrixRef z) const;

  // log N(z; m(X), K_y), in standardized units.
  double log_likelihood() const;

  Eigen::Index size() const { return n_; }
  Eigen::Index dimension() const { return X_.rows(); }
  auto inputs() const { return X_.leftCols(n_); }           // (D,n)
  auto residual() const { return residual_.head(n_); }      // z - m(X) (n)
  const Vector& alpha() const { return alpha_; }            // (n)
  auto factor() const { return L_.topLeftCorner(n_, n_); }  // the lower triangle is L
  const Parameters& parameters() const { return parameters_; }

 private:
  void reserve(Eigen::Index capacity);
  void make_inverse();
  void extend_inverse(Eigen::Index k);  // with k rows more of L

  Parameters parameters_;
  Eigen::Index n_ = 0;
  Matrix X_;         // (D,capacity)
  Vector residual_;  // (capacity)
  Matrix L_;         // (capacity,capacity): lower triangle of the leading (n,n) block
  Vector alpha_;     // (n)
  Matrix inverse_;   // (capacity,capacity): L^-1 likewise; empty unless it is kept
};

// Posterior means and variances at some points, which follow a regression that learns more:
//   V = L^-1 k(X, points),  b = L^-1 (z - m(X)),  mean = m + V'b,
//   variance = k(.,.) - sum of V's squares
// A result more is a row more of V: n instead of n^2 operations a point.
class WatchedPoints {
 public:
  WatchedPoints(const Regression& model, Matrix points);  // (D,m)

  // REQUIRES: `model` is the one before, or that after more was appended.
  void follow(const Regression& model);

  Vector mean() const;      // (m), in units of y
  Vector variance() const;  // (m), > 0, in units of y squared

 private:
  Standardize output_;
  Matrix points_;           // (D,m)
  Matrix V_;                // (n,m), and rows for more
  Vector b_;                // (n)
  Vector mean_, variance_;  // (m), standardized; the variance without its floor
  Vector floor_;            // (m)
};

}  // namespace vbo
