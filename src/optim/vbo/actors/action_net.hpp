// SPDX-License-Identifier: MIT
// The network actor: maps random seeds to inputs in the local coordinates of the search,
//   x = box(m + A (s + E_phi(s))),   s ~ N(0, I),   A = sigma C^(1/2) (wider where integers need
//   it).
// E is a correction of the Gaussian actor's samples. Its last layer starts at zero, so the first
// actions are the Gaussian actor's; when the local search moves to another region E is kept and
// trained further there. Trained by gradient ascent on
//   mean_i { score(x_i) - lambda/2 |E_phi(s_i)|^2 },   score = m(x) + sqrt(beta) I(X,f;Y),
// with the surrogate fixed. One forward pass replaces many pre-selected samples, so a
// suggestion of a large batch costs microseconds; the penalty keeps the batch from
// collapsing into one point. Categories are chosen elsewhere. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/adam.hpp"
#include "nn/mlp.hpp"
#include "optim/state_bytes.hpp"
#include "optim/vbo/actors/gaussian_actor.hpp"
#include "optim/vbo/critics/search_surrogate.hpp"
#include "optim/vbo/options.hpp"
#include "vbo/random.hpp"

namespace vbo {

class ActionNet {
 public:
  // Of `numeric` coordinates, Dn.
  ActionNet(Eigen::Index numeric, const VboOptions& options, std::uint64_t seed);

  // Overwrites the numeric coordinates of `codes` (D each) with actions from fresh seeds. Here and
  // below, REQUIRES: actor.running().
  void act(const GaussianActor& actor, std::vector<Vector>& codes, Rng& rng);

  // K_b steps on batches of `batch` seeds; `base` (D) has the categories.
  void train(SearchSurrogate& surrogate, const GaussianActor& actor, ConstVectorRef base, int batch,
             std::int64_t round, int threads);

  // The objective at seeds S (Dn,n), with A = actor.axes(); leaves the gradient of its negative in
  // gradient().
  double objective(SearchSurrogate& surrogate, const GaussianActor& actor, const Matrix& A,
                   ConstVectorRef base, nn::InputRef<float> S, int threads);
  std::span<float> parameters() { return net_.parameters(); }
  std::span<const float> gradient() { return net_.gradient(); }

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  MatrixOf<float> draw_seeds(int n, Rng& rng) const;

  Eigen::Index numeric_;
  VboOptions options_;
  std::uint64_t seed_;
  nn::Mlp<float> net_;
  nn::Adam<float> adam_;
};

}  // namespace vbo
