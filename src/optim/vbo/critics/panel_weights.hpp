// SPDX-License-Identifier: MIT
// Weights of the critics of a panel: w >= 0, sum w = 1, maximizes
//   sum_i log sum_k w_k q_k(y_i|x_i)  +  sum_k a_k log w_k
// over the latest results, each predicted before anything was trained on it: the variational
// information bound of the mixture, with a_k results' worth of prior for critic k. A critic that
// does not cover x_i is left out of its sum, and the others share it in proportion. Not
// thread-safe.
#pragma once

#include "numerics/linalg.hpp"
#include "optim/state_bytes.hpp"

namespace vbo {

class PanelWeights {
 public:
  // Prior counts a (K) > 0, and how many results are remembered.
  PanelWeights(Vector prior, Eigen::Index memory);

  // Stands for a result that the critic does not cover.
  static constexpr double kNotCovered = 1e3;
  // T (K,n) = log q_k(y_i|x_i) / m(y_i) of new results, in nats, or kNotCovered.
  void learn(ConstMatrixRef T);

  const Vector& weights() const { return weights_; }  // (K)
  // The information of each critic: mean T over the remembered results it covers (K), 0 without
  // any.
  Vector information() const;

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  void maximize();

  Vector prior_;
  Eigen::Index memory_;
  Matrix T_;  // (K,n), the newest last
  Vector weights_;
};

}  // namespace vbo
