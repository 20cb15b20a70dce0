// SPDX-License-Identifier: MIT
#include "numerics/special.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace vbo {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kSqrtPiOver2 = 1.25331413731550025121;
constexpr double kInvSqrtPi = std::numbers::inv_sqrtpi;

// e^{x^2} with the rounding error of x^2 carried along: without it the relative error of the
// result is x^2 eps, 1e-13 at x = 25.
double exp_square(double x) {
  const double square = x * x;
  const double rest = std::fma(x, x, -square);
  return std::exp(square) * (1.0 + rest);
}

// 1 - 3/u^2 + 15/u^4 - ..., the asymptotic series of u^2 h(u) / phi(u); at u = -25 the first term
// left out is 34459425 / u^16 < 2e-15.
double tail_series(double u) {
  const double v = 1.0 / (u * u);
  return 1.0 +
         v * (-3.0 +
              v * (15.0 +
                   v * (-105.0 + v * (945.0 + v * (-10395.0 + v * (135135.0 - v * 2027025.0))))));
}
constexpr double kSeriesBelow = -25.0;

}  // namespace

double log_sum_exp(ConstVectorRef v) {
  if (v.size() == 0) return -kInf;
  const double top = v.maxCoeff<Eigen::PropagateNaN>();
  if (!std::isfinite(top)) return top;
  return top + std::log((v.array() - top).exp().sum());
}

double log_mean_exp(ConstVectorRef v) {
  return log_sum_exp(v) - std::log(static_cast<double>(std::max<Eigen::Index>(1, v.size())));
}

double log_add_exp(double a, double b) {
  const double top = std::max(a, b);
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (!std::isfinite(top)) return top;
  return top + std::log1p(std::exp(std::min(a, b) - top));
}

double log1mexp(double w) {
  return w > -std::numbers::ln2 ? std::log(-std::expm1(w)) : std::log1p(-std::exp(w));
}

double softplus(double x) {
  return std::isnan(x) ? x : std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double sigmoid(double x) {
  if (x >= 0.0) return 1.0 / (1.0 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1.0 + e);
}

// log(e^y - 1) = y + log(1 - e^{-y})
double softplus_inverse(double y) { return y + log1mexp(-y); }

double erfcx(double x) {
  if (x < 0.0) return x < -26.7 ? kInf : 2.0 * exp_square(x) - erfcx(-x);
  if (x < 25.0) return exp_square(x) * std::erfc(x);
  // 1/(x sqrt(pi)) (1 - v + 3 v^2 - 15 v^3 + ...), v = 1/(2 x^2) <= 8e-4: 5 terms reach 1e-15.
  const double v = 0.5 / x / x;
  const double series =
      1.0 + v * (-1.0 + v * (3.0 + v * (-15.0 + v * (105.0 + v * (-945.0 + v * 10395.0)))));
  return kInvSqrtPi / x * series;
}

double normal_log_pdf(double x) { return -0.5 * x * x - kLogSqrt2Pi; }
double normal_pdf(double x) { return std::exp(normal_log_pdf(x)); }
double normal_cdf(double x) { return 0.5 * std::erfc(-x / kSqrt2); }

float normal_pdf(float x) {
  constexpr float scale = 0.3989422804F;  // 1/sqrt(2 pi)
  return scale * std::exp(-0.5F * x * x);
}

float normal_cdf(float x) { return 0.5F * std::erfc(-x * std::numbers::sqrt2_v<float> / 2.0F); }

double normal_log_cdf(double x) {
  if (x > -1.0) return std::log1p(-0.5 * std::erfc(x / kSqrt2));
  return -0.5 * x * x + std::log(0.5 * erfcx(-x / kSqrt2));
}

LogH log_h(double u) {
  if (u > -1.0) {
    if (u == kInf) return {kInf, 0.0, 0.0};
    const double pdf = normal_pdf(u);
    const double cdf = normal_cdf(u);
    const double h = pdf + u * cdf;
    return {std::log(h), cdf / h, pdf / h};
  }
  if (std::isnan(u)) return {u, u, u};
  if (u == -kInf) return {-kInf, kInf, kInf};
  // h / phi = 1 - |u| R with Mills' ratio R = Phi / phi. log h = log phi + log1mexp(log(|u| R)).
  const double mills = kSqrtPiOver2 * erfcx(-u / kSqrt2);
  const double log_phi = normal_log_pdf(u);
  if (u > kSeriesBelow) {
    const double log_ratio = log1mexp(std::log(-u * mills));  // log(h / phi)
    const double pdf_ratio = std::exp(-log_ratio);
    return {log_phi + log_ratio, mills * pdf_ratio, pdf_ratio};
  }
  // Below, 1 - |u| R = series / u^2 cancels to nothing; sum the series instead.
  const double series = tail_series(u);
  return {log_phi - 2.0 * std::log(-u) + std::log(series), -u * (-u * mills) / series,
          u * u / series};
}

LogExpectedImprovement log_expected_improvement(double mean, double sigma, double best) {
  const double floor = 1e-6;
  const bool clamped = sigma < floor;
  const double s = clamped ? floor : sigma;
  const LogH h = log_h((mean - best) / s);
  return {h.value + std::log(s), h.cdf_ratio / s, clamped ? 0.0 : h.pdf_ratio / s};
}

ValueSlope log_fatplus(double z, double tau) {
  if (std::isinf(z)) return {z, 0.0};
  const double t = z / tau;
  const double q = 1.0 + t * t;
  const double inner = softplus(t) + 0.1 / q;
  const double d_inner = sigmoid(t) - 0.2 * (t / q) / q;
  return {std::log(tau) + std::log(inner), d_inner / (inner * tau)};
}

double fatmax(std::span<const double> v, double tau, std::span<double> gradient) {
  if (v.empty()) return -kInf;
  const auto at = static_cast<std::size_t>(std::max_element(v.begin(), v.end()) - v.begin());
  const double top = v[at];
  if (!std::isfinite(top)) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    if (!gradient.empty() && top > 0.0) gradient[at] = 1.0;
    return top;
  }
  // s(t) = 2 / (2 + 2 t + t^2), s'(t) = -s^2 (1 + t)
  double sum = 0.0;
  for (std::size_t j = 0; j < v.size(); ++j) {
    const double t = (top - v[j]) / tau;
    const double s = std::isinf(t) ? 0.0 : 2.0 / (2.0 + 2.0 * t + t * t);
    sum += s;
    if (!gradient.empty()) gradient[j] = s > 0.0 ? s * s * (1.0 + t) : 0.0;
  }
  if (!gradient.empty()) {
    double others = 0.0;
    for (std::size_t j = 0; j < v.size(); ++j) {
      gradient[j] /= sum;
      if (j != at) others += gradient[j];
    }
    gradient[at] = 1.0 - others;  // the maximum also moves every t_j
  }
  return top + tau * std::log(sum);
}

}  // namespace vbo
