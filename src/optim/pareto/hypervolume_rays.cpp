// SPDX-License-Identifier: MIT
#include "optim/pareto/hypervolume_rays.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/sobol.hpp"
#include "numerics/special.hpp"

namespace vbo::pareto {

using Eigen::Index;

HypervolumeRays::HypervolumeRays(Index objectives, Index rays, std::uint64_t seed)
    : attained_(Vector::Zero(rays)) {
  constexpr double least = 1e-9;  // of a direction: nothing divides by zero
  Matrix normals = SobolSequence(static_cast<int>(objectives), seed)
                       .draw_normal(static_cast<int>(rays))
                       .cwiseAbs()
                       .cwiseMax(least);
  normals.colwise().normalize();
  inverse_ = normals.cwiseInverse().transpose();
}

Index HypervolumeRays::rays_for(Index objectives) {
  return std::clamp<Index>(256 * (objectives - 1), 64, 1024);
}

// s_l(h)^M (S)
auto HypervolumeRays::reach(ConstVectorRef h) const {
  Vector s = inverse_.col(0) * std::max(h[0], 0.0);
  for (Index m = 1; m < h.size(); ++m) s = s.cwiseMin(inverse_.col(m) * std::max(h[m], 0.0));
  Vector power = s;
  for (Index m = 1; m < h.size(); ++m) power = power.cwiseProduct(s);
  return power;
}

void HypervolumeRays::add(ConstMatrixRef H) {
  for (Index i = 0; i < H.cols(); ++i) {
    if (H.col(i).minCoeff() > 0.0) attained_ = attained_.cwiseMax(reach(H.col(i)));
  }
}

double HypervolumeRays::gain(ConstVectorRef h) const {
  if (!(h.minCoeff() > 0.0)) return 0.0;
  return (reach(h) - attained_).cwiseMax(0.0).mean();
}

double HypervolumeRays::mean_gain(ConstMatrixRef H) const {
  double sum = 0.0;
  for (Index i = 0; i < H.cols(); ++i) sum += gain(H.col(i));
  return sum / static_cast<double>(H.cols());
}

// c_M = pi^(M/2) / (2^M Gamma(M/2 + 1)), the volume of the positive part of the unit ball.
double HypervolumeRays::volume() const {
  const auto M = static_cast<double>(inverse_.cols());
  return std::pow(kPi, 0.5 * M) / (std::pow(2.0, M) * std::tgamma(0.5 * M + 1.0)) *
         attained_.mean();
}

}  // namespace vbo::pareto
