// SPDX-License-Identifier: MIT
// exp, logistic and tanh on SIMD vectors of float or double. Internal to src/nn. Relative error
// below 6 machine epsilons. exp saturates instead of overflowing: its argument is clamped to where
// the result is a normal number. NaN stays NaN.
#pragma once

#include "nn/simd.hpp"

namespace vbo::nn::simd {

template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr float low = -87.0F, high = 88.0F;
  static constexpr float shifter = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  static constexpr float ln2_high = 0.693359375F, ln2_low = -2.12194440e-4F;
};
template <>
struct ExpConstants<double> {
  static constexpr double low = -708.0, high = 709.0;
  static constexpr double shifter = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double ln2_high = 6.93145751953125e-1, ln2_low = 1.42860682030941723212e-6;
};

template <class T>
[[gnu::always_inline]] inline Vec<T> clamp(Vec<T> x, T low, T high) {
  x = x < low ? Vec<T>{} + low : x;
  return x > high ? Vec<T>{} + high : x;
}

// e^r on |r| <= ln(2)/2.
[[gnu::always_inline]] inline Vec<float> exp_reduced(Vec<float> r) {  // Cephes expf
  Vec<float> p = 1.9875691500E-4F * r + 1.3981999507E-3F;
  p = p * r + 8.3334519073E-3F;
  p = p * r + 4.1665795894E-2F;
  p = p * r + 1.6666665459E-1F;
  p = p * r + 5.0000001201E-1F;
  return p * (r * r) + (r + 1.0F);
}
[[gnu::always_inline]] inline Vec<double> exp_reduced(Vec<double> r) {  // Cephes exp: Pade form
  const Vec<double> z = r * r;
  Vec<double> p = 1.26177193074810590878E-4 * z + 3.02994407707441961300E-2;
  p = (p * z + 9.99999999999999999910E-1) * r;
  Vec<double> q = 3.00198505138664455042E-6 * z + 2.52448340349684104192E-3;
  q = q * z + 2.27265548208155028766E-1;
  q = q * z + 2.00000000000000000009E0;
  return 1.0 + 2.0 * (p / (q - p));
}

// e^x = 2^k e^r with k = round(x / ln 2). NaN stays NaN.
template <class T>
[[gnu::always_inline]] inline Vec<T> exp(Vec<T> x) {
  using C = ExpConstants<T>;
  using B = Bits<T>;
  using Int = Vec<typename B::type>;
  x = clamp<T>(x, C::low, C::high);
  const Vec<T> shifted = x * T(1.44269504088896340736) + C::shifter;
  const Vec<T> k = shifted - C::shifter;
  const Vec<T> r = (x - k * C::ln2_high) - k * C::ln2_low;
  Int scale;  // the low bits of `shifted` hold k: move them into the exponent of 1.0
  std::memcpy(&scale, &shifted, sizeof scale);
  scale = (scale << B::mantissa) + (static_cast<typename B::type>(B::bias) << B::mantissa);
  Vec<T> two_to_k;
  std::memcpy(&two_to_k, &scale, sizeof two_to_k);
  return exp_reduced(r) * two_to_k;
}

// 1 / (1 + e^-x)
template <class T>
[[gnu::always_inline]] inline Vec<T> logistic(Vec<T> x) {
  return T(1) / (T(1) + exp<T>(-x));
}

// Odd rational minimax approximation x P(x^2) / Q(x^2), 13/6, valid where tanh < 1 in float; the
// coefficients are those of Eigen's generic_fast_tanh_float (MPL2) and of most float libraries.
[[gnu::always_inline]] inline Vec<float> tanh(Vec<float> x) {
  x = clamp<float>(x, -7.90531110763549805F, 7.90531110763549805F);
  const Vec<float> z = x * x;
  Vec<float> p = z * -2.76076847742355e-16F + 2.00018790482477e-13F;
  p = p * z + -8.60467152213735e-11F;
  p = p * z + 5.12229709037114e-08F;
  p = p * z + 1.48572235717979e-05F;
  p = p * z + 6.37261928875436e-04F;
  p = p * z + 4.89352455891786e-03F;
  Vec<float> q = z * 1.19825839466702e-06F + 1.18534705686654e-04F;
  q = q * z + 2.26843463243900e-03F;
  q = q * z + 4.89352518554385e-03F;
  return x * p / q;
}
// Cephes tanh: a rational below 0.625, 1 - 2 / (e^2|x| + 1) above.
[[gnu::always_inline]] inline Vec<double> tanh(Vec<double> x) {
  const Vec<double> z = x * x;
  Vec<double> p = -9.64399179425052238628E-1 * z - 9.92877231001918586564E1;
  p = p * z - 1.61468768441708447952E3;
  Vec<double> q = (z + 1.12811678491632931402E2) * z + 2.23548839060100448583E3;
  q = q * z + 4.84406305325125486048E3;
  const Vec<double> small = x + x * z * (p / q);
  const Vec<double> magnitude = x < 0.0 ? -x : x;
  const Vec<double> large = 1.0 - 2.0 / (exp<double>(2.0 * magnitude) + 1.0);
  const Vec<double> signed_large = x < 0.0 ? -large : large;
  return magnitude < 0.625 ? small : signed_large;
}

}  // namespace vbo::nn::simd
