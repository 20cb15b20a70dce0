// SPDX-License-Identifier: MIT
#include "nn/ensemble.hpp"

#include "nn/init.hpp"
#include "numerics/denormals.hpp"
#include "numerics/parallel.hpp"

namespace vbo::nn {

template <class T>
Ensemble<T>::Ensemble(const MlpShape& shape, int members, const AdamOptions& options,
                      std::uint64_t seed) {
  members_.reserve(static_cast<std::size_t>(members));
  for (int k = 0; k < members; ++k) {
    const auto id = static_cast<std::uint64_t>(k);
    Member<T> member = {Mlp<T>(shape),
                        Adam<T>(shape.parameters(), options),
                        Rng(seed, "ensemble-batch", id),
                        {},
                        {},
                        0};
    Rng start(seed, "ensemble-init", id);
    init_uniform_fan_in(shape, member.net.parameters(), start);
    members_.push_back(std::move(member));
  }
}

template <class T>
void Ensemble<T>::train(int threads, int steps, const LossGradient& loss_gradient, double clip) {
  parallel_for(threads, size(), [&](int k) { train_member(k, steps, loss_gradient, clip); });
}

template <class T>
void Ensemble<T>::train_member(int k, int steps, const LossGradient& loss_gradient, double clip) {
  const DenormalsAreZero scope;
  Member<T>& member = (*this)[k];
  double total = 0;
  for (int s = 0; s < steps; ++s) {
    total += loss_gradient(k, member);
    if (clip > 0) clip_norm(member.net.gradient(), clip);
    member.adam.step(member.net.parameters(), member.net.gradient());
  }
  member.loss = steps > 0 ? total / steps : 0;
}

template <class T>
void gather_columns(InputRef<T> X, std::span<const int> indices, MatrixOf<T>& out) {
  out.resize(X.rows(), std::ssize(indices));
  for (Index j = 0; j < out.cols(); ++j) out.col(j) = X.col(indices[static_cast<std::size_t>(j)]);
}

template class Ensemble<float>;
template class Ensemble<double>;
template void gather_columns<float>(InputRef<float>, std::span<const int>, MatrixOf<float>&);
template void gather_columns<double>(InputRef<double>, std::span<const int>, MatrixOf<double>&);

}  // namespace vbo::nn
