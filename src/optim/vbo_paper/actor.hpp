// SPDX-License-Identifier: MIT
// The action-net of VBO-MI: three dense layers E map seeds s ~ N(0,I) to inputs in the unit cube.
// The last layer starts at zero, and then inputs are exactly uniform under every map:
//   reflect   x = tri(Phi(s) + E(s)), tri(u) = |((u + 1) mod 2) - 1|: slope +-1 everywhere, so an
//             action at the border comes back as easily as it came;
//   squash    x = Phi(s + E(s)): slope phi(s + E), which vanishes at the border.
// A category is drawn by the Gumbel-max trick from logits, a multiple of E, with the noise
// -log(-log Phi(s)), and passes gradients straight through the softmax of the same sum (squash:
// one-hot at the largest x, straight through). Trained by gradient ascent with the objective
// frozen. Not thread-safe.
#pragma once

#include <cstdint>

#include "nn/adam.hpp"
#include "nn/mlp.hpp"
#include "optim/encoding.hpp"
#include "optim/state_bytes.hpp"
#include "vbo/random.hpp"

namespace vbo {

enum class ActionMap { reflect, squash };

template <class T>
class Actor {
 public:
  struct Options {
    ActionMap map = ActionMap::reflect;
    nn::Index hidden = 64;
    double learning_rate = 0.002;
    double logit_scale = 4.0;  // a box is 1 wide; a certain choice takes logits about 5 apart
  };
  // `encoding` must outlive it.
  Actor(const Encoding& encoding, const Options& options, std::uint64_t seed);

  // (D,n) standard normal.
  MatrixOf<T> seeds(nn::Index n, Rng& rng) const;
  // X (D,n) of seeds S (D,n), valid until the next call.
  const MatrixOf<T>& act(nn::InputRef<T> S);
  // The same of one seed s (D,1) with something changed, for those whose own actions are all known:
  // at the `attempt`-th try, 1, 2, ..., numbers get noise that grows with the attempts; a category
  // changes, at first where the net is least certain, later anywhere and more than one.
  const MatrixOf<T>& act_anew(nn::InputRef<T> s, int attempt, Rng& rng);
  // One step up an objective whose slope at the last act() is dX (D,n).
  void ascend(nn::InputRef<T> dX);

  // For ascend() and tests: dL/dE (D,n) from dL/dX, through the map of the last act().
  MatrixOf<T> pull_back(nn::InputRef<T> dX) const;
  nn::Mlp<T>& net() { return net_; }

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  void place_numeric(nn::InputRef<T> S, nn::InputRef<T> E);
  void place_categories(nn::InputRef<T> S, nn::InputRef<T> E);
  void change_category(nn::InputRef<T> E, double temperature, Rng& rng);

  const Encoding& encoding_;
  Options options_;
  nn::Mlp<T> net_;
  nn::Adam<T> adam_;
  // Of the last act(), (D,n): inputs; dx/dE of numbers; softmax of categories' logits and noise.
  MatrixOf<T> X_, slope_, soft_;
};

// tri(u) and its slope, +1 or -1.
template <class T>
T reflect(T u, T* slope = nullptr);

}  // namespace vbo
