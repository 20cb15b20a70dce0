// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/critic.hpp"

#include <algorithm>
#include <cmath>

namespace vbo {

Vector normal_over_levels(double mean, double deviation, ConstVectorRef edges) {
  const Eigen::Index G = edges.size() + 1;
  Vector p(G);
  double left = 0.0;
  for (Eigen::Index g = 0; g < G; ++g) {
    const double right =
        g + 1 < G ? 0.5 * std::erfc((mean - edges[g]) / (deviation * std::sqrt(2.0))) : 1.0;
    p[g] = std::max(0.0, right - left);
    left = std::max(left, right);
  }
  return p;
}

}  // namespace vbo
