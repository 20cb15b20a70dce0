// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/panel_weights.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vbo {

PanelWeights::PanelWeights(Vector prior, Eigen::Index memory)
    : prior_(std::move(prior)),
      memory_(memory),
      T_(prior_.size(), 0),
      weights_(prior_ / prior_.sum()) {}

void PanelWeights::learn(ConstMatrixRef T) {
  const Eigen::Index kept = std::min(T_.cols(), std::max<Eigen::Index>(0, memory_ - T.cols()));
  const Eigen::Index added = std::min(T.cols(), memory_);
  Matrix latest(T_.rows(), kept + added);
  latest << T_.rightCols(kept), T.rightCols(added);
  T_ = std::move(latest);
  maximize();
}

// EM. With r_ik the responsibility of critic k for result i among those that cover it, and w_k that
// of one that does not,
//   w_k = (a_k + sum_i r_ik) / (sum a + n).
void PanelWeights::maximize() {
  constexpr int iterations = 50;
  const Eigen::Index K = T_.rows(), n = T_.cols();
  weights_ = prior_ / prior_.sum();
  for (int iteration = 0; iteration < iterations; ++iteration) {
    Vector counts = prior_;
    for (Eigen::Index i = 0; i < n; ++i) {
      Vector r = Vector::Zero(K);
      double absent = 0.0;
      for (Eigen::Index k = 0; k < K; ++k) {
        if (T_(k, i) == kNotCovered) {
          absent += weights_[k];
        } else {
          r[k] = weights_[k] * std::exp(T_(k, i));
        }
      }
      const double sum = r.sum();
      for (Eigen::Index k = 0; k < K; ++k) {
        if (T_(k, i) == kNotCovered) {
          counts[k] += weights_[k];
        } else if (sum > 0.0) {
          counts[k] += (1.0 - absent) * r[k] / sum;
        }
      }
    }
    weights_ = counts / counts.sum();
  }
}

Vector PanelWeights::information() const {
  Vector nats = Vector::Zero(T_.rows());
  for (Eigen::Index k = 0; k < T_.rows(); ++k) {
    double covered = 0.0;
    for (Eigen::Index i = 0; i < T_.cols(); ++i) {
      if (T_(k, i) == kNotCovered) continue;
      nats[k] += T_(k, i);
      covered += 1.0;
    }
    nats[k] /= std::max(1.0, covered);
  }
  return nats;
}

void PanelWeights::write(StateWriter& out) const { out.put(T_); }

void PanelWeights::read(StateReader& in) {
  T_ = in.get_columns(prior_.size(), memory_, kNotCovered);
  if (in.ok()) maximize();
}

}  // namespace vbo
