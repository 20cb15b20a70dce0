// SPDX-License-Identifier: MIT
#include "nn/gemm.hpp"

#include <algorithm>

#include "nn/simd.hpp"
#include "numerics/flops.hpp"

namespace vbo::nn {
namespace {

using simd::load;
using simd::store;
using simd::Vec;

// What C starts from: nothing (data = nullptr), C itself (to add to it), or a bias (ld = 0).
template <class T>
using Start = ConstView<T>;

template <class T>
Start<T> moved(Start<T> start, Index elements) {
  return {start.data ? start.data + elements : nullptr, start.ld};
}

// B with free strides, so that one kernel serves A B and A B^T: element (p,j) at p * rs + j * cs.
template <class T>
struct Strided {
  const T* data;
  Index rs, cs;
};

// A tile of C is R registers of rows by J columns. R J accumulators, a column of A and a broadcast
// must fit the registers: 4 x 6 or 2 x 12 of 32, 2 x 6 of 16.
constexpr int kRowRegisters = simd::kRegisters >= 32 ? 4 : 2;
constexpr int columns_for(int row_registers) {
  return row_registers < 4 && simd::kRegisters >= 32 ? 12 : 6;
}

// C (R*V, J) = start + A (R*V, k) B (k, J), held in registers until k is done:
// for each p, the outer product of a column of A (R registers) and a row of B (J broadcasts).
// Inlined: arguments passed in memory would wait for the tile before to be written there.
template <class T, int V, int R, int J>
[[gnu::always_inline]] inline void tile(Index k, ConstView<T> A, Strided<T> B, Start<T> start,
                                        View<T> C) {
  Vec<T, V> c[J][R];
#pragma GCC unroll 12
  for (int j = 0; j < J; ++j) {
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      c[j][r] = Vec<T, V>{};
      if (start.data) load(start.data + j * start.ld + r * V, c[j][r]);
    }
  }
  for (Index p = 0; p < k; ++p) {
    Vec<T, V> a[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) load(A.data + p * A.ld + r * V, a[r]);
#pragma GCC unroll 12
    for (int j = 0; j < J; ++j) {
      const T b = B.data[p * B.rs + j * B.cs];
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) c[j][r] += a[r] * b;
    }
  }
#pragma GCC unroll 12
  for (int j = 0; j < J; ++j) {
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) store(c[j][r], C.data + j * C.ld + r * V);
  }
}

// All columns of C from `j` on, for one strip of R*V rows: tiles of J columns, then narrower ones.
template <class T, int V, int R, int J>
void strip(Index j, Index n, Index k, ConstView<T> A, Strided<T> B, Start<T> start, View<T> C) {
  for (; j + J <= n; j += J) {
    tile<T, V, R, J>(k, A, {B.data + j * B.cs, B.rs, B.cs}, moved(start, j * start.ld),
                     {C.data + j * C.ld, C.ld});
  }
  if constexpr (J > 1) strip<T, V, R, J / 2>(j, n, k, A, B, start, C);
}

// Strips of rows, from the widest that fits down to single rows.
template <class T, int V, int R>
void strips(Index row, Index m, Index n, Index k, ConstView<T> A, Strided<T> B, Start<T> start,
            View<T> C) {
  constexpr Index rows = Index{R} * V;
  for (; row + rows <= m; row += rows) {
    strip<T, V, R, columns_for(R)>(0, n, k, {A.data + row, A.ld}, B, moved(start, row),
                                   {C.data + row, C.ld});
  }
  if constexpr (R > 1) {
    strips<T, V, R / 2>(row, m, n, k, A, B, start, C);
  } else if constexpr (V > 1) {
    strips<T, V / 2, 1>(row, m, n, k, A, B, start, C);
  }
}

// Blocks over k keep the strip of A that every tile reads again inside the first caches.
template <class T>
void multiply(Index m, Index n, Index k, ConstView<T> A, Strided<T> B, Start<T> start, View<T> C) {
  constexpr Index block = 256;
  Index p = 0;
  do {
    const Index depth = std::min(block, k - p);
    strips<T, simd::kWidth<T>, kRowRegisters>(0, m, n, depth, {A.data + p * A.ld, A.ld},
                                              {B.data + p * B.rs, B.rs, B.cs}, start, C);
    start = {C.data, C.ld};
    p += depth;
  } while (p < k);
}

// to (4,4) = from^T: first pairs of columns are interleaved, then pairs of pairs.
template <class T>
[[gnu::always_inline]] inline void transpose4(const T* from, Index ld_from, T* to, Index ld_to) {
  Vec<T, 4> a, b, c, d;
  load(from, a);
  load(from + ld_from, b);
  load(from + 2 * ld_from, c);
  load(from + 3 * ld_from, d);
  const Vec<T, 4> ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Vec<T, 4> cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Vec<T, 4> ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Vec<T, 4> cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store(Vec<T, 4>(__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5)), to);
  store(Vec<T, 4>(__builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7)), to + ld_to);
  store(Vec<T, 4>(__builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5)), to + 2 * ld_to);
  store(Vec<T, 4>(__builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)), to + 3 * ld_to);
}

}  // namespace

template <class T>
T dot(Index k, const T* a, const T* b) {
  constexpr Index V = simd::kWidth<T>;
  Vec<T> sum0{}, sum1{}, x, y;
  Index p = 0;
  for (; p + 2 * V <= k; p += 2 * V) {
    load(a + p, x);
    load(b + p, y);
    sum0 += x * y;
    load(a + p + V, x);
    load(b + p + V, y);
    sum1 += x * y;
  }
  for (; p + V <= k; p += V) {
    load(a + p, x);
    load(b + p, y);
    sum0 += x * y;
  }
  sum0 += sum1;
  T total = simd::sum<T>(sum0);
  for (; p < k; ++p) total += a[p] * b[p];
  return total;
}

template <class T>
void gemm(Index m, Index n, Index k, ConstView<T> A, ConstView<T> B, View<T> C, bool add) {
  flops::add(flops::gemm(m, n, k));
  multiply<T>(m, n, k, A, {B.data, 1, B.ld}, {add ? C.data : nullptr, C.ld}, C);
}

template <class T>
void gemm_bias(Index m, Index n, Index k, ConstView<T> A, ConstView<T> B, const T* b, View<T> C) {
  flops::add(flops::gemm(m, n, k));
  if (m == 1 && A.ld == 1) {  // one output: dot products along the contiguous row
    for (Index j = 0; j < n; ++j) C.data[j * C.ld] = *b + dot(k, A.data, B.data + j * B.ld);
    return;
  }
  multiply<T>(m, n, k, A, {B.data, 1, B.ld}, {b, 0}, C);
}

template <class T>
void gemm_nt(Index m, Index n, Index k, ConstView<T> A, ConstView<T> B, View<T> C, bool add) {
  flops::add(flops::gemm(m, n, k));
  if (m == 1 && C.ld == 1) {  // C^T (n,1) = B (n,k) A^T: the same kernel, rows along B
    multiply<T>(n, 1, k, B, {A.data, A.ld, 1}, {add ? C.data : nullptr, n}, {C.data, n});
    return;
  }
  multiply<T>(m, n, k, A, {B.data, B.ld, 1}, {add ? C.data : nullptr, C.ld}, C);
}

template <class T>
void gemm_tn(Index m, Index n, Index k, ConstView<T> A, ConstView<T> B, View<T> C, T* scratch,
             bool add) {
  flops::add(flops::gemm(m, n, k));
  if (n < 4) {  // transposing A would cost as much as the product
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < m; ++i) {
        T& c = C.data[i + j * C.ld];
        c = (add ? c : T(0)) + dot(k, A.data + i * A.ld, B.data + j * B.ld);
      }
    }
    return;
  }
  transpose<T>(k, m, A, scratch);
  multiply<T>(m, n, k, {scratch, m}, {B.data, 1, B.ld}, {add ? C.data : nullptr, C.ld}, C);
}

template <class T>
void transpose(Index m, Index n, ConstView<T> A, T* At) {
  Index j = 0;
  for (; j + 4 <= n; j += 4) {
    Index i = 0;
    for (; i + 4 <= m; i += 4) transpose4(A.data + i + j * A.ld, A.ld, At + j + i * n, n);
    for (; i < m; ++i) {
      for (Index q = j; q < j + 4; ++q) At[q + i * n] = A.data[i + q * A.ld];
    }
  }
  for (; j < n; ++j) {
    for (Index i = 0; i < m; ++i) At[j + i * n] = A.data[i + j * A.ld];
  }
}

template <class T>
void sum_columns(Index m, Index n, ConstView<T> A, T* s, bool add) {
  flops::add(static_cast<std::uint64_t>(m * n));
  if (!add) std::fill_n(s, m, T(0));
  for (Index j = 0; j < n; ++j) {
    const T* const a = A.data + j * A.ld;
    for (Index i = 0; i < m; ++i) s[i] += a[i];
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type.
#define VBO_INSTANTIATE(T)                                                                     \
  template void gemm(Index, Index, Index, ConstView<T>, ConstView<T>, View<T>, bool);          \
  template T dot(Index, const T*, const T*);                                                   \
  template void transpose(Index, Index, ConstView<T>, T*);                                     \
  template void sum_columns(Index, Index, ConstView<T>, T*, bool);                             \
  template void gemm_bias(Index, Index, Index, ConstView<T>, ConstView<T>, const T*, View<T>); \
  template void gemm_nt(Index, Index, Index, ConstView<T>, ConstView<T>, View<T>, bool);       \
  template void gemm_tn(Index, Index, Index, ConstView<T>, ConstView<T>, View<T>, T*, bool);
// NOLINTEND(bugprone-macro-parentheses)
VBO_INSTANTIATE(float)
VBO_INSTANTIATE(double)
#undef VBO_INSTANTIATE

}  // namespace vbo::nn
