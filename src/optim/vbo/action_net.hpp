// SPDX-License-Identifier: MIT
// The actor: maps random seeds to inputs, x = Phi(s + E_phi(s)), s ~ N(0, I). The last layer of
// E_phi starts at zero, so the first actions are exactly uniform. Categorical blocks become one-hot
// at their largest entry, and pass gradients straight through. Trained by gradient ascent on
//   mean_i m(x_i) + sqrt(beta) I(X,f;Y)
// with the judge (the critics, in the flagship) frozen.
#pragma once

#include <cstdint>

#include "nn/adam.hpp"
#include "nn/mlp.hpp"
#include "optim/encoding.hpp"
#include "optim/state_bytes.hpp"
#include "optim/vbo/judge.hpp"
#include "optim/vbo/options.hpp"
#include "vbo/random.hpp"

namespace vbo {

class ActionNet {
 public:
  // `encoding` must outlive it.
  ActionNet(const Encoding& encoding, const VboOptions& options, std::uint64_t seed);

  // n inputs (D,n) from fresh seeds.
  MatrixOf<float> act(int n, Rng& rng);

  // K_b steps on batches of `batch` seeds; the objective's terms at the last of them.
  struct Gauge {
    double exploitation = 0.0;       // mean_i m(x_i), in normal scores
    double input_information = 0.0;  // I(X;Y), nats
    double model_information = 0.0;  // I(f;Y|X), nats
  };
  Gauge train(Judge& judge, int batch, std::int64_t round, int threads);

  void write(StateWriter& out) const;
  void read(StateReader& in);

 private:
  // seeds S (D,n) -> Z = S + E(S) and X = Phi(Z), blocks one-hot.
  void forward(nn::InputRef<float> S);

  const Encoding& encoding_;
  VboOptions options_;
  std::uint64_t seed_;
  nn::Mlp<float> net_;
  nn::Adam<float> adam_;
  MatrixOf<float> Z_, X_;  // (D,n) of the last forward()
};

}  // namespace vbo
