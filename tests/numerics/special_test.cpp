// SPDX-License-Identifier: MIT
// Reference values: mpmath with 40 to 120 digits.
#include "numerics/special.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/extremes.hpp"
#include "support/gradient_check.hpp"

namespace vbo {
namespace {

void expect_close(double got, double want, double relative) {
  EXPECT_LE(std::abs(got - want), relative * std::abs(want)) << "got " << got << ", want " << want;
}

TEST(LogSumExp, NeverOverflows) {
  EXPECT_DOUBLE_EQ(log_sum_exp(Vector{{1000.0, 1000.0}}), 1000.0 + std::log(2.0));
  EXPECT_DOUBLE_EQ(log_mean_exp(Vector{{-1000.0, -1000.0}}), -1000.0);
  EXPECT_EQ(log_sum_exp(Vector{{-kInf, -kInf}}), -kInf);
  EXPECT_EQ(log_sum_exp(Vector{{-kInf, kInf}}), kInf);
  EXPECT_DOUBLE_EQ(log_sum_exp(Vector{{-kInf, 3.0}}), 3.0);
  EXPECT_EQ(log_sum_exp(Vector(0)), -kInf);
  EXPECT_TRUE(std::isnan(log_sum_exp(Vector{{0.0, kNaN, 1.0}})));
  EXPECT_DOUBLE_EQ(log_add_exp(-2000.0, -2000.0), -2000.0 + std::log(2.0));
  EXPECT_DOUBLE_EQ(log_add_exp(3.0, -kInf), 3.0);
  EXPECT_EQ(log_add_exp(-kInf, -kInf), -kInf);
  EXPECT_TRUE(std::isnan(log_add_exp(kNaN, 1.0)));
}

TEST(Log1mExp, ReferenceValues) {
  expect_close(log1mexp(-1e-10), -23.0258509299904568, 1e-15);
  expect_close(log1mexp(-0.5), -0.932752129567188572, 1e-15);
  expect_close(log1mexp(-1.0), -0.458675145387081891, 1e-15);
  expect_close(log1mexp(-50.0), -1.92874984796391778e-22, 1e-15);
}

TEST(Softplus, EndsAndInverse) {
  EXPECT_EQ(softplus(1e4), 1e4);
  EXPECT_DOUBLE_EQ(softplus(-40.0), std::exp(-40.0));
  EXPECT_DOUBLE_EQ(softplus(0.0), std::log(2.0));
  EXPECT_EQ(softplus(-kInf), 0.0);
  EXPECT_TRUE(std::isnan(softplus(kNaN)));
  EXPECT_EQ(sigmoid(-1e4), 0.0);
  EXPECT_EQ(sigmoid(1e4), 1.0);
  for (const double x : {-30.0, -1.0, 0.5, 3.0, 800.0}) {
    EXPECT_NEAR(softplus_inverse(softplus(x)), x, 1e-12 * std::max(1.0, std::abs(x)));
    testing::expect_gradient([](ConstVectorRef v) { return softplus(v[0]); }, Vector{{x}},
                             Vector{{sigmoid(x)}});
  }
}

TEST(Erfcx, ReferenceValues) {
  const std::vector<std::pair<double, double>> table{
      {-5, 144009798674.66104},      {-0.5, 1.95236048918255709}, {0, 1.0},
      {0.3, 0.73459933456765515},    {1, 0.427583576155807004},   {5, 0.110704637733068626},
      {10, 0.0561409927438225859},   {20, 0.0281743487410513193}, {24.9, 0.0226399877760495063},
      {25.1, 0.0224598758175813882}, {50, 0.0112815362653237725}, {1e5, 5.64189583519546808e-6}};
  for (const auto& [x, want] : table) expect_close(erfcx(x), want, 1e-14);
  EXPECT_GT(erfcx(1e200), 0.0);
  EXPECT_EQ(erfcx(kInf), 0.0);
  EXPECT_EQ(erfcx(-30.0), kInf);
}

TEST(Normal, LogCdfReferenceValues) {
  const std::vector<std::pair<double, double>> table{
      {-40, -804.608442013753788},  {-10, -53.2312851505124706}, {-1, -1.84102164500926351},
      {-0.5, -1.17591176159361861}, {0, -0.693147180559945309},  {3, -0.0013508099647481938},
      {9, -1.12858840595384065e-19}};
  for (const auto& [x, want] : table) expect_close(normal_log_cdf(x), want, 2e-15);
  for (const double p : {1e-300, 1e-9, 0.2, 0.5, 0.9}) {
    expect_close(normal_cdf(normal_quantile(p)), p, 1e-13);
  }
  EXPECT_DOUBLE_EQ(normal_pdf(0.0), 1.0 / std::sqrt(2.0 * kPi));
}

TEST(LogH, ReferenceValues) {
  struct Row {
    double u, value, cdf_ratio, pdf_ratio;
  };
  const std::vector<Row> table{
      {5, 1.60943792312643139, 0.199999940531220046, 2.97343899767560124e-7},
      {2, 0.697383545788228312, 0.486559318785283869, 0.0268813624294322628},
      {0, -0.918938533204672742, 1.25331413731550025, 1.0},
      {-0.99, -2.46611439166904937, 1.89705763718635088, 2.87808706081448735},
      {-1, -2.48512102571264134, 1.90427123332969182, 2.90427123332969182},
      {-1.01, -2.5041998574802568, 1.91149717286061335, 2.9306121445892195},
      {-5, -16.7443011626609901, 5.36181624128808853, 27.8090812064404426},
      {-10, -55.5531220361223559, 10.1943830334125533, 102.943830334125533},
      {-24.9, -317.358485742667344, 24.9799369594711377, 623.000430290831292},
      {-25.1, -322.374409872464066, 25.1793059973775425, 633.000580534176352},
      {-40, -808.29856835661996, 40.0499066576485182, 1602.99626630594073},
      {-1000, -500014.734452091158, 1000.00199999400004, 1000002.99999400004}};
  for (const Row& row : table) {
    const LogH h = log_h(row.u);
    // Between the branches 1 - |u| R loses u^2 eps: 1.4e-13 at u = -25.
    EXPECT_NEAR(h.value, row.value, 4e-13 + 4e-16 * std::abs(row.value)) << row.u;
    expect_close(h.cdf_ratio, row.cdf_ratio, 5e-13);
    expect_close(h.pdf_ratio, row.pdf_ratio, 5e-13);
  }
  EXPECT_NEAR(log_h(-1e6).value, -500000000028.55, 1e-2);
}

TEST(LogH, WholeRange) {
  double previous = -kInf;
  for (double exponent = 150.0; exponent >= -3.0; exponent -= 0.25) {
    const LogH h = log_h(-std::pow(10.0, exponent));
    EXPECT_TRUE(std::isfinite(h.value) && std::isfinite(h.cdf_ratio)) << exponent;
    EXPECT_GT(h.value, previous);
    EXPECT_GT(h.cdf_ratio, 0.0);
    previous = h.value;
  }
  EXPECT_DOUBLE_EQ(log_h(1e300).value, std::log(1e300));
  EXPECT_EQ(log_h(-kInf).value, -kInf);
  EXPECT_TRUE(std::isnan(log_h(kNaN).value));
}

TEST(LogExpectedImprovement, GradientAndFloor) {
  for (const Vector& at : {Vector{{0.4, 0.3}}, Vector{{-3.0, 0.2}}, Vector{{-30.0, 0.7}}}) {
    const auto f = [](ConstVectorRef v) { return log_expected_improvement(v[0], v[1], 0.1).value; };
    const LogExpectedImprovement ei = log_expected_improvement(at[0], at[1], 0.1);
    testing::expect_gradient(f, at, Vector{{ei.d_mean, ei.d_sigma}});
  }
  const LogExpectedImprovement flat = log_expected_improvement(-1.0, 0.0, 0.0);
  EXPECT_TRUE(std::isfinite(flat.value));
  EXPECT_EQ(flat.d_sigma, 0.0);
}

TEST(FatPlus, ReferenceValuesAndGradient) {
  expect_close(log_fatplus(-1.0).value, -43.749116766887866, 1e-13);
  expect_close(log_fatplus(-0.001).value, -29.933607208922094, 1e-13);
  expect_close(log_fatplus(0.0).value, -14.047257032835773, 1e-13);
  expect_close(log_fatplus(0.5).value, -0.6931471805599453, 1e-12);
  for (const double z : {-7.0, -0.4, 0.0, 0.3, 2.0}) {
    testing::expect_gradient([](ConstVectorRef v) { return log_fatplus(v[0], 0.5).value; },
                             Vector{{z}}, Vector{{log_fatplus(z, 0.5).slope}});
  }
  EXPECT_EQ(log_fatplus(-kInf).value, -kInf);
}

TEST(FatMax, ReferenceValueGradientAndInfinities) {
  const std::vector<double> v{-3.0, -2.5, -2.495};
  expect_close(fatmax(v), -2.4901996039511376, 1e-13);
  const Vector at{{0.3, 1.1, 0.9, -4.0}};
  Vector gradient(4);
  fatmax({at.data(), 4}, 0.7, {gradient.data(), 4});
  testing::expect_gradient(
      [](ConstVectorRef x) {
        return fatmax({x.data(), 4}, 0.7);
      },
      at, gradient);
  EXPECT_NEAR(gradient.sum(), 1.0, 1e-14);
  const std::vector<double> lost{-kInf, -kInf};
  std::vector<double> slope(2, 5.0);
  EXPECT_EQ(fatmax(lost, 1e-2, slope), -kInf);
  EXPECT_EQ(slope, (std::vector<double>{0.0, 0.0}));
  const std::vector<double> partly{-kInf, 2.0};
  EXPECT_DOUBLE_EQ(fatmax(partly), 2.0);
  EXPECT_EQ(fatmax(std::vector<double>{1.0, kInf}), kInf);
}

}  // namespace
}  // namespace vbo
