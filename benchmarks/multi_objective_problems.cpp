// SPDX-License-Identifier: MIT
#include "multi_objective_problems.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace vbo::bench {
namespace {

using std::numbers::pi;
using std::numbers::sqrt2;
using Problem = MultiObjectiveProblem;

double mean_from(const Numbers& x, std::size_t first) {
  return std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(first), x.end(), 0.0) /
         static_cast<double>(x.size() - first);
}

// Front f2 = shape(f1) where g = 1.
Problem zdt(const std::string& name, Numbers ideal, Numbers nadir, double hypervolume,
            double (*second)(double f1, double g)) {
  return {name, 30, std::move(ideal), std::move(nadir), hypervolume, [second](const Numbers& u) {
            const double g = 1.0 + 9.0 * mean_from(u, 1);
            return Numbers{u[0], second(u[0], g)};
          }};
}

// f_i on a sphere of radius 1 + g.
Numbers on_sphere(const Numbers& angles, double radius) {
  const std::size_t M = angles.size() + 1;
  Numbers f(M, radius);
  for (std::size_t m = 0; m < M; ++m) {
    for (std::size_t i = 0; i + m + 1 < M; ++i) f[m] *= std::cos(angles[i] * pi / 2);
    if (m > 0) f[m] *= std::sin(angles[M - m - 1] * pi / 2);
  }
  return f;
}

Numbers dtlz2_values(const Numbers& u, std::size_t M) {
  double g = 0.0;
  for (std::size_t i = M - 1; i < u.size(); ++i) g += (u[i] - 0.5) * (u[i] - 0.5);
  return on_sphere({u.begin(), u.begin() + static_cast<std::ptrdiff_t>(M - 1)}, 1.0 + g);
}

Problem dtlz2(std::size_t inputs) {
  return {"dtlz2-" + std::to_string(inputs),
          inputs,
          Numbers(3, 0.0),
          Numbers(3, 1.0),
          1.331 - pi / 6,
          [](const Numbers& u) { return dtlz2_values(u, 3); }};
}

Problem c2_dtlz2() {
  constexpr double r = 0.4;
  return {"c2-dtlz2",
          12,
          Numbers(3, 0.0),
          Numbers(3, 1.0),
          0.6950,
          [](const Numbers& u) {
            Numbers f = dtlz2_values(u, 3);
            double squares = 0.0, centre = 0.0;
            for (const double v : f) {
              squares += v * v;
              centre += (v - 1 / std::sqrt(3.0)) * (v - 1 / std::sqrt(3.0));
            }
            double least = centre - r * r;
            for (const double v : f) {
              least = std::min(least, (v - 1) * (v - 1) + squares - v * v - r * r);
            }
            f.push_back(std::max(0.0, least));
            return f;
          },
          true};
}

// ---- WFG ----------------------------------------------------------------------------------------

double s_multi(double y, double A, double B, double C) {
  const double t = std::abs(y - C) / (2.0 * (std::floor(C - y) + C));
  return (1.0 + std::cos((4.0 * A + 2.0) * pi * (0.5 - t)) + 4.0 * B * t * t) / (B + 2.0);
}

double s_decept(double y, double A, double B, double C) {
  return 1.0 +
         (std::abs(y - A) - B) *
             (std::floor(y - A + B) * (1.0 - C + (A - B) / B) / (A - B) +
              std::floor(A + B - y) * (1.0 - C + (1.0 - A - B) / B) / (1.0 - A - B) + 1.0 / B);
}

double s_linear(double y, double A) { return std::abs(y - A) / std::abs(std::floor(A - y) + A); }

// Three objectives, k position and the rest distance parameters, means of groups, concave shape.
Numbers wfg_concave(const Numbers& t, std::size_t k) {
  constexpr std::size_t M = 3;
  Numbers x(M - 1);
  for (std::size_t m = 0; m + 1 < M; ++m) {
    const std::size_t size = k / (M - 1);
    x[m] = std::accumulate(t.begin() + static_cast<std::ptrdiff_t>(m * size),
                           t.begin() + static_cast<std::ptrdiff_t>((m + 1) * size), 0.0) /
           static_cast<double>(size);
  }
  const double distance = mean_from(t, k);
  Numbers h(M, 1.0);
  for (std::size_t m = 0; m < M; ++m) {
    for (std::size_t i = 0; i + m + 1 < M; ++i) h[m] *= std::sin(x[i] * pi / 2);
    if (m > 0) h[m] *= std::cos(x[M - m - 1] * pi / 2);
  }
  for (std::size_t m = 0; m < M; ++m) h[m] = distance + 2.0 * static_cast<double>(m + 1) * h[m];
  return h;
}

Problem wfg4() {
  return {"wfg4", 10, Numbers(3, 0.0), {2, 4, 6}, 1.331 - pi / 6, [](Numbers y) {
            for (double& v : y) v = s_multi(v, 30, 10, 0.35);
            return wfg_concave(y, 4);
          }};
}

Problem wfg5() {
  return {"wfg5", 10, Numbers(3, 0.0), {2, 4, 6}, 1.331 - pi / 6, [](Numbers y) {
            for (double& v : y) v = s_decept(v, 0.35, 0.001, 0.05);
            return wfg_concave(y, 4);
          }};
}

// Two objectives, four position and eight distance parameters, disconnected front.
Problem wfg2() {
  return {"wfg2", 12, {0.0, 0.0}, {2.0, 4.0}, 1.0, [](Numbers y) {
            constexpr std::size_t k = 4;
            for (std::size_t i = k; i < y.size(); ++i) y[i] = s_linear(y[i], 0.35);
            double distance = 0.0;
            for (std::size_t i = k; i < y.size(); i += 2) {
              distance += (y[i] + y[i + 1] + 2 * std::abs(y[i] - y[i + 1])) / 3;
            }
            distance /= static_cast<double>(y.size() - k) / 2;
            const double x = (y[0] + y[1] + y[2] + y[3]) / 4;
            const double wave = std::cos(5 * pi * x);
            return Numbers{distance + 2 * (1 - std::cos(x * pi / 2)),
                           distance + 4 * (1 - x * wave * wave)};
          }};
}

// ---- RE -----------------------------------------------------------------------------------------

struct Box {
  Numbers low, high;
  Numbers at(const Numbers& u) const {
    Numbers x(u.size());
    for (std::size_t i = 0; i < u.size(); ++i) x[i] = low[i] + u[i] * (high[i] - low[i]);
    return x;
  }
};

double violations(const Numbers& g) {  // of g >= 0
  double sum = 0.0;
  for (const double v : g) sum += std::max(0.0, -v);
  return sum;
}

Problem re(const std::string& name, Box box, Numbers ideal, Numbers nadir, double hypervolume,
           Numbers (*f)(const Numbers& x)) {
  const std::size_t inputs = box.low.size();
  return {
      name, inputs, std::move(ideal), std::move(nadir), hypervolume, [box, f](const Numbers& u) {
        return f(box.at(u));
      }};
}

Numbers four_bar_truss(const Numbers& x) {
  constexpr double F = 10, E = 2e5, L = 200;
  return {L * (2 * x[0] + sqrt2 * x[1] + std::sqrt(x[2]) + x[3]),
          F * L / E * (2 / x[0] + 2 * sqrt2 / x[1] - 2 * sqrt2 / x[2] + 2 / x[3])};
}

Numbers hatch_cover(const Numbers& x) {
  constexpr double E = 700000;
  const double bending = 4500 / (x[0] * x[1]), buckling = E * x[0] * x[0] / 100;
  const double deflection = 56.2e4 / (E * x[0] * x[1] * x[1]);
  return {x[0] + 120 * x[1], violations({1 - bending / 700, 1 - 1800 / x[1] / 450,
                                         1 - deflection / 1.5, 1 - bending / buckling})};
}

Numbers welded_beam(const Numbers& x) {
  constexpr double P = 6000, L = 14, E = 30e6, G = 12e6;
  const double half = (x[0] + x[2]) / 2;
  const double moment = P * (L + x[1] / 2), R = std::sqrt(x[1] * x[1] / 4 + half * half);
  const double J = 2 * sqrt2 * x[0] * x[1] * (x[1] * x[1] / 12 + half * half);
  const double a = P / (sqrt2 * x[0] * x[1]), b = moment * R / J;
  const double shear = std::sqrt(a * a + a * b * x[1] / R + b * b);
  const double bending = 6 * P * L / (x[3] * x[2] * x[2]);
  const double load = 4.013 * E * std::sqrt(x[2] * x[2] * std::pow(x[3], 6) / 36) / (L * L) *
                      (1 - x[2] / (2 * L) * std::sqrt(E / (4 * G)));
  return {1.10471 * x[0] * x[0] * x[1] + 0.04811 * x[2] * x[3] * (14 + x[1]),
          4 * P * L * L * L / (E * x[3] * std::pow(x[2], 3)),
          violations({13600 - shear, 30000 - bending, x[3] - x[0], load - P})};
}

Numbers disc_brake(const Numbers& x) {
  const double squares = x[1] * x[1] - x[0] * x[0];
  const double cubes = std::pow(x[1], 3) - std::pow(x[0], 3);
  return {4.9e-5 * squares * (x[3] - 1), 9.82e6 * squares / (x[2] * x[3] * cubes),
          violations({x[1] - x[0] - 20, 0.4 - x[2] / (3.14 * squares),
                      1 - 2.22e-3 * x[2] * cubes / (squares * squares),
                      2.66e-2 * x[2] * x[3] * cubes / squares - 900})};
}

Numbers crashworthiness(const Numbers& x) {
  const double a = x[0], b = x[1], c = x[2], d = x[3], e = x[4];
  return {1640.2823 + 2.3573285 * a + 2.3220035 * b + 4.5688768 * c + 7.7213633 * d + 4.4559504 * e,
          6.5856 + 1.15 * a - 1.0427 * b + 0.9738 * c + 0.8364 * d - 0.3695 * a * d +
              0.0861 * a * e + 0.3628 * b * d - 0.1106 * a * a - 0.3437 * c * c + 0.1764 * d * d,
          -0.0551 + 0.0181 * a + 0.1024 * b + 0.0421 * c - 0.0073 * a * b + 0.024 * b * c -
              0.0118 * b * d - 0.0204 * c * d - 0.008 * c * e - 0.0241 * b * b + 0.0109 * d * d};
}

Numbers rocket_injector(const Numbers& x) {
  const double a = x[0], h = x[1], o = x[2], p = x[3];
  return {0.692 + 0.477 * a - 0.687 * h - 0.080 * o - 0.0650 * p - 0.167 * a * a - 0.0129 * h * a +
              0.0796 * h * h - 0.0634 * o * a - 0.0257 * o * h + 0.0877 * o * o - 0.0521 * p * a +
              0.00156 * p * h + 0.00198 * p * o + 0.0184 * p * p,
          0.153 - 0.322 * a + 0.396 * h + 0.424 * o + 0.0226 * p + 0.175 * a * a + 0.0185 * h * a -
              0.0701 * h * h - 0.251 * o * a + 0.179 * o * h + 0.0150 * o * o + 0.0134 * p * a +
              0.0296 * p * h + 0.0752 * p * o + 0.0192 * p * p,
          0.370 - 0.205 * a + 0.0307 * h + 0.108 * o + 1.019 * p - 0.135 * a * a + 0.0141 * h * a +
              0.0998 * h * h + 0.208 * o * a - 0.0301 * o * h - 0.226 * o * o + 0.353 * p * a -
              0.0497 * p * o - 0.423 * p * p + 0.202 * h * a * a - 0.281 * o * a * a -
              0.342 * h * h * a - 0.245 * h * h * o + 0.281 * o * o * h - 0.184 * p * p * a -
              0.281 * h * a * o};
}

Numbers car_side_impact(const Numbers& x) {
  const double a = x[0], b = x[1], c = x[2], d = x[3], e = x[4], f = x[5], g = x[6];
  const double force = 4.72 - 0.5 * d - 0.19 * b * c;
  const double pillar = 10.58 - 0.674 * a * b - 0.67275 * b;
  const double door = 16.45 - 0.489 * c * g - 0.843 * e * f;
  return {1.98 + 4.9 * a + 6.67 * b + 6.98 * c + 4.01 * d + 1.78 * e + 0.00001 * f + 2.73 * g,
          force, 0.5 * (pillar + door),
          violations({1 - (1.16 - 0.3717 * b * d - 0.0092928 * c),
                      0.32 - (0.261 - 0.0159 * a * b - 0.06486 * a - 0.019 * b * g +
                              0.0144 * c * e + 0.0154464 * f),
                      0.32 - (0.214 + 0.00817 * e - 0.045195 * a - 0.0135168 * a + 0.03099 * b * f -
                              0.018 * b * g + 0.007176 * c + 0.023232 * c - 0.00364 * e * f -
                              0.018 * b * b),
                      0.32 - (0.74 - 0.61 * b - 0.031296 * c - 0.031872 * g + 0.227 * b * b),
                      32 - (28.98 + 3.818 * c - 4.2 * a * b + 1.27296 * f - 2.68065 * g),
                      32 - (33.86 + 2.95 * c - 5.057 * a * b - 3.795 * b - 3.4431 * g + 1.45728),
                      32 - (46.36 - 9.9 * b - 4.4505 * a), 4 - force, 9.9 - pillar, 15.7 - door})};
}

}  // namespace

std::vector<Problem> multi_objective_problems() {
  return {
      zdt("zdt1", {0, 0}, {1, 1}, 1.21 - 1.0 / 3,
          [](double f, double g) { return g * (1 - std::sqrt(f / g)); }),
      zdt("zdt2", {0, 0}, {1, 1}, 1.21 - 2.0 / 3,
          [](double f, double g) { return g * (1 - f / g * (f / g)); }),
      zdt("zdt3", {0, -0.773369}, {0.851833, 1}, 1.0,
          [](double f, double g) {
            return g * (1 - std::sqrt(f / g) - f / g * std::sin(10 * pi * f));
          }),
      dtlz2(12),
      dtlz2(30),
      dtlz2(100),
      wfg2(),
      wfg4(),
      wfg5(),
      re("re21", {{1, sqrt2, sqrt2, 1}, {3, 3, 3, 3}}, Numbers(2, 0.0), Numbers(2, 1.0), 1.0,
         &four_bar_truss),
      re("re24", {{0.5, 4}, {4, 50}}, Numbers(2, 0.0), Numbers(2, 1.0), 1.0, &hatch_cover),
      re("re32", {{0.125, 0.1, 0.1, 0.125}, {5, 10, 10, 5}}, Numbers(3, 0.0), Numbers(3, 1.0), 1.0,
         &welded_beam),
      re("re33", {{55, 75, 1000, 11}, {80, 110, 3000, 20}}, Numbers(3, 0.0), Numbers(3, 1.0), 1.0,
         &disc_brake),
      re("re34", {Numbers(5, 1.0), Numbers(5, 3.0)}, Numbers(3, 0.0), Numbers(3, 1.0), 1.0,
         &crashworthiness),
      re("re37", {Numbers(4, 0.0), Numbers(4, 1.0)}, Numbers(3, 0.0), Numbers(3, 1.0), 1.0,
         &rocket_injector),
      re("re41", {{0.5, 0.45, 0.5, 0.5, 0.875, 0.4, 0.4}, {1.5, 1.35, 1.5, 1.5, 2.625, 1.2, 1.2}},
         Numbers(4, 0.0), Numbers(4, 1.0), 1.0, &car_side_impact),
      c2_dtlz2(),
  };
}

}  // namespace vbo::bench
