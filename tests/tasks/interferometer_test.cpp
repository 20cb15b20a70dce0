// SPDX-License-Identifier: MIT
#include "tasks/interferometer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

namespace vbo::tasks::interferometer {
namespace {

double exact_visibility(const Screws& x) { return visibility(record(fields(x, {}), {}).energy); }

struct Known {
  Screws x;
  double y;
  Vec3 p;
  double kx, ky;
};

// Without noise, both sweeps starting at phase 0. Computed by an independent program.
TEST(Interferometer, KnownGeometryAndVisibility) {
  const Known known[] = {
      {{-1e-4, -1e-4, -1e-4, -1e-4}, 1.0000220583, {0, 0, -100}, 0, 0},
      {{0, 0, 0, 0},
       1.0,
       {-7.3539124e-05, 1.04000054e-04, -99.999895999932},
       -5.515431220e-07,
       2.600001523e-07},
      {{0.1, 0, 0, 0},
       0.4331189331,
       {-0.073612668479, 1.17560629e-04, -99.999882452874},
       -3.682469488e-04,
       3.278029475e-07},
      {{0, 0.1, 0, 0},
       0.1942160314,
       {-7.355826e-05, 0.1041581964255, -99.89584177651},
       -5.513519e-07,
       5.202599649e-04},
      {{0, 0, 0.1, 0},
       0.8203716354,
       {-7.353912e-05, 1.040135742e-04, -99.99989599993},
       -1.843992314e-04,
       2.770015e-07},
      {{0, 0, 0, 0.1},
       0.6702002507,
       {-7.353912e-05, 1.039730177e-04, -99.99989599993},
       -5.515670e-07,
       -2.597399955e-04},
      {{0.5, 0, -1, 0},
       0.8931153689,
       {-0.367768539538, -2.33931863e-04, -99.999557865216},
       -5.517811918e-07,
       2.599999329e-07},
      {{0, 0.5, 0, 1},
       0.7898920725,
       {-7.363466e-05, 0.520103391859, -99.47854257910},
       -5.508256e-07,
       5.199993e-07},
      {{0.02, 0.03, -0.01, 0.04},
       0.9415614959,
       {-0.014782517039, 0.031305913349, -99.968690553457},
       -5.570198802e-05,
       5.226155141e-05},
      {{0.05, 0.05, 0.1, -0.1},
       0.0836341146,
       {-0.036847897466, 0.052141301317, -99.94787902040},
       -3.681511952e-04,
       5.203277545e-04},
      {{0.3, -0.2, 0.6, 0.4},
       0.0005133891,
       {-0.220577001765, -0.207100174748, -100.207559207714},
       -0.002209013358,
       -0.002077300335},
      {{1, 1, 1, 1},
       0.0007247365,
       {-0.737320553162, 1.045441607103, -98.953194017222},
       -0.005498611272,
       0.002615181214},
  };
  for (const Known& k : known) {
    const Beam beam = second_beam(k.x);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(beam.p[i], k.p[i], 1e-9);
    EXPECT_NEAR(beam.k[0], k.kx, 1e-9);
    EXPECT_NEAR(beam.k[1], k.ky, 1e-9);
    EXPECT_NEAR(exact_visibility(k.x), k.y, 2e-5) << k.x[0] << " " << k.x[1];
  }
}

int grey_sum(const std::vector<std::uint8_t>& frame) {
  int sum = 0;
  for (const std::uint8_t g : frame) sum += g;
  return sum;
}

TEST(Interferometer, IntermediateValues) {
  const Fields f = fields({0.1, 0, 0, 0}, {});
  const int centre = 32 * side + 32, off = 10 * side + 20;
  EXPECT_NEAR(f.amplitude1[centre], 1.0, 1e-9);
  EXPECT_NEAR(f.amplitude2[centre], 0.9510707244, 1e-9);
  EXPECT_NEAR(f.phase[centre], 1.493030, 1e-6);
  EXPECT_NEAR(f.amplitude1[off], 0.0216444153, 1e-9);
  EXPECT_NEAR(f.amplitude2[off], 0.0417926294, 1e-9);
  double total = 0.0;
  for (int i = 0; i < pixels; ++i) {
    const double a1 = f.amplitude1[i], a2 = f.amplitude2[i];
    total += a1 * a1 + a2 * a2 + 2.0 * a1 * a2 * std::cos(f.phase[i]);
  }
  EXPECT_NEAR(total, 577.034885, 1e-5);
  const Frames shot = record(f, {});
  EXPECT_NEAR(grey_sum(shot.grey[0]), 35993, 20);
  EXPECT_NEAR(grey_sum(shot.grey[3]), 45393, 20);
  EXPECT_NEAR(grey_sum(shot.grey[6]), 27975, 20);
  EXPECT_NEAR(grey_sum(shot.grey[12]), 35993, 20);
  EXPECT_NEAR(shot.energy[0], 35249.864811, 20);
  EXPECT_NEAR(shot.energy[6], 27341.293722, 20);

  const Fields aligned = fields({0, 0, 0, 0}, {});
  EXPECT_NEAR(aligned.phase[centre], 1.029059, 1e-6);
  const Frames aligned_shot = record(aligned, {});
  const int sums[] = {51744, 57747, 12319, 51744}, at[] = {0, 3, 6, 12};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(grey_sum(aligned_shot.grey[at[i]]), sums[i], 20);
  EXPECT_NEAR(aligned_shot.energy[0], 50587.122227, 20);
}

// The constants of beam 2, from the matrices of its telescopes.
TEST(Interferometer, TelescopesGiveRadiusAndCurvature) {
  using Complex = std::complex<double>;
  double m00 = 1, m01 = 0, m10 = 0, m11 = 1;
  const auto free = [&](double d) { m00 += d * m10, m01 += d * m11; };
  const auto lens = [&](double f) { m10 -= m00 / f, m11 -= m01 / f; };
  const double offset = 1e-6, inside = 100 + offset, between = 500 - offset;
  lens(50), free(inside), lens(50), free(between), lens(50), free(inside), lens(50);
  free(200 + 700 + 100 - 2 * inside - between);
  const double wavelength = 6.35e-4, radius1 = 0.714;
  const Complex q_inverse(0.0, -wavelength / (std::numbers::pi * radius1 * radius1));
  const Complex out = (m10 + m11 * q_inverse) / (m00 + m01 * q_inverse);
  const double radius2 = std::sqrt(-wavelength / (std::numbers::pi * out.imag()));
  EXPECT_NEAR(radius2, 0.733925173127, 1e-11);
  EXPECT_NEAR(1.0 / (out.real() + 1e-9), 11202.112346, 1e-4);
  // Through the fields: beam 2 on its axis has amplitude r1/r2.
  const Fields f = fields({-1e-4, -1e-4, -1e-4, -1e-4}, {});
  EXPECT_NEAR(f.amplitude2[32 * side + 32], radius1 / radius2, 1e-11);
}

TEST(Interferometer, NoisyMeans) {
  struct {
    std::vector<double> x;
    double mean, deviation;
  } const known[] = {
      {{0, 0, 0, 0}, 0.9938, 0.0074},         {{0.1, 0, 0, 0}, 0.4420, 0.0048},
      {{0, 0.1, 0, 0}, 0.1932, 0.0033},       {{0, 0, 0.1, 0}, 0.8175, 0.0077},
      {{0, 0, 0, 0.1}, 0.6673, 0.0067},       {{0.5, 0, -1, 0}, 0.8865, 0.0083},
      {{0, 0.5, 0, 1}, 0.7828, 0.0075},       {{0.02, 0.03, -0.01, 0.04}, 0.9645, 0.0095},
      {{0.3, -0.2, 0.6, 0.4}, 0.0028, 0.0012}};
  const auto task = make_task("interferometer").value();
  const int n = 200;
  for (const auto& k : known) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
      Rng rng(3, "evaluation", i);
      sum += task->evaluate(to_point(k.x), rng);
    }
    // The reference means come from 200 draws as well: sqrt(2) in the standard error.
    EXPECT_NEAR(sum / n, k.mean, 5.0 * k.deviation * std::sqrt(2.0 / n)) << k.x[0] << " " << k.x[1];
  }
}

TEST(Interferometer, SameSeedSameValue) {
  const auto task = make_task("interferometer").value();
  const Point x = to_point({0.01, 0.0, 0.02, 0.0});
  Rng a(1), b(1), c(2);
  const double value = task->evaluate(x, a);
  EXPECT_EQ(value, task->evaluate(x, b));
  EXPECT_NE(value, task->evaluate(x, c));
}

}  // namespace
}  // namespace vbo::tasks::interferometer
