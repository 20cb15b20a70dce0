// SPDX-License-Identifier: MIT
// The actor: maps random seeds to inputs, in the frame of the local search,
//   x = box(m + A (s + E_phi(s))),   s ~ N(0, I),   A = sigma C^(1/2) (wider where integers need
//   it),
// so that E bends what the search would draw. The last layer of E starts at zero: the first actions
// are the search's own. When the leader moves to another region E goes with it, and is bent anew.
// Trained by gradient ascent on
//   mean_i { score(x_i) - lambda/2 |E_phi(s_i)|^2 },   score = m(x) + sqrt(beta) I(X,f;Y),
// with the judge frozen. One forward pass then gives what many screened draws and climbs would, so
// that a suggestion of a large batch costs microseconds; the penalty keeps the batch from falling
// together into one point. Categories are somebody else's business. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/adam.hpp"
#include "nn/mlp.hpp"
#include "optim/state_bytes.hpp"
#include "optim/vbo/judge.hpp"
#include "optim/vbo/local_search.hpp"
#include "optim/vbo/options.hpp"
#include "vbo/random.hpp"

namespace vbo {

class ActionNet {
 public:
  // Of `numbers` coordinates, Dn.
  ActionNet(Eigen::Index numbers, const VboOptions& options, std::uint64_t seed);

  // Overwrites the numeric coordinates of `codes` (D each) with actions from fresh seeds. Here and
  // below, REQUIRES: leader.running().
  void act(const LocalSearch& leader, std::vector<Vector>& codes, Rng& rng);

  // K_b steps on batches of `batch` seeds; `base` (D) has the categories.
  void train(Judge& judge, const LocalSearch& leader, ConstVectorRef base, int batch,
             std::int64_t round, int threads);

  // The objective at seeds S (Dn,n), with A = leader.axes(); leaves the gradient of its negative in
  // gradient().
  double objective(Judge& judge, const LocalSearch& leader, const Matrix& A, ConstVectorRef base,
                   nn::InputRef<float> S, int threads);
  std::span<float> parameters() { return net_.parameters(); }
  std::span<const float> gradient() { return net_.gradient(); }

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  MatrixOf<float> draw_seeds(int n, Rng& rng) const;

  Eigen::Index numbers_;
  VboOptions options_;
  std::uint64_t seed_;
  nn::Mlp<float> net_;
  nn::Adam<float> adam_;
};

}  // namespace vbo
