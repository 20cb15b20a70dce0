// SPDX-License-Identifier: MIT
// FocalBO with a trust region as its largest box.
#include <gtest/gtest.h>

#include <cmath>

#include "optim/focal/trust_side.hpp"
#include "optim/registry.hpp"
#include "vbo/random.hpp"

namespace vbo {
namespace {

TEST(TrustSide, DoublesAfterTenSuccessesUpToItsMost) {
  TrustSide t;
  for (int i = 0; i < 9; ++i) t.update(true, 1);
  EXPECT_DOUBLE_EQ(t.side, 0.8);
  t.update(true, 1);
  EXPECT_DOUBLE_EQ(t.side, 1.6);
  for (int i = 0; i < 10; ++i) t.update(true, 1);
  EXPECT_DOUBLE_EQ(t.side, 1.6);
}

TEST(TrustSide, AFailureEndsARowOfSuccesses) {
  TrustSide t;
  for (int i = 0; i < 9; ++i) t.update(true, 3);
  t.update(false, 3);
  t.update(true, 3);
  EXPECT_DOUBLE_EQ(t.side, 0.8);
  EXPECT_EQ(t.successes, 1);
  EXPECT_EQ(t.failures, 0);
}

TEST(TrustSide, HalvesAfterFailuresAndBeginsAnewWhenTiny) {
  TrustSide t;
  for (int i = 0; i < 3; ++i) t.update(false, 3);
  EXPECT_DOUBLE_EQ(t.side, 0.4);
  for (int i = 0; i < 5; ++i) t.update(false, 1);
  EXPECT_DOUBLE_EQ(t.side, 0.0125);
  t.update(false, 1);  // 0.00625 is below 2^-7
  EXPECT_DOUBLE_EQ(t.side, 0.8);
}

TEST(TrustSide, FailureTolerance) {
  EXPECT_EQ(failure_tolerance(2, 1), 4);
  EXPECT_EQ(failure_tolerance(20, 1), 20);
  EXPECT_EQ(failure_tolerance(20, 8), 3);
  EXPECT_EQ(failure_tolerance(20, 64), 1);
  EXPECT_EQ(failure_tolerance(5000, 1), 1000);
}

// Results from elsewhere with the best in a corner: everything proposed lies within half a side of
// the best point known, and the side halves once rounds stop improving on it.
TEST(FocalRegion, ProposesAroundTheBestPointAndShrinks) {
  const Space space = Space::make({Parameter::real("x", 0, 1), Parameter::real("y", 0, 1)}).value();
  OptimizerOptions options{.method = "focal", .seed = 3, .batch = 8, .threads = 1};
  options.settings["base"] = std::string("region");
  options.settings["inducing"] = std::int64_t{12};
  options.settings["epochs"] = std::int64_t{60};
  auto optimizer = make_optimizer(space, options).value();
  TrialId next = 1;
  const auto told = [&](double x, double y, double value) {
    Trial trial;
    trial.id = next++;
    trial.point = {x, y};
    trial.state = TrialState::completed;
    trial.values = {value};
    optimizer->tell(std::vector<Trial>{trial});
  };
  Rng rng(4, "focal-region-test");
  for (int i = 0; i < 30; ++i) {
    const double x = rng.uniform(), y = rng.uniform();
    told(x, y, -x - y);
  }
  told(0.05, 0.1, 1.0);  // never beaten below
  const auto side = [&] {
    for (const Term& term : optimizer->report().values) {
      if (term.name == "side") return term.value;
    }
    return 0.0;
  };
  double expected = 0.8;
  for (int round = 0; round < 4; ++round) {
    EXPECT_DOUBLE_EQ(side(), expected);
    std::vector<TrialId> ids;
    for (int i = 0; i < 8; ++i) ids.push_back(next++);
    std::vector<Trial> finished;
    for (const Suggestion& s : optimizer->ask(ids)) {
      EXPECT_EQ(s.rationale.source, "focal");
      EXPECT_LE(std::abs(std::get<double>(s.point[0]) - 0.05), 0.5 * expected + 1e-9);
      EXPECT_LE(std::abs(std::get<double>(s.point[1]) - 0.10), 0.5 * expected + 1e-9);
      Trial trial;
      trial.id = ids[finished.size()];
      trial.point = s.point;
      trial.state = TrialState::completed;
      trial.values = {0.5};
      finished.push_back(trial);
    }
    optimizer->tell(finished);
    expected *= 0.5;  // ceil(4/8) = 1 failed round
  }
}

}  // namespace
}  // namespace vbo
