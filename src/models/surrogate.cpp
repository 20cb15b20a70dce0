// SPDX-License-Identifier: MIT
#include "models/surrogate.hpp"

namespace vbo {

BaseSamples BaseSamples::make(Eigen::Index q, Eigen::Index S, Rng& rng) {
  BaseSamples base{Matrix(q, S), Vector(S)};
  for (double& z : base.normals.reshaped()) z = rng.normal();
  for (double& u : base.uniforms) u = rng.uniform();
  return base;
}

}  // namespace vbo
