// SPDX-License-Identifier: MIT
#include "nn/adam.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <string>

#include "nn/simd.hpp"
#include "numerics/flops.hpp"

namespace vbo::nn {
namespace {

template <class T>
struct Rates {
  T beta1, beta2, epsilon, decay;
  T step;   // rate / (1 - beta1^t)
  T scale;  // 1 / sqrt(1 - beta2^t)
};

// Plain loops over disjoint arrays; the compiler vectorizes them.
template <bool kMaximum, class T>
void update(std::int64_t n, Rates<T> r, T* __restrict theta, const T* __restrict gradient,
            T* __restrict m, T* __restrict v, T* __restrict v_max) {
  for (std::int64_t i = 0; i < n; ++i) {
    const T g = gradient[i] + r.decay * theta[i];
    m[i] = r.beta1 * m[i] + (T(1) - r.beta1) * g;
    v[i] = r.beta2 * v[i] + (T(1) - r.beta2) * (g * g);
    T second = v[i];
    if constexpr (kMaximum) second = v_max[i] = v_max[i] > second ? v_max[i] : second;
    theta[i] -= r.step * m[i] / (std::sqrt(second) * r.scale + r.epsilon);
  }
}

Error out_of_range(const char* field, double found, const char* want) {
  return {ErrorKind::invalid_input, std::string("adam: ") + field + " is " + std::to_string(found) +
                                        ", expected " + want + "."};
}

}  // namespace

Result<void> AdamOptions::validate() const {
  if (!(learning_rate > 0)) return out_of_range("learning_rate", learning_rate, "a positive rate");
  if (!(beta1 >= 0 && beta1 < 1)) return out_of_range("beta1", beta1, "a number in [0,1)");
  if (!(beta2 >= 0 && beta2 < 1)) return out_of_range("beta2", beta2, "a number in [0,1)");
  if (!(epsilon > 0)) return out_of_range("epsilon", epsilon, "a positive number");
  if (!(weight_decay >= 0)) return out_of_range("weight_decay", weight_decay, "zero or more");
  return {};
}

template <class T>
Adam<T>::Adam(std::int64_t parameters, AdamOptions options)
    : options_(options),
      m_(VectorOf<T>::Zero(parameters)),
      v_(VectorOf<T>::Zero(parameters)),
      v_max_(VectorOf<T>::Zero(options.amsgrad ? parameters : 0)) {
  options_.validate().value();
}

template <class T>
void Adam<T>::step(std::span<T> parameters, std::span<const T> gradient) {
  const std::int64_t n = m_.size();
  assert(std::ssize(parameters) == n && std::ssize(gradient) == n);
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const double rate = options_.learning_rate / (1.0 - std::pow(options_.beta1, t));
  const double scale = 1.0 / std::sqrt(1.0 - std::pow(options_.beta2, t));
  const Rates<T> rates = {static_cast<T>(options_.beta1),
                          static_cast<T>(options_.beta2),
                          static_cast<T>(options_.epsilon),
                          static_cast<T>(options_.weight_decay),
                          static_cast<T>(rate),
                          static_cast<T>(scale)};
  // decay 2, m 3, v 4, root, its scale and floor 3, quotient, rate and difference 3
  flops::add(static_cast<std::uint64_t>(n) * (options_.amsgrad ? 16 : 15));
  if (options_.amsgrad) {
    update<true>(n, rates, parameters.data(), gradient.data(), m_.data(), v_.data(), v_max_.data());
  } else {
    update<false, T>(n, rates, parameters.data(), gradient.data(), m_.data(), v_.data(), nullptr);
  }
}

template <class T>
void Adam<T>::reset() {
  m_.setZero();
  v_.setZero();
  v_max_.setZero();
  steps_ = 0;
}

template <class T>
void Adam<T>::restore(const AdamOptions& options, std::int64_t steps, std::span<const T> m,
                      std::span<const T> v, std::span<const T> v_max) {
  assert(std::ssize(m) == m_.size() && std::ssize(v) == v_.size() &&
         std::ssize(v_max) == v_max_.size());
  options_ = options;
  steps_ = steps;
  std::copy(m.begin(), m.end(), m_.data());
  std::copy(v.begin(), v.end(), v_.data());
  std::copy(v_max.begin(), v_max.end(), v_max_.data());
}

template <class T>
bool are_moments(std::span<const T> m, std::span<const T> v) {
  constexpr double largest = 1e12, most_ratio = 1e3, rounding = 1e-6;
  for (std::size_t i = 0; i < m.size(); ++i) {
    const auto mean = static_cast<double>(m[i]), square = static_cast<double>(v[i]);
    if (!(square >= 0.0 && square <= largest * largest)) return false;
    if (!(std::abs(mean) <= most_ratio * std::sqrt(square) + rounding)) return false;
  }
  return true;
}

template <class T>
double clip_norm(std::span<T> gradient, double limit) {
  const std::int64_t n = std::ssize(gradient);
  constexpr int V = simd::kWidth<T>;
  simd::Vec<T> squares{}, x;
  std::int64_t i = 0;
  for (; i + V <= n; i += V) {
    simd::load(gradient.data() + i, x);
    squares += x * x;
  }
  T total = simd::sum<T>(squares);
  for (; i < n; ++i) total += gradient[i] * gradient[i];
  const double norm = std::sqrt(static_cast<double>(total));
  flops::add(static_cast<std::uint64_t>(2 * n));
  if (!std::isfinite(norm)) {
    std::fill(gradient.begin(), gradient.end(), T(0));
  } else if (norm > limit) {
    flops::add(static_cast<std::uint64_t>(n));
    const auto factor = static_cast<T>(limit / norm);
    for (T& g : gradient) g *= factor;
  }
  return norm;
}

double cosine_rate(double rate, std::int64_t step, std::int64_t total) {
  if (step >= total) return 0.0;
  const double phase = static_cast<double>(step) / static_cast<double>(total);
  return 0.5 * rate * (1.0 + std::cos(std::numbers::pi * phase));
}

template class Adam<float>;
template class Adam<double>;
template double clip_norm(std::span<float>, double);
template double clip_norm(std::span<double>, double);
template bool are_moments(std::span<const float>, std::span<const float>);
template bool are_moments(std::span<const double>, std::span<const double>);

}  // namespace vbo::nn
