// SPDX-License-Identifier: MIT
#include "models/sghmc/sampler.hpp"

#include <algorithm>

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
  // Blocks that stay in the first-level cache through all lines below.
  constexpr Eigen::Index block = 256;
  using Block = Eigen::Array<double, Eigen::Dynamic, 1, 0, block, 1>;
  for (Eigen::Index begin = 0; begin < theta.size(); begin += block) {
    const Eigen::Index size = std::min(block, theta.size() - begin);
    const auto part = [&](auto& whole) { return whole.segment(begin, size).array(); };
    auto tau = part(tau_), g = part(g_), v = part(v_), r = part(r_);
    auto here = part(theta);
    const auto gradient = part(G), z = part(normals);
    if (burn_in) {
      const Block t = 1.0 / (tau + 1.0);
      tau += 1.0 - tau * g.square() / (v + e);
      g += t * (gradient - g);
      v += t * (gradient.square() - v);
    }
    const Block scaled = eta2 / (v.sqrt() + e);  // eta^2 Minv
    r += (2.0 * gamma * scaled - eta2 * eta2).max(least_noise).sqrt() * z - scaled * gradient -
         gamma * r;
    here += r;
  }
  flops::add((burn_in ? 27U : 14U) * static_cast<std::uint64_t>(theta.size()));
}

void AdaptiveSghmc::calm() {
  r_.setZero();
  options_.step_size /= 2.0;
}

}  // namespace vbo
