// SPDX-License-Identifier: MIT
#include "tasks/functions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace vbo::tasks {
namespace {

using In = std::span<const double>;
using std::numbers::pi;

double square(double t) { return t * t; }
double at(In z, std::size_t i) { return z[i]; }

// Position of coordinate i on [0,1].
double along(In z, std::size_t i) {
  return z.size() > 1 ? static_cast<double>(i) / static_cast<double>(z.size() - 1) : 0.0;
}

// sum_i term(z_i, i)
template <class Term>
double sum(In z, Term term) {
  double total = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) total += term(z[i], i);
  return total;
}

// ---- unimodal -----------------------------------------------------------------------------------

// sum z_i^2
double sphere(In z) {
  return sum(z, [](double t, std::size_t) { return t * t; });
}

// sum 10^(6 (i-1)/(d-1)) z_i^2
double ellipsoid(In z) {
  return sum(z, [z](double t, std::size_t i) { return std::pow(10.0, 6.0 * along(z, i)) * t * t; });
}

// z_1^2 + 10^6 sum_{i>1} z_i^2
double bent_cigar(In z) { return square(z[0]) + 1e6 * sphere(z.subspan(1)); }

// 10^6 z_1^2 + sum_{i>1} z_i^2
double discus(In z) { return 1e6 * square(z[0]) + sphere(z.subspan(1)); }

// sum |z_i|^(2 + 4 (i-1)/(d-1))
double different_powers(In z) {
  return sum(
      z, [z](double t, std::size_t i) { return std::pow(std::abs(t), 2.0 + 4.0 * along(z, i)); });
}

// sum z_i^2 + s^2 + s^4, s = sum 0.5 i z_i
double zakharov(In z) {
  const double s =
      sum(z, [](double t, std::size_t i) { return 0.5 * (static_cast<double>(i) + 1.0) * t; });
  return sphere(z) + square(s) + square(square(s));
}

// sum i z_i^4
double quartic(In z) {
  return sum(z, [](double t, std::size_t i) {
    return (static_cast<double>(i) + 1.0) * square(square(t));
  });
}

// sum floor(z_i + 1/2)^2: terraces, without any gradient
double step(In z) {
  return sum(z, [](double t, std::size_t) { return square(std::floor(t + 0.5)); });
}

// ---- curved valleys -----------------------------------------------------------------------------

// sum_{i<d} 100 (z_{i+1} - z_i^2)^2 + (1 - z_i)^2
double rosenbrock(In z) {
  double total = 0.0;
  for (std::size_t i = 0; i + 1 < z.size(); ++i) {
    total += 100.0 * square(z[i + 1] - square(z[i])) + square(1.0 - z[i]);
  }
  return total;
}

// (z_1 - 1)^2 + sum_{i>1} i (2 z_i^2 - z_{i-1})^2
double dixon_price(In z) {
  double total = square(z[0] - 1.0);
  for (std::size_t i = 1; i < z.size(); ++i) {
    total += (static_cast<double>(i) + 1.0) * square(2.0 * square(z[i]) - z[i - 1]);
  }
  return total;
}

// z_i* = 2^-(1 - 2^(1-i)): each factor 2 z_i^2 - z_{i-1} vanishes.
void dixon_price_minimizer(std::span<double> z) {
  double exponent = 0.0;
  for (double& t : z) {
    t = std::exp2(-exponent);
    exponent = 0.5 * (1.0 + exponent);
  }
}

// ---- many local minima --------------------------------------------------------------------------

// sum z_i^2 - 10 cos(2 pi z_i) + 10
double rastrigin(In z) {
  return sum(z, [](double t, std::size_t) { return t * t - 10.0 * std::cos(2.0 * pi * t) + 10.0; });
}

// 1 + sum z_i^2/4000 - prod cos(z_i/sqrt(i))
double griewank(In z) {
  double product = 1.0;
  for (std::size_t i = 0; i < z.size(); ++i)
    product *= std::cos(z[i] / std::sqrt(static_cast<double>(i) + 1.0));
  return 1.0 + sphere(z) / 4000.0 - product;
}

// w = 1 + (z-1)/4;
// sin^2(pi w_1) + sum_{i<d} (w_i-1)^2 (1 + 10 sin^2(pi w_i + 1)) + (w_d-1)^2 (1 + sin^2(2 pi w_d))
double levy(In z) {
  const auto w = [z](std::size_t i) { return 1.0 + (at(z, i) - 1.0) / 4.0; };
  const std::size_t last = z.size() - 1;
  double total = square(std::sin(pi * w(0)));
  for (std::size_t i = 0; i < last; ++i) {
    total += square(w(i) - 1.0) * (1.0 + 10.0 * square(std::sin(pi * w(i) + 1.0)));
  }
  return total + square(w(last) - 1.0) * (1.0 + square(std::sin(2.0 * pi * w(last))));
}

constexpr double schwefel_place = 420.96874635998202731;

// sum c - z_i sin(sqrt|z_i|), with c such that the minimum is 0
double schwefel(In z) {
  static const double c = schwefel_place * std::sin(std::sqrt(schwefel_place));
  return sum(z, [](double t, std::size_t) { return c - t * std::sin(std::sqrt(std::abs(t))); });
}

constexpr double styblinski_place = -2.9035340277711770951;

// 1/2 sum z_i^4 - 16 z_i^2 + 5 z_i
double styblinski_tang(In z) {
  return sum(z, [](double t, std::size_t) {
    return 0.5 * (square(square(t)) - 16.0 * square(t) + 5.0 * t);
  });
}

// -sin(t) sin^20((i+1) t^2/pi), the term of coordinate i = 0, 1, ...
double michalewicz_term(double t, std::size_t i) {
  return -std::sin(t) *
         std::pow(square(std::sin((static_cast<double>(i) + 1.0) * t * t / pi)), 10.0);
}

double michalewicz(In z) { return sum(z, michalewicz_term); }

// Each term has one local minimum near every t_k = pi sqrt((k + 1/2)/(i+1)), where the second
// factor peaks; the deepest is among those nearest pi/2, found there by golden-section search.
double michalewicz_coordinate(std::size_t i) {
  const double n = static_cast<double>(i) + 1.0;
  const int nearest = static_cast<int>(n / 4.0 - 0.5);
  double best = pi / 2.0;
  for (int k = std::max(0, nearest - 1); k <= nearest + 2; ++k) {
    const double peak = pi * std::sqrt((k + 0.5) / n);
    const double gap = 0.25 * (peak - (k > 0 ? pi * std::sqrt((k - 0.5) / n) : 0.0));
    double low = peak - gap, high = std::min(pi, peak + gap);
    if (peak > pi) break;
    constexpr double golden = 0.61803398874989484820;
    for (int step = 0; step < 100; ++step) {
      const double left = high - golden * (high - low), right = low + golden * (high - low);
      (michalewicz_term(left, i) < michalewicz_term(right, i) ? high : low) =
          michalewicz_term(left, i) < michalewicz_term(right, i) ? right : left;
    }
    const double place = 0.5 * (low + high);
    if (michalewicz_term(place, i) < michalewicz_term(best, i)) best = place;
  }
  return best;
}

void michalewicz_minimizer(std::span<double> z) {
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = michalewicz_coordinate(i);
}

double michalewicz_minimum(int dim) {
  double total = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(dim); ++i) {
    total += michalewicz_term(michalewicz_coordinate(i), i);
  }
  return total;
}

// sum |z_i sin(z_i) + 0.1 z_i|
double alpine(In z) {
  return sum(z, [](double t, std::size_t) { return std::abs(t * std::sin(t) + 0.1 * t); });
}

// sum_i sum_{k=0}^{20} 2^-k (1 - cos(2 pi 3^k z_i)): continuous, rough at every scale.
// Equal to the usual form with z + 1/2 inside and its constant, because 3^k is odd.
double weierstrass(In z) {
  return sum(z, [](double t, std::size_t) {
    double total = 0.0, amplitude = 1.0, frequency = 1.0;
    for (int k = 0; k <= 20; ++k, amplitude *= 0.5, frequency *= 3.0) {
      const double turns = frequency * t;
      total += amplitude * (1.0 - std::cos(2.0 * pi * (turns - std::round(turns))));
    }
    return total;
  });
}

// 1 - cos(2 pi r) + 0.1 r, r = |z|
double salomon(In z) {
  const double r = std::sqrt(sphere(z));
  return 1.0 - std::cos(2.0 * pi * r) + 0.1 * r;
}

// ( 1/(d-1) sum_{i<d} sqrt(s_i) (1 + sin^2(50 s_i^0.2)) )^2, s_i = sqrt(z_i^2 + z_{i+1}^2)
double schaffer7(In z) {
  double total = 0.0;
  for (std::size_t i = 0; i + 1 < z.size(); ++i) {
    const double s = std::hypot(z[i], z[i + 1]);
    total += std::sqrt(s) * (1.0 + square(std::sin(50.0 * std::pow(s, 0.2))));
  }
  return square(total / static_cast<double>(z.size() - 1));
}

// Rastrigin's ripples on an ellipsoid of condition number 100: t_i = 10^((i-1)/(d-1)) z_i /
// sqrt(10)
double ripples(In z) {
  return sum(z, [z](double t, std::size_t i) {
    t *= std::pow(10.0, along(z, i) - 0.5);
    return t * t - 10.0 * std::cos(2.0 * pi * t) + 10.0;
  });
}

constexpr double funnel_place = 2.5;

// Lunacek's double Rastrigin: with s = 1 - 1/(2 sqrt(d+20) - 8.2), m = -sqrt((2.5^2 - 1)/s),
//   min( sum (z_i - 2.5)^2, d + s sum (z_i - m)^2 ) + 10 sum 1 - cos(2 pi (z_i - 2.5))
double two_funnels(In z) {
  const double d = static_cast<double>(z.size());
  const double s = 1.0 - 1.0 / (2.0 * std::sqrt(d + 20.0) - 8.2);
  const double m = -std::sqrt((square(funnel_place) - 1.0) / s);
  const auto around = [z](double place) {
    return sum(z, [place](double t, std::size_t) { return square(t - place); });
  };
  const double ripple = sum(z, [](double t, std::size_t) {
    return 10.0 * (1.0 - std::cos(2.0 * pi * (t - funnel_place)));
  });
  return std::min(around(funnel_place), d + s * around(m)) + ripple;
}

// floor of sum |z_i| + 2 sin^2(pi z_i / 2): terraces with many hollows
double plateaus(In z) {
  return std::floor(sum(
      z, [](double t, std::size_t) { return std::abs(t) + 2.0 * square(std::sin(0.5 * pi * t)); }));
}

// By reference: clang 14 takes no number of type double as a template's argument.
template <const double& place>
void everywhere(std::span<double> z) {
  std::fill(z.begin(), z.end(), place);
}

double zero(int) { return 0.0; }

constexpr double at_zero = 0.0, at_one = 1.0;
constexpr auto origin = &everywhere<at_zero>;
constexpr auto ones = &everywhere<at_one>;

constexpr Classic all[] = {
    {"sphere", "Sum of squares: the easiest of all", "De Jong 1975", -5.12, 5.12, 10, 1, sphere,
     origin, zero},
    {"ellipsoid", "Squares with a condition number of one million", "Hansen et al. 2009 (BBOB)",
     -5.0, 5.0, 10, 1, ellipsoid, origin, zero},
    {"bent-cigar", "One flat direction, all others a million times steeper",
     "Hansen et al. 2009 (BBOB)", -5.0, 5.0, 10, 2, bent_cigar, origin, zero},
    {"discus", "One direction a million times steeper than all others", "Hansen et al. 2009 (BBOB)",
     -5.0, 5.0, 10, 2, discus, origin, zero},
    {"different-powers", "Squares to sixth powers: ever flatter towards the optimum",
     "Hansen et al. 2009 (BBOB)", -5.0, 5.0, 10, 1, different_powers, origin, zero},
    {"zakharov", "A plate with one steep fourth-power direction across all coordinates",
     "Zakharov 1975", -5.0, 10.0, 10, 1, zakharov, origin, zero},
    {"quartic", "Fourth powers with growing weights; De Jong's noisy function with noise=0.1",
     "De Jong 1975", -1.28, 1.28, 10, 1, quartic, origin, zero},
    {"step", "Terraces: flat everywhere, so only comparisons help", "De Jong 1975", -5.12, 5.12, 10,
     1, step, origin, zero},
    {"rosenbrock", "A long curved valley", "Rosenbrock 1960", -5.0, 10.0, 10, 2, rosenbrock, ones,
     zero},
    {"dixon-price", "A chain of valleys, each bent by its neighbour", "Dixon and Price 1989", -10.0,
     10.0, 10, 1, dixon_price, dixon_price_minimizer, zero},
    {"rastrigin", "A bowl with a regular grid of deep local minima", "Rastrigin 1974", -5.12, 5.12,
     10, 1, rastrigin, origin, zero},
    {"ackley", "A narrow funnel in a wide rippled plateau", "Ackley 1987", -32.768, 32.768, 10, 1,
     ackley, origin, zero},
    {"griewank", "A wide bowl with thousands of shallow ripples", "Griewank 1981", -600.0, 600.0,
     10, 1, griewank, origin, zero},
    {"levy", "Wavy in every direction, steep at the edges", "Levy and Montalvo 1985", -10.0, 10.0,
     10, 1, levy, ones, zero},
    {"schwefel", "The best basin lies in a corner, far from the second best", "Schwefel 1981",
     -500.0, 500.0, 10, 1, schwefel, everywhere<schwefel_place>, zero, 0.01},
    {"styblinski-tang", "Two basins per coordinate, nearly equal", "Styblinski and Tang 1990", -5.0,
     5.0, 10, 1, styblinski_tang, everywhere<styblinski_place>,
     [](int dim) { return -39.166165703771419 * dim; }},
    {"michalewicz", "Flat, with narrow canyons that cross at the optimum", "Michalewicz 1992", 0.0,
     pi, 10, 1, michalewicz, michalewicz_minimizer, michalewicz_minimum, 1.0},
    {"alpine", "Non-smooth folds; many minima of equal depth", "Rahnamayan et al. 2007", -10.0,
     10.0, 10, 1, alpine, origin, zero},
    {"weierstrass", "Continuous but rough at every scale",
     "Weierstrass 1872; Suganthan et al. 2005", -0.5, 0.5, 10, 1, weierstrass, origin, zero, 4.0},
    {"salomon", "Concentric rings around the optimum", "Salomon 1996", -100.0, 100.0, 10, 1,
     salomon, origin, zero},
    {"schaffer7", "Rings whose spacing shrinks towards the optimum", "Schaffer et al. 1989", -100.0,
     100.0, 10, 2, schaffer7, origin, zero},
    {"ripples", "Rastrigin's grid of minima, stretched: ill-conditioned and rippled",
     "after Hansen et al. 2009 (BBOB F15)", -5.0, 5.0, 10, 2, ripples, origin, zero},
    {"two-funnels", "Two rippled funnels; the wider one is the worse",
     "Lunacek, Whitley and Sutton 2008", -5.0, 5.0, 10, 1, two_funnels, everywhere<funnel_place>,
     zero},
    {"plateaus", "Terraces with many hollows: no slope to follow, and many basins",
     "after De Jong 1975", -5.0, 5.0, 10, 1, plateaus, origin, zero},
};

}  // namespace

// 20 + e - 20 exp(-0.2 sqrt(mean z_i^2)) - exp(mean cos(2 pi z_i))
double ackley(In z) {
  const double d = static_cast<double>(z.size());
  const double waves = sum(z, [](double t, std::size_t) { return std::cos(2.0 * pi * t); });
  return -20.0 * std::exp(-0.2 * std::sqrt(sphere(z) / d)) - std::exp(waves / d) + 20.0 +
         std::numbers::e;
}

std::span<const Classic> classic_functions() { return all; }

}  // namespace vbo::tasks
