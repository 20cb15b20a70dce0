// SPDX-License-Identifier: MIT
// Scalar functions that stay accurate at the ends of their range, where the textbook form
// overflows, cancels or loses its gradient. Thread-safe: no state. NaN in gives NaN out.
#pragma once

#include <span>

#include "core/normal.hpp"  // normal_quantile
#include "numerics/linalg.hpp"

namespace vbo {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kLogSqrt2Pi = 0.91893853320467274178;  // log(2 pi) / 2
inline constexpr double kSqrt2 = 1.41421356237309504880;

// log sum_i e^{v_i} and log (1/n) sum_i e^{v_i}, shifted by the maximum: no overflow, and all
// v_i = -inf give -inf. An empty v gives -inf.
double log_sum_exp(ConstVectorRef v);
double log_mean_exp(ConstVectorRef v);
double log_add_exp(double a, double b);  // log(e^a + e^b)

// log(1 - e^w) for w <= 0 (Maechler 2012): relative accuracy for all w, where the plain form is
// useless near w = 0.
double log1mexp(double w);

// log(1 + e^x) and its derivative 1 / (1 + e^{-x}); no overflow for any x.
double softplus(double x);
double sigmoid(double x);
double softplus_inverse(double y);  // REQUIRES: y > 0

// erfcx(x) = e^{x^2} erfc(x): relative error below 1e-14 for x >= -26; +inf below about -26.6.
double erfcx(double x);

double normal_pdf(double x);
double normal_log_pdf(double x);
double normal_cdf(double x);      // relative accuracy in the lower tail too
double normal_log_cdf(double x);  // finite down to x = -1e154
// In the precision of the networks.
float normal_pdf(float x);
float normal_cdf(float x);

// Expected improvement is sigma h(u), h(u) = phi(u) + u Phi(u), u = (mu - best) / sigma.
// log h(u), accurate for u in [-1e154, 1e308] (Ament et al. 2023, section 4.1); the naive form has
// no usable value or gradient below u = -10 or so.
struct LogH {
  double value;      // log h(u)
  double cdf_ratio;  // Phi(u) / h(u) = d log h / du
  double pdf_ratio;  // phi(u) / h(u)
};
LogH log_h(double u);

// log EI = log h(u) + log sigma with its derivatives by mu and sigma.
struct LogExpectedImprovement {
  double value;
  double d_mean;   // Phi / (sigma h)
  double d_sigma;  // phi / (sigma h)
};
// sigma is clamped at 1e-6 from below (variance 1e-12).
LogExpectedImprovement log_expected_improvement(double mean, double sigma, double best);

// A value and its derivative.
struct ValueSlope {
  double value;
  double slope;
};

// log of fatplus(z) = tau (softplus(t) + 0.1 / (1 + t^2)), t = z / tau: a smooth max(0, z) whose
// tail falls like 1/z^2 instead of e^z, so that its logarithm keeps a gradient far below zero
// (Ament et al. 2023, section 4.2). z = +-inf give +-inf with slope 0.
ValueSlope log_fatplus(double z, double tau = 1e-6);

// Smooth maximum with fat tails: M + tau log sum_j 2 / (2 + 2 t_j + t_j^2), t_j = (M - v_j) / tau,
// M = max v. An infinite M is returned as it is. If `gradient` is not empty it has v's size and
// receives d fatmax / d v.
double fatmax(std::span<const double> v, double tau = 1e-2, std::span<double> gradient = {});

}  // namespace vbo
