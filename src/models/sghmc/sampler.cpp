// SPDX-License-Identifier: MIT
#include "models/sghmc/sampler.hpp"

#include "numerics/flops.hpp"

namespace vbo {

AdaptiveSghmc::AdaptiveSghmc(Eigen::Index parameters, SghmcOptions options)
    : options_(options),
      tau_(Vector::Ones(parameters)),
      g_(Vector::Ones(parameters)),
      v_(Vector::Ones(parameters)),
      r_(Vector::Zero(parameters)) {}

void AdaptiveSghmc::step(VectorRef theta, ConstVectorRef G, ConstVectorRef normals, bool burn_in) {
  constexpr double e = 1e-10, least_noise = 1e-16;
  const double eta2 = options_.step_size * options_.step_size, gamma = options_.friction;
  const auto size = static_cast<std::uint64_t>(theta.size());
  // One pass over all arrays: each is read and written once.
  for (Eigen::Index i = 0; i < theta.size(); ++i) {
    if (burn_in) {
      const double t = 1.0 / (tau_[i] + 1.0);
      tau_[i] += 1.0 - tau_[i] * g_[i] * g_[i] / (v_[i] + e);
      g_[i] += t * (G[i] - g_[i]);
      v_[i] += t * (G[i] * G[i] - v_[i]);
    }
    const double Minv = 1.0 / (std::sqrt(v_[i]) + e);
    const double noise = std::max(2.0 * eta2 * gamma * Minv - eta2 * eta2, least_noise);
    r_[i] += -eta2 * Minv * G[i] - gamma * r_[i] + std::sqrt(noise) * normals[i];
    theta[i] += r_[i];
  }
  flops::add((burn_in ? 29 : 15) * size);
}

void AdaptiveSghmc::calm() {
  r_.setZero();
  options_.step_size /= 2.0;
}

}  // namespace vbo
