// SPDX-License-Identifier: MIT
#include "nn/gemm.hpp"

#include <gtest/gtest.h>

#include "numerics/flops.hpp"
#include "reference.hpp"

namespace vbo::nn {
namespace {

using reference::multiply;

template <class T>
class Gemm : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Gemm, Scalars);

constexpr Index kSizes[][3] = {{1, 1, 1},     {1, 7, 5},    {3, 1, 4},   {5, 6, 7},
                               {64, 128, 20}, {32, 13, 64}, {20, 9, 64}, {65, 5, 300},
                               {17, 3, 33},   {1, 64, 128}, {129, 2, 2}, {7, 7, 0}};

template <class T>
void expect_close(const MatrixOf<T>& got, const MatrixOf<T>& want, Index k) {
  const double tolerance = 4 * std::numeric_limits<T>::epsilon() * static_cast<double>(k + 1);
  ASSERT_EQ(got.rows(), want.rows());
  for (Index i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got.data()[i], want.data()[i], tolerance) << "element " << i;
  }
}

TYPED_TEST(Gemm, AllFormsEqualThePlainProduct) {
  using T = TypeParam;
  for (const auto& [m, n, k] : kSizes) {
    SCOPED_TRACE(::testing::Message() << "m " << m << " n " << n << " k " << k);
    const MatrixOf<T> A = reference::random<T>(m, k, 1), B = reference::random<T>(k, n, 2);
    const MatrixOf<T> At = A.transpose(), Bt = B.transpose();
    const MatrixOf<T> start = reference::random<T>(m, n, 3), b = reference::random<T>(m, 1, 4);
    const MatrixOf<T> AB = multiply<T>(A, B), sum = start + AB;
    const MatrixOf<T> biased = AB.colwise() + b.col(0);
    MatrixOf<T> scratch(m, k), C = start;
    gemm<T>(m, n, k, {A.data(), m}, {B.data(), k}, {C.data(), m});
    expect_close<T>(C, AB, k);
    C = start;
    gemm<T>(m, n, k, {A.data(), m}, {B.data(), k}, {C.data(), m}, true);
    expect_close<T>(C, sum, k);
    gemm_bias<T>(m, n, k, {A.data(), m}, {B.data(), k}, b.data(), {C.data(), m});
    expect_close<T>(C, biased, k);
    gemm_nt<T>(m, n, k, {A.data(), m}, {Bt.data(), n}, {C.data(), m});
    expect_close<T>(C, AB, k);
    C = start;
    gemm_nt<T>(m, n, k, {A.data(), m}, {Bt.data(), n}, {C.data(), m}, true);
    expect_close<T>(C, sum, k);
    gemm_tn<T>(m, n, k, {At.data(), k}, {B.data(), k}, {C.data(), m}, scratch.data());
    expect_close<T>(C, AB, k);
    C = start;
    gemm_tn<T>(m, n, k, {At.data(), k}, {B.data(), k}, {C.data(), m}, scratch.data(), true);
    expect_close<T>(C, sum, k);
  }
}

TYPED_TEST(Gemm, RespectsLeadingDimensions) {
  using T = TypeParam;
  const Index m = 9, n = 8, k = 10;
  MatrixOf<T> A = reference::random<T>(m + 3, k, 1), B = reference::random<T>(k + 2, n, 2);
  const MatrixOf<T> frame = reference::random<T>(m + 4, n, 3);
  MatrixOf<T> C = frame;
  gemm<T>(m, n, k, {A.data() + 1, m + 3}, {B.data() + 2, k + 2}, {C.data() + 3, m + 4});
  const MatrixOf<T> a = A.middleRows(1, m), b = B.middleRows(2, k);
  expect_close<T>(C.middleRows(3, m), multiply<T>(a, b), k);
  EXPECT_EQ(C.topRows(3), frame.topRows(3));
  EXPECT_EQ(C.bottomRows(1), frame.bottomRows(1));
}

TYPED_TEST(Gemm, CountsTwoOperationsPerTerm) {
  using T = TypeParam;
  MatrixOf<T> A = reference::random<T>(8, 8, 1), C(8, 8), scratch(8, 8);
  flops::Scope scope;
  gemm<T>(3, 5, 7, {A.data(), 8}, {A.data(), 8}, {C.data(), 8});
  EXPECT_EQ(scope.count(), 2U * 3 * 5 * 7);
  gemm_nt<T>(3, 5, 7, {A.data(), 8}, {A.data(), 8}, {C.data(), 8});
  gemm_tn<T>(3, 5, 7, {A.data(), 8}, {A.data(), 8}, {C.data(), 8}, scratch.data());
  gemm_bias<T>(3, 5, 7, {A.data(), 8}, {A.data(), 8}, A.data(), {C.data(), 8});
  EXPECT_EQ(scope.count(), 4U * 2 * 3 * 5 * 7);
}

}  // namespace
}  // namespace vbo::nn
