// SPDX-License-Identifier: MIT
#include "limited_set.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "numerics/linalg.hpp"
#include "vbo/random.hpp"

namespace limited {
namespace {

using vbo::Matrix;
using vbo::Rng;
using vbo::Vector;

// The oscillation of the BBOB suite: smooth, monotone, 0 at 0.
double oscillated(double v) {
  if (v == 0.0) return 0.0;
  const double x = std::log(std::abs(v));
  const double c1 = v > 0.0 ? 10.0 : 5.5, c2 = v > 0.0 ? 7.9 : 3.1;
  return std::copysign(std::exp(x + 0.049 * (std::sin(c1 * x) + std::sin(c2 * x))), v);
}

Matrix rotation(int D, Rng& rng) {
  Matrix A(D, D);
  for (double& a : A.reshaped()) a = rng.normal();
  return Eigen::HouseholderQR<Matrix>(A).householderQ();
}

// Convex functions of z with their lowest point at 0, and ripples on top of two of them.
double value_of(const std::string& kind, const Vector& z) {
  const auto D = z.size();
  const auto power = [&](Eigen::Index i) {
    return static_cast<double>(i) / static_cast<double>(D - 1);
  };
  double sum = 0.0;
  for (Eigen::Index i = 0; i < D; ++i) {
    const double square = z[i] * z[i];
    if (kind == "sphere") sum += square;
    if (kind == "ellipsoid") sum += std::pow(1e6, power(i)) * square;
    if (kind == "discus") sum += (i == 0 ? 1e6 : 1.0) * square;
    if (kind == "bent-cigar") sum += (i == 0 ? 1.0 : 1e6) * square;
    if (kind == "powers") sum += std::pow(std::abs(z[i]), 2.0 + 4.0 * power(i));
    if (kind == "linear") sum += std::pow(10.0, power(i)) * z[i];
    if (kind == "rastrigin") sum += square + 10.0 * (1.0 - std::cos(2.0 * M_PI * z[i]));
  }
  if (kind == "rosenbrock") {
    for (Eigen::Index i = 0; i + 1 < D; ++i) {
      const double a = z[i] + 1.0, b = z[i + 1] + 1.0;
      sum += 100.0 * std::pow(a * a - b, 2.0) + std::pow(a - 1.0, 2.0);
    }
  }
  return sum;
}

struct Corner {
  std::string kind;
  Matrix R;
  Vector optimum, centre;
  Matrix normals;  // (D,m)
  Vector offsets;  // (m)
  double scale;

  double cost(const Vector& x) const { return value_of(kind, R * (bent(x) - centre)); }
  Vector bent(const Vector& x) const {
    Vector z = x - optimum;
    for (double& v : z) v = oscillated(v);
    return optimum + z;
  }
};

// `active` of `limits` planes go through the optimum, the first of them across the slope there, so
// that a convex objective has its constrained optimum at that corner.
Problem corner(const std::string& kind, int D, int active, int limits, bool rotated,
               std::uint64_t seed) {
  Rng rng(seed, "corner");
  auto c = std::make_shared<Corner>();
  c->kind = kind;
  c->R = rotated ? rotation(D, rng) : Matrix::Identity(D, D);
  c->optimum = Vector::NullaryExpr(D, [&] { return 8.0 * rng.uniform() - 4.0; });
  c->centre = c->optimum + Vector::NullaryExpr(D, [&] { return rng.normal(); });
  if (kind == "linear") c->centre.setZero();
  Vector slope(D);
  for (int i = 0; i < D; ++i) {
    Vector up = Vector::Zero(D);
    up[i] = 1e-5;
    slope[i] = (value_of(kind, c->R * (c->optimum + up - c->centre)) -
                value_of(kind, c->R * (c->optimum - up - c->centre))) /
               2e-5;
  }
  c->normals = Matrix(D, limits);
  c->offsets = Vector::Zero(limits);
  const Vector inward = slope.normalized();
  c->normals.col(0) = -inward;
  for (int k = 1; k < limits; ++k) {
    Vector a = Vector::NullaryExpr(D, [&] { return rng.normal(); }).normalized();
    if (a.dot(inward) > 0.0) a = -a;
    a = (a - 0.2 * inward).normalized();
    c->normals.col(k) = a;
    if (k >= active) c->offsets[k] = 0.2 + 2.0 * rng.uniform();
  }
  for (int k = 0; k < limits; ++k) c->normals.col(k) *= std::pow(10.0, 2.0 * rng.uniform() - 1.0);
  const double best = value_of(kind, c->R * (c->optimum - c->centre));
  return {
      kind + (rotated ? "-rotated" : "") + "/D" + std::to_string(D) + "/" + std::to_string(limits),
      Numbers(static_cast<std::size_t>(D), -5.0),
      Numbers(static_cast<std::size_t>(D), 5.0),
      best,
      static_cast<std::size_t>(limits),
      [c](const Numbers& numbers) {
        const Vector x = Eigen::Map<const Vector>(numbers.data(), std::ssize(numbers));
        const Vector g = c->normals.transpose() * (c->bent(x) - c->optimum);
        Measured measured{c->cost(x), {}};
        for (Eigen::Index k = 0; k < g.size(); ++k) {
          measured.excesses.push_back(g[k] - c->offsets[k] * c->normals.col(k).norm());
        }
        return measured;
      }};
}

double square(double v) { return v * v; }

std::vector<Problem> collection() {
  std::vector<Problem> all;
  Numbers g01_high(13, 1.0);
  for (const std::size_t i : {9, 10, 11}) g01_high[i] = 100.0;
  all.push_back({"G01", Numbers(13, 0.0), g01_high, -15.0, 9, [](const Numbers& x) {
                   double cost = 0.0;
                   for (std::size_t i = 0; i < 4; ++i) cost += 5.0 * (x[i] - x[i] * x[i]);
                   for (std::size_t i = 4; i < 13; ++i) cost -= x[i];
                   return Measured{cost,
                                   {2 * x[0] + 2 * x[1] + x[9] + x[10] - 10,
                                    2 * x[0] + 2 * x[2] + x[9] + x[11] - 10,
                                    2 * x[1] + 2 * x[2] + x[10] + x[11] - 10, -8 * x[0] + x[9],
                                    -8 * x[1] + x[10], -8 * x[2] + x[11], -2 * x[3] - x[4] + x[9],
                                    -2 * x[5] - x[6] + x[10], -2 * x[7] - x[8] + x[11]}};
                 }});
  all.push_back({"G02", Numbers(20, 0.0), Numbers(20, 10.0), -0.803619, 2, [](const Numbers& x) {
                   double fours = 0.0, twos = 1.0, weighted = 0.0, product = 1.0, sum = 0.0;
                   for (std::size_t i = 0; i < x.size(); ++i) {
                     fours += std::pow(std::cos(x[i]), 4);
                     twos *= square(std::cos(x[i]));
                     weighted += static_cast<double>(i + 1) * x[i] * x[i];
                     product *= x[i];
                     sum += x[i];
                   }
                   return Measured{-std::abs((fours - 2 * twos) / std::sqrt(weighted + 1e-12)),
                                   {0.75 - product, sum - 150.0}};
                 }});
  all.push_back(
      {"G04", {78, 33, 27, 27, 27}, {102, 45, 45, 45, 45}, -30665.539, 6, [](const Numbers& x) {
         const double u = 85.334407 + 0.0056858 * x[1] * x[4] + 0.0006262 * x[0] * x[3] -
                          0.0022053 * x[2] * x[4];
         const double v =
             80.51249 + 0.0071317 * x[1] * x[4] + 0.0029955 * x[0] * x[1] + 0.0021813 * x[2] * x[2];
         const double w =
             9.300961 + 0.0047026 * x[2] * x[4] + 0.0012547 * x[0] * x[2] + 0.0019085 * x[2] * x[3];
         return Measured{
             5.3578547 * x[2] * x[2] + 0.8356891 * x[0] * x[4] + 37.293239 * x[0] - 40792.141,
             {u - 92, -u, v - 110, 90 - v, w - 25, 20 - w}};
       }});
  all.push_back({"G06", {13, 0}, {100, 100}, -6961.81388, 2, [](const Numbers& x) {
                   return Measured{std::pow(x[0] - 10, 3) + std::pow(x[1] - 20, 3),
                                   {100 - square(x[0] - 5) - square(x[1] - 5),
                                    square(x[0] - 6) + square(x[1] - 5) - 82.81}};
                 }});
  all.push_back(
      {"G07", Numbers(10, -10.0), Numbers(10, 10.0), 24.3062091, 8, [](const Numbers& x) {
         const double cost = x[0] * x[0] + x[1] * x[1] + x[0] * x[1] - 14 * x[0] - 16 * x[1] +
                             square(x[2] - 10) + 4 * square(x[3] - 5) + square(x[4] - 3) +
                             2 * square(x[5] - 1) + 5 * x[6] * x[6] + 7 * square(x[7] - 11) +
                             2 * square(x[8] - 10) + square(x[9] - 7) + 45;
         return Measured{
             cost,
             {-105 + 4 * x[0] + 5 * x[1] - 3 * x[6] + 9 * x[7],
              10 * x[0] - 8 * x[1] - 17 * x[6] + 2 * x[7],
              -8 * x[0] + 2 * x[1] + 5 * x[8] - 2 * x[9] - 12,
              3 * square(x[0] - 2) + 4 * square(x[1] - 3) + 2 * x[2] * x[2] - 7 * x[3] - 120,
              5 * x[0] * x[0] + 8 * x[1] + square(x[2] - 6) - 2 * x[3] - 40,
              x[0] * x[0] + 2 * square(x[1] - 2) - 2 * x[0] * x[1] + 14 * x[4] - 6 * x[5],
              0.5 * square(x[0] - 8) + 2 * square(x[1] - 4) + 3 * x[4] * x[4] - x[5] - 30,
              -3 * x[0] + 6 * x[1] + 12 * square(x[8] - 8) - 7 * x[9]}};
       }});
  all.push_back({"G08", {0.001, 0.001}, {10, 10}, -0.095825, 2, [](const Numbers& x) {
                   return Measured{-std::pow(std::sin(2 * M_PI * x[0]), 3) *
                                       std::sin(2 * M_PI * x[1]) /
                                       (std::pow(x[0], 3) * (x[0] + x[1])),
                                   {x[0] * x[0] - x[1] + 1, 1 - x[0] + square(x[1] - 4)}};
                 }});
  all.push_back({"G09", Numbers(7, -10.0), Numbers(7, 10.0), 680.6300573, 4, [](const Numbers& x) {
                   const double cost = square(x[0] - 10) + 5 * square(x[1] - 12) +
                                       std::pow(x[2], 4) + 3 * square(x[3] - 11) +
                                       10 * std::pow(x[4], 6) + 7 * x[5] * x[5] +
                                       std::pow(x[6], 4) - 4 * x[5] * x[6] - 10 * x[5] - 8 * x[6];
                   return Measured{cost,
                                   {-127 + 2 * x[0] * x[0] + 3 * std::pow(x[1], 4) + x[2] +
                                        4 * x[3] * x[3] + 5 * x[4],
                                    -282 + 7 * x[0] + 3 * x[1] + 10 * x[2] * x[2] + x[3] - x[4],
                                    -196 + 23 * x[0] + x[1] * x[1] + 6 * x[5] * x[5] - 8 * x[6],
                                    4 * x[0] * x[0] + x[1] * x[1] - 3 * x[0] * x[1] +
                                        2 * x[2] * x[2] + 5 * x[5] - 11 * x[6]}};
                 }});
  all.push_back({"G10",
                 {100, 1000, 1000, 10, 10, 10, 10, 10},
                 {10000, 10000, 10000, 1000, 1000, 1000, 1000, 1000},
                 7049.24802,
                 6,
                 [](const Numbers& x) {
                   return Measured{x[0] + x[1] + x[2],
                                   {-1 + 0.0025 * (x[3] + x[5]), -1 + 0.0025 * (x[4] + x[6] - x[3]),
                                    -1 + 0.01 * (x[7] - x[4]),
                                    -x[0] * x[5] + 833.33252 * x[3] + 100 * x[0] - 83333.333,
                                    -x[1] * x[6] + 1250 * x[4] + x[1] * x[3] - 1250 * x[3],
                                    -x[2] * x[7] + 1250000 + x[2] * x[4] - 2500 * x[4]}};
                 }});
  Numbers g18_low(9, -10.0), g18_high(9, 10.0);
  g18_low[8] = 0.0;
  g18_high[8] = 20.0;
  all.push_back(
      {"G18", g18_low, g18_high, -0.8660254, 13, [](const Numbers& x) {
         return Measured{
             -0.5 * (x[0] * x[3] - x[1] * x[2] + x[2] * x[8] - x[4] * x[8] + x[4] * x[7] -
                     x[5] * x[6]),
             {x[2] * x[2] + x[3] * x[3] - 1, x[8] * x[8] - 1, x[4] * x[4] + x[5] * x[5] - 1,
              x[0] * x[0] + square(x[1] - x[8]) - 1, square(x[0] - x[4]) + square(x[1] - x[5]) - 1,
              square(x[0] - x[6]) + square(x[1] - x[7]) - 1,
              square(x[2] - x[4]) + square(x[3] - x[5]) - 1,
              square(x[2] - x[6]) + square(x[3] - x[7]) - 1, x[6] * x[6] + square(x[7] - x[8]) - 1,
              x[1] * x[2] - x[0] * x[3], -x[2] * x[8], x[4] * x[8], x[5] * x[6] - x[4] * x[7]}};
       }});
  all.push_back({"G24", {0, 0}, {3, 4}, -5.508013, 2, [](const Numbers& x) {
                   const double a = x[0];
                   return Measured{-x[0] - x[1],
                                   {-2 * std::pow(a, 4) + 8 * std::pow(a, 3) - 8 * a * a + x[1] - 2,
                                    -4 * std::pow(a, 4) + 32 * std::pow(a, 3) - 88 * a * a +
                                        96 * a + x[1] - 36}};
                 }});
  return all;
}

// A shell of a ball, a fiftieth of its radius thick; the lowest coordinate of it is sought.
Problem ring(std::size_t D) {
  return {"ring/D" + std::to_string(D),
          Numbers(D, -2.0),
          Numbers(D, 2.5),
          0.3 - 1.51 * std::sqrt(static_cast<double>(D)) + 0.3 * (static_cast<double>(D) - 1.0),
          2,
          [](const Numbers& x) {
            double sum = 0.0, squares = 0.0;
            for (const double v : x) {
              sum += v;
              squares += square(v - 0.3);
            }
            return Measured{sum, {std::sqrt(squares) - 1.51, 1.49 - std::sqrt(squares)}};
          }};
}

// Feasible balls around lattice points; a tilted bowl over them.
Problem islands(std::size_t D) {
  return {"islands/D" + std::to_string(D),
          Numbers(D, -3.0),
          Numbers(D, 3.0),
          0.0,
          1,
          [](const Numbers& x) {
            double cost = 0.0, ripple = 0.0;
            for (std::size_t i = 0; i < x.size(); ++i) {
              cost += (1.0 + static_cast<double>(i)) * square(x[i] - 0.75);
              ripple += square(std::sin(2.0 * M_PI * (x[i] - 0.75) / 3.0));
            }
            return Measured{cost, {ripple - 0.5}};
          }};
}

// The best point of many local searches by mutations that keep what is feasible and better.
double searched(const Problem& problem) {
  Rng rng(problem.low.size(), problem.name);
  const std::size_t D = problem.low.size();
  double best = problem.best;
  for (int start = 0; start < 40; ++start) {
    Numbers x(D);
    double value = INFINITY, sigma = 0.2;
    const auto merit = [&](const Numbers& at) {
      const Measured measured = problem.measure(at);
      double sum = 0.0;
      for (const double excess : measured.excesses) sum += std::max(0.0, excess);
      return sum > 0.0 ? 1e12 + sum : measured.cost;
    };
    for (std::size_t i = 0; i < D; ++i)
      x[i] = std::lerp(problem.low[i], problem.high[i], rng.uniform());
    value = merit(x);
    for (int step = 0; step < 12000; ++step) {
      Numbers y = x;
      for (std::size_t i = 0; i < D; ++i) {
        if (rng.uniform() > 3.0 / static_cast<double>(D)) continue;
        y[i] = std::clamp(y[i] + sigma * (problem.high[i] - problem.low[i]) * rng.normal(),
                          problem.low[i], problem.high[i]);
      }
      const double found = merit(y);
      const bool better = found < value;
      if (better) {
        x = std::move(y);
        value = found;
      }
      sigma = std::clamp(sigma * (better ? 1.5 : 0.9), 1e-7, 0.5);
    }
    best = std::min(best, value);
  }
  return best;
}

}  // namespace

std::vector<Problem> problems() {
  std::vector<Problem> all = {corner("sphere", 10, 1, 1, false, 1),
                              corner("sphere", 10, 11, 16, false, 2),
                              corner("sphere", 10, 36, 54, false, 3),
                              corner("ellipsoid", 10, 2, 3, false, 4),
                              corner("ellipsoid", 10, 6, 9, true, 5),
                              corner("ellipsoid", 10, 16, 24, true, 6),
                              corner("ellipsoid", 10, 36, 54, true, 7),
                              corner("linear", 10, 2, 3, true, 8),
                              corner("linear", 10, 16, 24, true, 9),
                              corner("linear", 10, 36, 54, true, 10),
                              corner("discus", 10, 1, 1, true, 11),
                              corner("discus", 10, 11, 16, true, 12),
                              corner("bent-cigar", 10, 2, 3, true, 13),
                              corner("bent-cigar", 10, 16, 24, true, 14),
                              corner("powers", 10, 1, 1, true, 15),
                              corner("powers", 10, 6, 9, true, 16),
                              corner("powers", 10, 36, 54, true, 17),
                              corner("rosenbrock", 10, 2, 3, true, 18),
                              corner("rastrigin", 10, 2, 3, false, 19),
                              corner("rastrigin", 10, 11, 16, true, 20),
                              corner("rastrigin", 10, 36, 54, false, 21),
                              corner("sphere", 5, 3, 6, false, 22),
                              corner("ellipsoid", 5, 3, 3, true, 23),
                              corner("rastrigin", 5, 2, 3, true, 24),
                              corner("sphere", 20, 10, 20, false, 25),
                              corner("ellipsoid", 20, 4, 6, true, 26),
                              corner("linear", 20, 40, 60, true, 27),
                              ring(5),
                              islands(5)};
  for (Problem& problem : all) {
    const bool corner_is_best = problem.name.find("rastrigin") == std::string::npos &&
                                problem.name.find("rosenbrock") == std::string::npos;
    if (!corner_is_best) problem.best = searched(problem);
  }
  for (Problem& problem : collection()) all.push_back(std::move(problem));
  return all;
}

}  // namespace limited
