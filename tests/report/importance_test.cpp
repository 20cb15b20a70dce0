// SPDX-License-Identifier: MIT
// Importance against closed forms and against what a search does to its own results.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "vbo/random.hpp"
#include "vbo/report.hpp"

namespace vbo {
namespace {

Space unit_space() {
  return Space::make({Parameter::real("a", 0, 1), Parameter::real("b", 0, 1),
                      Parameter::integer("n", 0, 3), Parameter::categorical("c", {"x", "y", "z"})})
      .value();
}

using Function = std::function<double(const Point&, Rng&)>;

Trial completed(TrialId id, Point point, double value) {
  Trial trial;
  trial.id = id;
  trial.point = std::move(point);
  trial.state = TrialState::completed;
  trial.values = {value};
  trial.told_in = id;
  return trial;
}

Point random_point(Rng& rng) {
  static const std::string choices[] = {"x", "y", "z"};
  return {rng.uniform(), rng.uniform(), static_cast<std::int64_t>(rng.below(4)),
          choices[rng.below(3)]};
}

std::vector<Trial> trials_of(std::int64_t n, const Function& f, std::uint64_t seed = 1) {
  Rng rng(seed, "importance-test");
  std::vector<Trial> trials;
  for (TrialId id = 1; id <= n; ++id) {
    Point point = random_point(rng);
    const double value = f(point, rng);
    trials.push_back(completed(id, std::move(point), value));
  }
  return trials;
}

double real(const Point& point, std::size_t i) { return std::get<double>(point[i]); }

// z = Phi^{-1}(a) rho + sqrt(1-rho^2) noise is Gaussian with a's score: I = -1/2 ln(1-rho^2), and
// outcomes may be bent in any monotone way.
TEST(ImportanceTest, GaussianClosedFormWhateverTheScaleOfTheOutcome) {
  const double rho = 0.8;
  const Function f = [&](const Point& point, Rng& rng) {
    const double u = std::clamp(real(point, 0), 1e-9, 1.0 - 1e-9);
    // The logistic's quantile is close to a normal one of deviation 1.702.
    const double score = std::log(u / (1.0 - u)) / 1.702;
    return std::exp(5.0 * (rho * score + std::sqrt(1.0 - rho * rho) * rng.normal()));
  };
  const Importance found = importance(unit_space(), trials_of(1000, f));
  ASSERT_EQ(found.parameters.size(), 4U);
  EXPECT_NEAR(found.parameters[0].nats, -0.5 * std::log(1.0 - rho * rho), 0.06);
  EXPECT_LT(found.parameters[0].low, 0.51);
  EXPECT_GT(found.parameters[0].high, 0.51);
  for (const std::size_t idle : {1U, 2U, 3U}) {
    EXPECT_LT(found.parameters[idle].nats, 0.05) << idle;
    EXPECT_EQ(found.parameters[idle].low, 0.0) << idle;
  }
  EXPECT_TRUE(found.remark.empty());
}

TEST(ImportanceTest, WholeNumbersAndCategories) {
  const Function f = [](const Point& point, Rng& rng) {
    const double n = static_cast<double>(std::get<std::int64_t>(point[2]));
    const bool z = std::get<std::string>(point[3]) == "z";
    return 10.0 * n + (z ? 4.0 : 0.0) + rng.uniform();
  };
  const Importance found = importance(unit_space(), trials_of(800, f));
  EXPECT_NEAR(found.parameters[2].nats, std::log(4.0), 0.06);
  // "z" or not, seen through four levels of n that hide nothing: H(1/3).
  EXPECT_NEAR(found.parameters[3].nats, std::log(3.0) - 2.0 / 3.0 * std::numbers::ln2, 0.08);
}

// The 95% interval holds the truth in 60 samples of 40, 200 and 1000 about as often as it says.
TEST(ImportanceTest, IntervalsCover) {
  const Space space = Space::make({Parameter::real("a", -9, 9)}).value();
  for (const std::int64_t n : {40, 200, 1000}) {
    for (const double rho : {0.0, 0.6}) {
      int inside = 0;
      const int repeats = n == 1000 ? 20 : 60;
      for (int r = 0; r < repeats; ++r) {
        Rng rng(static_cast<std::uint64_t>(r), "coverage", static_cast<std::uint64_t>(n));
        std::vector<Trial> trials;
        for (TrialId id = 1; id <= n; ++id) {
          const double a = rng.normal();
          trials.push_back(completed(id, {std::clamp(a, -9.0, 9.0)},
                                     rho * a + std::sqrt(1.0 - rho * rho) * rng.normal()));
        }
        const ParameterImportance found = importance(space, trials, {.threads = 1}).parameters[0];
        const double truth = -0.5 * std::log(1.0 - rho * rho);
        inside += found.low <= truth && truth <= found.high;
      }
      EXPECT_GE(inside, repeats * 85 / 100) << n << " results, rho " << rho;
    }
  }
}

// A search ends somewhere in every parameter: b moves with time and outcomes get better with time,
// while within any stretch b tells nothing. Only a, which really decides, may look important.
TEST(ImportanceTest, DriftOfTheSearchIsNotImportance) {
  Rng rng(7);
  std::vector<Trial> trials;
  for (TrialId id = 1; id <= 1000; ++id) {
    const double t = static_cast<double>(id) / 1000.0;
    const double a = rng.uniform();
    const double b = std::clamp(0.8 * t + 0.2 * rng.uniform(), 0.0, 1.0);
    trials.push_back(completed(id, {a, b, std::int64_t{1}, std::string("x")},
                               -1.0 * t + 1.0 * a + 0.1 * rng.normal()));
  }
  const Importance found = importance(unit_space(), trials);
  EXPECT_GT(found.parameters[0].low, 0.05);
  EXPECT_LT(found.parameters[1].nats, 0.15);
  EXPECT_GT(found.parameters[0].nats, 2.0 * found.parameters[1].nats);
}

TEST(ImportanceTest, PairsThatMatterOnlyTogether) {
  const Function f = [](const Point& point, Rng& rng) {
    const bool same = (real(point, 0) > 0.5) == (real(point, 1) > 0.5);
    return (same ? 2.0 : 0.0) + rng.uniform();
  };
  const Importance found = importance(unit_space(), trials_of(1000, f));
  EXPECT_LT(found.parameters[0].nats, 0.06);
  ASSERT_EQ(found.pairs.size(), 6U);
  EXPECT_EQ(found.pairs[0].first, "a");
  EXPECT_EQ(found.pairs[0].second, "b");
  // The truth is ln 2 = 0.69; neighbourhoods in three dimensions blur the sharp edges.
  EXPECT_GT(found.pairs[0].low, 0.35);
  EXPECT_LT(found.pairs[0].nats, std::numbers::ln2 + 0.05);
  EXPECT_LT(found.pairs[1].low, 0.05);
}

TEST(ImportanceTest, TooFewAndFew) {
  const Function f = [](const Point& point, Rng&) { return real(point, 0); };
  std::vector<Trial> trials = trials_of(30, f);
  for (std::size_t i = 0; i < 11; ++i) {
    trials[i].state = TrialState::failed;
    trials[i].values.clear();
  }
  const Importance none = importance(unit_space(), trials);
  EXPECT_TRUE(none.parameters.empty());
  EXPECT_EQ(none.results, 19);
  EXPECT_NE(none.remark.find("too few results"), std::string::npos);
  const Importance few = importance(unit_space(), trials_of(30, f));
  ASSERT_EQ(few.parameters.size(), 4U);
  EXPECT_NE(few.remark.find("few results (30)"), std::string::npos);
  EXPECT_GT(few.parameters[0].low, 0.3);
}

TEST(ImportanceTest, NoiseIsNotAttributedToParameters) {
  int silent = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Function f = [](const Point&, Rng& rng) { return rng.normal(); };
    const Importance found = importance(unit_space(), trials_of(200, f, seed));
    if (found.remark.find("nothing is known yet") == std::string::npos) continue;
    ++silent;
    for (const ParameterImportance& entry : found.parameters) {
      EXPECT_EQ(entry.nats, 0.0);
      EXPECT_GE(entry.high, 0.0);
    }
    EXPECT_TRUE(found.pairs.empty());
  }
  EXPECT_GE(silent, 17);  // of 20; 19 are expected
}

TEST(ImportanceTest, NothingToTell) {
  const Importance equal =
      importance(unit_space(), trials_of(50, [](auto&, auto&) { return 1.0; }));
  ASSERT_EQ(equal.parameters.size(), 4U);
  for (const auto& entry : equal.parameters) EXPECT_EQ(entry.high, 0.0);
  EXPECT_NE(equal.remark.find("all results are equal"), std::string::npos);
  EXPECT_TRUE(equal.pairs.empty());
}

TEST(ImportanceTest, ManyResultsAreSampledAndThreadsDoNotMatter) {
  const Function f = [](const Point& point, Rng& rng) { return real(point, 1) + rng.uniform(); };
  const std::vector<Trial> trials = trials_of(5000, f);
  const Importance one = importance(unit_space(), trials, {.most_results = 300, .threads = 1});
  const Importance two = importance(unit_space(), trials, {.most_results = 300, .threads = 2});
  EXPECT_EQ(one.results, 5000);
  EXPECT_EQ(one.used, 300);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(one.parameters[i].nats, two.parameters[i].nats);
  EXPECT_GT(one.parameters[1].low, 0.1);
}

}  // namespace
}  // namespace vbo
