// SPDX-License-Identifier: MIT
// Reference numbers: an independent implementation on Box2D 2.4.1; the random stream and terrain
// agree with NumPy and Gym.
#include "tasks/lunar_lander.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "long_tests.hpp"
#include "tasks/numpy_random.hpp"

namespace vbo::tasks::lunar {
namespace {

constexpr Weights w_std = {0.5, 1, 0.4, 0.55, 0.5, 1, 0.5, 0.5, 0, 0.5, 0.05, 0.05};
constexpr Weights w_a = {0.66615, 0.97597, 0.40775, 0.53468, 0.62960, 1.00295,
                         0.49359, 0.71709, 0.01410, 0.50623, 0.09572, 0.02772};

Weights all(double value) {
  Weights w;
  w.fill(value);
  return w;
}

TEST(NumpyPcg64, FirstNumbers) {
  NumpyPcg64 raw(0), zero(0), other(49);
  EXPECT_EQ(raw.next(), 0xa30febcfd9c2825fULL);
  EXPECT_EQ(raw.next(), 0x4510bdf882d9d721ULL);
  EXPECT_EQ(raw.next(), 0x0a7d3da94ecde8b8ULL);
  for (const double u : {0.6369616873214543, 0.2697867137638703, 0.04097352393619469}) {
    EXPECT_EQ(zero.uniform(), u);
  }
  for (const double u : {0.36285419227613624, 0.5932172601697323, 0.391950211964187}) {
    EXPECT_EQ(other.uniform(), u);
  }
}

TEST(LunarLander, TerrainAndForceAreGyms) {
  struct {
    std::uint32_t seed;
    std::array<double, 11> y;
    std::array<double, 2> force;
  } const known[] = {{0,
                      {2.000871183, 2.084988235, 1.783672523, 2.290141753, 3.3, 3.3, 3.3,
                       3.395974981, 4.353134314, 5.048012133, 3.858061852},
                      {714.808553, -932.828849}},
                     {1,
                      {4.400942995, 3.534178854, 3.508171280, 2.517151148, 3.3, 3.3, 3.3,
                       3.409106113, 2.369736162, 2.927465001, 2.902274177},
                      {-340.536567, 576.857407}},
                     {42,
                      {4.707118850, 4.557151298, 3.954447991, 4.088915424, 3.3, 3.3, 3.3,
                       2.481849992, 2.372699055, 2.088454709, 3.845487692},
                      {287.730240, 645.523227}}};
  for (const auto& k : known) {
    const Environment environment(k.seed);
    for (int i = 0; i < 11; ++i) EXPECT_NEAR(environment.terrain().y[i], k.y[i], 1e-9);
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(environment.initial_force()[i], k.force[i], 1e-6);
  }
}

// Gym documents 0.00229702, 1.4181306, 0.2326471, 0.3204666, -0.00265488, -0.05269805 for seed 42
// on Box2D 2.3.5; 2.4.1 solves the joints of the first step slightly differently.
TEST(LunarLander, FirstObservation) {
  const Observation forty_two = Environment(42).observation();
  const Observation zero = Environment(0).observation();
  const double on_241[2][6] = {
      {0.00229702, 1.41813141, 0.23265109, 0.32048486, -0.00265166, -0.05263163},
      {0.00570641, 1.39903251, 0.57797570, -0.52832651, -0.00659696, -0.13074332}};
  const double documented[6] = {0.00229702, 1.4181306,   0.2326471,
                                0.3204666,  -0.00265488, -0.05269805};
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(forty_two[i], on_241[0][i], 2e-6);
    EXPECT_NEAR(zero[i], on_241[1][i], 2e-6);
    EXPECT_NEAR(forty_two[i], documented[i], 1e-4);
  }
}

TEST(LunarLander, FreeFall) {
  const double known[][8] = {
      {1, 0.01141281, 1.38657061, 0.57718487, -0.55390663, -0.01306522, -0.12937756, -1.095234},
      {2, 0.01711950, 1.37350775, 0.57720485, -0.58063863, -0.01952939, -0.12929574, -2.316412},
      {10, 0.06278028, 1.24742332, 0.57735577, -0.79401627, -0.07120749, -0.12913698, -11.324126},
      {20, 0.11987686, 1.03586327, 0.57753582, -1.06074429, -0.13571589, -0.12894242, -19.756758},
      {30, 0.17697449, 0.76421815, 0.57738018, -1.32840538, -0.20044300, -0.12885981, -24.464013},
      {40, 0.23407679, 0.43254841, 0.57736874, -1.59510574, -0.26487154, -0.12885555, -26.437596}};
  Environment environment(0);
  double total = 0.0;
  std::size_t row = 0;
  int step = 0;
  bool ended = false;
  while (!ended && step < 100) {
    const auto outcome = environment.step(nothing);
    total += outcome.reward;
    ended = outcome.ended;
    ++step;
    if (row < std::size(known) && step == static_cast<int>(known[row][0])) {
      for (int i = 0; i < 6; ++i)
        EXPECT_NEAR(environment.observation()[i], known[row][i + 1], 5e-6);
      EXPECT_NEAR(total, known[row][7], 1e-4);
      ++row;
    }
    if (step == 50) {
      EXPECT_EQ(environment.observation()[6], 1.0F);
    }
  }
  EXPECT_EQ(step, 52);
  EXPECT_NEAR(total, -119.187006, 1e-3);
}

// Catches a missing reference angle of the joints.
TEST(LunarLander, LegsSettleAtTheirLimits) {
  struct {
    int step;
    double right, left;
  } const known[] = {
      {1, 0.483749, -0.488072}, {10, 0.429707, -0.434041}, {30, 0.349983, -0.349989}};
  Environment environment(0);
  int step = 0;
  for (const auto& k : known) {
    for (; step < k.step; ++step) environment.step(nothing);
    EXPECT_NEAR(environment.leg(0).angle - environment.lander().angle, k.right, 5e-6);
    EXPECT_NEAR(environment.leg(1).angle - environment.lander().angle, k.left, 5e-6);
  }
  const auto lander = environment.lander(), leg = environment.leg(0);
  const double dx = leg.x - lander.x, dy = leg.y - lander.y;
  EXPECT_NEAR(std::cos(lander.angle) * dx + std::sin(lander.angle) * dy, 0.831981, 5e-6);
  EXPECT_NEAR(-std::sin(lander.angle) * dx + std::cos(lander.angle) * dy, -0.335040, 5e-6);
}

TEST(LunarLander, OneControlledEpisode) {
  struct {
    int step;
    Action action;
    double total;
  } const known[] = {{1, left_engine, -0.208740},
                     {10, nothing, -3.108426},
                     {50, right_engine, 46.016818},
                     {100, nothing, 157.173939}};
  Environment environment(0);
  double total = 0.0;
  int step = 0;
  for (const auto& k : known) {
    Action action = nothing;
    for (; step < k.step; ++step) {
      action = decide(w_std, environment.observation());
      total += environment.step(action).reward;
    }
    EXPECT_EQ(action, k.action) << "step " << step;
    EXPECT_NEAR(total, k.total, 1e-4) << "step " << step;
  }
  const Flight flight = fly(w_std, 0);
  EXPECT_NEAR(flight.total, 300.257195, 1e-3);
  EXPECT_EQ(flight.steps, 204);
  EXPECT_EQ(flight.ending, Ending::landed);
}

struct Episode {
  double total;
  int steps;
  char ending;
};

char letter(Ending ending) {
  switch (ending) {
    case Ending::landed:
      return 'L';
    case Ending::crashed:
      return 'C';
    case Ending::out_of_sight:
      return 'O';
    case Ending::step_limit:
      return 'T';
  }
  return '?';
}

// With Box2D 2.4.1 as Debian builds it for x86-64 the results are exact, whatever the machine.
// Elsewhere a few chaotic episodes tip over: there, 40 of 50 seeds must agree.
#ifdef __x86_64__
constexpr bool exact = true;
#else
constexpr bool exact = false;
#endif

TEST(LunarLander, FiftySeedsWithTheStandardController) {
  const Episode known[] = {
      {300.257, 204, 'L'},  {262.518, 208, 'L'},  {254.784, 211, 'L'},  {242.547, 219, 'L'},
      {265.808, 211, 'L'},  {277.938, 234, 'L'},  {318.513, 276, 'L'},  {248.593, 300, 'L'},
      {-74.769, 354, 'O'},  {308.753, 266, 'L'},  {257.428, 214, 'L'},  {260.345, 202, 'L'},
      {300.250, 197, 'L'},  {298.210, 226, 'L'},  {238.225, 216, 'L'},  {280.414, 227, 'L'},
      {275.348, 206, 'L'},  {306.210, 265, 'L'},  {290.566, 257, 'L'},  {180.920, 319, 'L'},
      {258.170, 176, 'L'},  {313.758, 234, 'L'},  {247.810, 205, 'L'},  {278.206, 232, 'L'},
      {316.456, 210, 'L'},  {255.310, 218, 'L'},  {301.765, 238, 'L'},  {303.133, 248, 'L'},
      {286.112, 378, 'L'},  {307.888, 263, 'L'},  {292.229, 220, 'L'},  {255.365, 198, 'L'},
      {262.574, 235, 'L'},  {103.673, 1579, 'L'}, {209.393, 248, 'L'},  {292.120, 207, 'L'},
      {277.666, 228, 'L'},  {223.825, 614, 'L'},  {255.097, 215, 'L'},  {268.209, 195, 'L'},
      {273.414, 187, 'L'},  {258.402, 204, 'L'},  {246.036, 221, 'L'},  {275.232, 206, 'L'},
      {-127.325, 241, 'O'}, {252.248, 214, 'L'},  {-213.098, 194, 'C'}, {260.877, 221, 'L'},
      {242.427, 211, 'L'},  {259.795, 220, 'L'}};
  const Statistics statistics = fly_many(w_std, 0, episodes, 0);
  int close = 0;
  for (int i = 0; i < episodes; ++i) {
    const Flight& flight = statistics.flights[i];
    close += std::abs(flight.total - known[i].total) < (exact ? 1e-3 : 1.0) &&
             flight.steps == known[i].steps && letter(flight.ending) == known[i].ending;
  }
  EXPECT_GE(close, exact ? 50 : 40);
  EXPECT_NEAR(statistics.mean, 242.592479, exact ? 1e-6 : 15.0);
}

TEST(LunarLander, KnownObjectives) {
  Weights leaning = w_std;
  leaning[8] = 0.5;
  struct {
    Weights w;
    double y, tolerance;
  } const known[] = {{all(0), -150.609661, 5.0},
                     {all(1), -53.808412, 3.0},
                     {all(2), -85.013491, 5.0},
                     {{0.6, 1.2, 0.5, 0.6, 0.6, 1.1, 0.6, 0.6, 0, 0.6, 0.1, 0.1}, 162.934423, 30.0},
                     {leaning, 80.479614, 30.0},
                     {w_a, 282.996702, 10.0},
                     {{0.79263, 1.06281, 0.39943, 0.60686, 0.61273, 0.83712, 0.68567, 0.95478,
                       0.01399, 0.72421, 0.09821, 0.09080},
                      279.169589,
                      10.0}};
  for (const auto& k : known) {
    EXPECT_NEAR(fly_many(k.w, 0, episodes, 0).mean, k.y, exact ? 1e-6 : k.tolerance) << k.w[0];
  }
}

// Whatever the version of Box2D: 2,000 episodes at full length, with bounds widened for fewer.
TEST(LunarLander, StatisticalAcceptance) {
  struct {
    Weights w;
    double low, high, deviation, landed_low, landed_high;
  } const known[] = {{w_std, 229, 249, 102, 0.91, 0.95},
                     {all(1), -59, -53, 29, 0.0, 0.02},
                     {w_a, 271, 281, 40, 0.97, 1.0}};
  const int n = long_tests() ? 2000 : 200;
  const double widen = long_tests() ? 0.0 : 4.0 / std::sqrt(n);
  for (const auto& k : known) {
    const Statistics statistics = fly_many(k.w, 0, n, 0);
    int landed = 0;
    for (const Flight& flight : statistics.flights) landed += flight.ending == Ending::landed;
    EXPECT_GT(statistics.mean, k.low - widen * k.deviation);
    EXPECT_LT(statistics.mean, k.high + widen * k.deviation);
    const double fraction = static_cast<double>(landed) / n;
    EXPECT_GE(fraction, k.landed_low - widen * 0.25);
    EXPECT_LE(fraction, k.landed_high + widen * 0.25);
  }
}

TEST(LunarLander, ResultDoesNotDependOnThreads) {
  const double one = fly_many(w_std, 0, 12, 1).mean;
  EXPECT_EQ(one, fly_many(w_std, 0, 12, 2).mean);
  EXPECT_EQ(one, fly_many(w_std, 0, 12, 5).mean);
}

TEST(LunarLander, TaskIsTheMeanOfFiftyEpisodes) {
  const auto task = make_task("lunar-lander?threads=2").value();
  const Point w(12, Value(1.0));
  Rng rng(1);
  EXPECT_EQ(task->evaluate(w, rng), fly_many(all(1), 0, 50, 1).mean);
  EXPECT_FALSE(task->info().optimum->proven);
}

}  // namespace
}  // namespace vbo::tasks::lunar
