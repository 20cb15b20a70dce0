// SPDX-License-Identifier: MIT
// K networks of one shape that differ in initialization and in the order they saw the data. Members
// are trained over threads; each touches only itself and its own random stream, so the result does
// not depend on the number of threads. Numbers too small to be normal count as zero in training.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "nn/adam.hpp"
#include "nn/mlp.hpp"
#include "vbo/random.hpp"

namespace vbo::nn {

template <class T>
struct Member {
  Mlp<T> net;
  Adam<T> adam;
  Rng rng;          // draws its minibatches
  MatrixOf<T> X;    // (D,B) room for a minibatch, and
  MatrixOf<T> dY;   // (O,B) for the gradient of its loss: no allocation step after step
  double loss = 0;  // mean over the steps of the last train()
};

template <class T>
class Ensemble {
 public:
  Ensemble() = default;
  // Parameters start as init_uniform_fan_in() from the stream (seed, "ensemble-init", k);
  // member k draws its minibatches from (seed, "ensemble-batch", k).
  Ensemble(const MlpShape& shape, int members, const AdamOptions& options, std::uint64_t seed);

  int size() const { return static_cast<int>(members_.size()); }
  Member<T>& operator[](int k) { return members_[static_cast<std::size_t>(k)]; }
  const Member<T>& operator[](int k) const { return members_[static_cast<std::size_t>(k)]; }

  // Computes the loss of a minibatch it draws from member.rng, leaves its gradient in
  // member.net.gradient() and returns it. Called at the same time for different members.
  using LossGradient = std::function<double(int k, Member<T>& member)>;
  // `steps` Adam steps for every member, over at most `threads` threads (0 = all cores).
  // clip > 0 limits the gradient's norm.
  void train(int threads, int steps, const LossGradient& loss_gradient, double clip = 0.0);
  // Of member k alone, in the calling thread: for callers with a loop of their own.
  void train_member(int k, int steps, const LossGradient& loss_gradient, double clip = 0.0);

 private:
  std::vector<Member<T>> members_;
};

// out (D,B) = the columns `indices` (B) of X (D,N); resizes out.
template <class T>
void gather_columns(InputRef<T> X, std::span<const int> indices, MatrixOf<T>& out);

}  // namespace vbo::nn
