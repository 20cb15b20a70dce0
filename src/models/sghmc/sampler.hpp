// SPDX-License-Identifier: MIT
// Stochastic-gradient HMC with a diagonal preconditioner learnt during burn-in, as in
// [Springenberg2016], "Bayesian Optimization with Robust Bayesian Neural Networks", Eqs. (7)-(10)
// and Appendix: scale-adapted SGHMC. One object = one chain. Not thread-safe.
#pragma once

#include "numerics/linalg.hpp"

namespace vbo {

struct SghmcOptions {
  double step_size = 1e-2;  // eta > 0
  double friction = 0.05;   // gamma in (0,1]: share of the momentum lost per step
};

class AdaptiveSghmc {
 public:
  AdaptiveSghmc(Eigen::Index parameters, SghmcOptions options = {});

  // One step on theta (W), given G (W), an unbiased estimate of the gradient of -log p(theta), and
  // W standard normal numbers. With e = 1e-10 and t = 1/(tau+1), all from old values:
  //   burn-in:  tau += 1 - tau g^2/(v+e);  g += t (G - g);  v += t (G^2 - v)
  //   Minv = 1/(sqrt(v)+e)
  //   r += -eta^2 Minv G - gamma r + N(0, max(2 eta^2 gamma Minv - eta^4, 1e-16));  theta += r
  // The eta^4 makes up for the noise of the gradient estimate itself.
  void step(VectorRef theta, ConstVectorRef G, ConstVectorRef normals, bool burn_in);

  // After a step into non-finite values: no momentum, half the step size.
  void calm();

  double step_size() const { return options_.step_size; }
  const Vector& second_moment() const { return v_; }  // (W)
  const Vector& tau() const { return tau_; }
  const Vector& smoothed_gradient() const { return g_; }
  const Vector& momentum() const { return r_; }

 private:
  SghmcOptions options_;
  Vector tau_, g_, v_;  // (W): averaging time, mean and second moment of the gradient
  Vector r_;            // (W): momentum
};

}  // namespace vbo
