// SPDX-License-Identifier: MIT
#include "optim/vbo_paper/actor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nn/gumbel.hpp"
#include "nn/init.hpp"
#include "nn/snapshot.hpp"
#include "numerics/special.hpp"

namespace vbo {
namespace {

constexpr double kTemperature = 1.0;  // of the softmax gradients pass through
constexpr double kRestless = 0.02;    // deviation of E where it places numbers, per attempt
constexpr int kTriesPerChange = 20;   // attempts before one more category is changed

nn::MlpShape actor_shape(nn::Index dimension, nn::Index hidden) {
  const auto D = static_cast<int>(std::max<nn::Index>(1, dimension));
  const auto H = static_cast<int>(hidden);
  return nn::MlpShape({D, H, H, D}, nn::Activation::tanh);
}

}  // namespace

template <class T>
T reflect(T u, T* slope) {
  const T folded = u + T(1) - T(2) * std::floor((u + T(1)) / T(2));  // (u + 1) mod 2, in [0,2)
  if (slope) *slope = folded < T(1) ? T(-1) : T(1);
  return std::clamp(std::abs(folded - T(1)), T(0), T(1));
}

template <class T>
Actor<T>::Actor(const Encoding& encoding, const Options& options, std::uint64_t seed)
    : encoding_(encoding),
      options_(options),
      net_(actor_shape(encoding.dimension(), options.hidden)),
      adam_(net_.shape().parameters(), {.learning_rate = options.learning_rate}) {
  Rng rng(seed, "action-net-init");
  nn::init_uniform_fan_in(net_.shape(), net_.parameters(), rng);
  nn::zero_last_layer(net_.shape(), net_.parameters());
}

template <class T>
MatrixOf<T> Actor<T>::seeds(nn::Index n, Rng& rng) const {
  MatrixOf<T> S(encoding_.dimension(), n);
  for (T& s : S.reshaped()) s = static_cast<T>(rng.normal());
  return S;
}

template <class T>
const MatrixOf<T>& Actor<T>::act(nn::InputRef<T> S) {
  const MatrixOf<T> E = net_.forward(S);
  place_numeric(S, E);
  place_categories(S, E);
  return X_;
}

template <class T>
const MatrixOf<T>& Actor<T>::act_anew(nn::InputRef<T> s, int attempt, Rng& rng) {
  const MatrixOf<T> own = net_.forward(s);
  const T width = static_cast<T>(kRestless * attempt);
  MatrixOf<T> E = own;
  for (T& e : E.reshaped()) e += width * static_cast<T>(rng.normal());
  place_numeric(s, E);
  place_categories(s, own);
  for (int change = 0; change <= attempt / kTriesPerChange; ++change) {
    change_category(own, 1.0 + attempt, rng);
  }
  return X_;
}

// Another category c in one block instead of the present one c', drawn among all such changes by
// their odds exp((l_c - l_c') / temperature) with l the logits (Gumbel-max). A net that is certain
// of most blocks and not of all changes what it is least certain of.
template <class T>
void Actor<T>::change_category(nn::InputRef<T> E, double temperature, Rng& rng) {
  double highest = -std::numeric_limits<double>::infinity();
  nn::Index from = -1, to = -1;
  for (const Encoding::Block& block : encoding_.blocks()) {
    if (block.kind != ParameterKind::categorical) continue;
    nn::Index now = 0;
    X_.col(0).segment(block.offset, block.width).maxCoeff(&now);
    now += block.offset;
    for (nn::Index c = block.offset; c < block.offset + block.width; ++c) {
      if (c == now) continue;
      const double odds = options_.logit_scale * static_cast<double>(E(c, 0) - E(now, 0));
      const double drawn = odds / temperature - std::log(-std::log(rng.uniform()));
      if (!(drawn > highest)) continue;
      highest = drawn;
      from = now;
      to = c;
    }
  }
  if (to < 0) return;  // no categories with a choice
  X_(from, 0) = T(0);
  X_(to, 0) = T(1);
}

template <class T>
void Actor<T>::place_numeric(nn::InputRef<T> S, nn::InputRef<T> E) {
  X_.resize(S.rows(), S.cols());
  slope_.resize(S.rows(), S.cols());
  for (nn::Index j = 0; j < S.cols(); ++j) {
    for (nn::Index i = 0; i < S.rows(); ++i) {
      if (options_.map == ActionMap::squash) {
        X_(i, j) = normal_cdf(S(i, j) + E(i, j));
        slope_(i, j) = normal_pdf(S(i, j) + E(i, j));
      } else {
        X_(i, j) = reflect(normal_cdf(S(i, j)) + E(i, j), &slope_(i, j));
      }
    }
  }
}

template <class T>
void Actor<T>::place_categories(nn::InputRef<T> S, nn::InputRef<T> E) {
  soft_.resize(S.rows(), S.cols());
  for (const Encoding::Block& block : encoding_.blocks()) {
    if (block.kind != ParameterKind::categorical) continue;
    auto chosen = X_.middleRows(block.offset, block.width);
    auto soft = soft_.middleRows(block.offset, block.width);
    if (options_.map == ActionMap::squash) {
      soft = chosen;
    } else {
      const MatrixOf<T> logits =
          static_cast<T>(options_.logit_scale) * E.middleRows(block.offset, block.width);
      const MatrixOf<T> uniforms =
          S.middleRows(block.offset, block.width).unaryExpr([](T s) { return normal_cdf(s); });
      nn::gumbel_softmax<T>(logits, uniforms, kTemperature, soft);
    }
    nn::one_hot_argmax<T>(soft, chosen);
  }
}

template <class T>
MatrixOf<T> Actor<T>::pull_back(nn::InputRef<T> dX) const {
  MatrixOf<T> dE = dX.cwiseProduct(slope_);
  if (options_.map == ActionMap::squash) return dE;
  for (const Encoding::Block& block : encoding_.blocks()) {
    if (block.kind != ParameterKind::categorical) continue;
    MatrixOf<T> dlogits(block.width, dX.cols());
    nn::gumbel_softmax_backward<T>(soft_.middleRows(block.offset, block.width),
                                   dX.middleRows(block.offset, block.width), kTemperature, dlogits);
    dE.middleRows(block.offset, block.width) = static_cast<T>(options_.logit_scale) * dlogits;
  }
  return dE;
}

template <class T>
void Actor<T>::ascend(nn::InputRef<T> dX) {
  net_.backward(-pull_back(dX));  // Adam descends
  adam_.step(net_.parameters(), net_.gradient());
}

template <class T>
void Actor<T>::write(StateWriter& out) const {
  std::string bytes;
  nn::save(net_, bytes);
  nn::save(adam_, bytes);
  out.put_array(std::span<const char>(bytes));
}

template <class T>
void Actor<T>::read(StateReader& in) {
  std::string bytes;
  nn::save(net_, bytes);  // the same shape takes the same workspace
  nn::save(adam_, bytes);
  in.get_bytes(bytes);
  std::string_view rest = bytes;
  if (in.ok() && !(nn::load(rest, net_) && nn::load(rest, adam_))) in.fail();
}

template float reflect(float, float*);
template double reflect(double, double*);
template class Actor<float>;
template class Actor<double>;

}  // namespace vbo
