// SPDX-License-Identifier: MIT
// Counting the floating-point operations our kernels execute. A kernel calls flops::add() once per
// call with its exact count (one multiply or one add = 1, one transcendental = 1); that costs one
// predictable branch when nobody counts. Counts belong to the thread that opened the scope;
// parallel_for() hands its workers' counts back to it.
#pragma once

#include <cstdint>

namespace vbo::flops {

inline constinit thread_local std::uint64_t* sink = nullptr;

inline void add(std::uint64_t operations) {
  if (sink) *sink += operations;
}

// Y (m,n) += A (m,k) B (k,n)
inline constexpr std::uint64_t gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  return 2 * static_cast<std::uint64_t>(m) * static_cast<std::uint64_t>(n) *
         static_cast<std::uint64_t>(k);
}

// Counts from construction on; scopes nest, the outer one includes the inner.
class Scope {
 public:
  Scope() : outer_(sink) { sink = &count_; }
  ~Scope() {
    sink = outer_;
    add(count_);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t* outer_;
  std::uint64_t count_ = 0;
};

}  // namespace vbo::flops
