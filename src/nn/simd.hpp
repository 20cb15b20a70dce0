// SPDX-License-Identifier: MIT
// The SIMD operations of our kernels, on the compiler's vector extensions: they compile for
// any target and use the widest registers the build allows. Internal to src/nn.
#pragma once

#include <cstdint>
#include <cstring>

namespace vbo::nn::simd {

#if defined(__AVX512F__)
inline constexpr int kRegisterBytes = 64;
inline constexpr int kRegisters = 32;
#elif defined(__AVX__)
inline constexpr int kRegisterBytes = 32;
inline constexpr int kRegisters = 16;
#else
inline constexpr int kRegisterBytes = 16;
inline constexpr int kRegisters = 16;
#endif

// Elements of T in one register.
template <class T>
inline constexpr int kWidth = kRegisterBytes / static_cast<int>(sizeof(T));

template <class T, int V>
struct VecOf {
  typedef T type __attribute__((vector_size(V * sizeof(T))));
};
template <class T, int V = kWidth<T>>
using Vec = typename VecOf<T, V>::type;

// Unaligned.
template <class V, class T>
[[gnu::always_inline]] inline void load(const T* from, V& to) {
  std::memcpy(&to, from, sizeof(V));
}
template <class V, class T>
[[gnu::always_inline]] inline void store(const V& from, T* to) {
  std::memcpy(to, &from, sizeof(V));
}

// Combines all elements, by halves: op(v[0..V/2), v[V/2..V)) and so on.
template <class T, int V, class Op>
[[gnu::always_inline]] inline T reduce(Vec<T, V> v, Op op) {
  if constexpr (V == 1) {
    return v[0];
  } else {
    Vec<T, V / 2> half[2];
    std::memcpy(&half, &v, sizeof v);
    return reduce<T, V / 2>(op(half[0], half[1]), op);
  }
}
template <class T>
[[gnu::always_inline]] inline T sum(Vec<T> v) {
  return reduce<T, kWidth<T>>(v, [](auto a, auto b) { return a + b; });
}
template <class T>
[[gnu::always_inline]] inline T maximum(Vec<T> v) {
  return reduce<T, kWidth<T>>(v, [](auto a, auto b) { return a > b ? a : b; });
}

// The integer of the same size as T, for manipulating exponents.
template <class T>
struct Bits;
template <>
struct Bits<float> {
  using type = std::int32_t;
  static constexpr int mantissa = 23, bias = 127;
};
template <>
struct Bits<double> {
  using type = std::int64_t;
  static constexpr int mantissa = 52, bias = 1023;
};

// Calls body(load(x[i..]), i, count) for whole registers and once more for the padded rest, so that
// an element's result never depends on its position in the array.
template <class T, class Body>
[[gnu::always_inline]] inline void transform(std::int64_t n, const T* in, T* out, Body body) {
  constexpr int width = kWidth<T>;
  std::int64_t i = 0;
  Vec<T> x;
  for (; i + width <= n; i += width) {
    load(in + i, x);
    store(body(x), out + i);
  }
  if (i < n) {
    const auto rest = static_cast<std::size_t>(n - i) * sizeof(T);
    x = Vec<T>{};
    std::memcpy(&x, in + i, rest);
    const Vec<T> y = body(x);
    std::memcpy(out + i, &y, rest);
  }
}

}  // namespace vbo::nn::simd
