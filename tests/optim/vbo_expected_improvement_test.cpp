// SPDX-License-Identifier: MIT
#include "optim/vbo/batch/expected_improvement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "models/gp/gp.hpp"
#include "optim/surrogate/acquisition.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "optim/vbo/vbo.hpp"

namespace vbo {
namespace {

Matrix anywhere(const Encoding& encoding, int count, Rng& rng) {
  Matrix starts(encoding.dimension(), count);
  for (double& x : starts.reshaped()) x = rng.uniform();
  for (auto column : starts.colwise()) encoding.snap(column);
  return starts;
}

EiProblem from_anywhere(const Encoding& encoding) {
  return {encoding, [&encoding](Rng& rng) { return anywhere(encoding, 96, rng); },
          [](ConstVectorRef) { return false; }, Matrix(encoding.dimension(), 0)};
}

std::vector<EiPoint> improvements(const GpMember& gp, const EiProblem& search, int count,
                                  Rng& rng) {
  return EiMaximizer(gp, search, count, Rng(rng()), 1).find(1);
}

// Two hills, the lower one seen well, the higher one with one result on its flank.
class TwoHills : public ::testing::Test {
 protected:
  TwoHills() {
    const Vector x{{0.05, 0.15, 0.2, 0.25, 0.35, 0.5, 0.66, 0.98}};
    const Vector y = x.unaryExpr([](double at) {
      return std::exp(-std::pow((at - 0.2) / 0.08, 2.0)) +
             1.5 * std::exp(-std::pow((at - 0.8) / 0.1, 2.0));
    });
    model_.fit(x.transpose(), y, Rng(1));
    best_ = y.maxCoeff();
  }

  double log_ei(const Surrogate& model, double x) const {
    const auto p = model.marginals(Matrix::Constant(1, 1, x));
    return score_points(Acquisition::log_ei, p->mean(), p->variance(), best_, 0.0).value[0];
  }
  double highest_log_ei(const Surrogate& model) const {
    double highest = -1e300;
    for (int i = 0; i <= 2000; ++i) highest = std::max(highest, log_ei(model, i / 2000.0));
    return highest;
  }

  Encoding encoding_{Space::make({Parameter::real("x", 0, 1)}).value()};
  GaussianProcess model_{GpOptions::standard(1)};
  double best_ = 0.0;
};

// Climbs may end on the lower of two hills that are nearly as high; most do not.
TEST_F(TwoHills, FirstIsTheHighestExpectedImprovement) {
  const double highest = highest_log_ei(model_);
  int reached = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    const auto found =
        improvements({&model_.regression(), best_, 1.0}, from_anywhere(encoding_), 1, rng);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_LT(found[0].log_ei, highest + 1e-3);
    EXPECT_GT(found[0].log_ei, highest - 0.5);
    EXPECT_NEAR(found[0].log_ei, log_ei(model_, found[0].code[0]), 1e-9);
    reached += found[0].log_ei > highest - 1e-3 ? 1 : 0;
  }
  EXPECT_GT(reached, 12);
}

TEST_F(TwoHills, OthersTakeTheFirstForToldAndKeepAway) {
  Rng rng(2);
  const auto found =
      improvements({&model_.regression(), best_, 1.0}, from_anywhere(encoding_), 2, rng);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_GT(std::abs(found[0].code[0] - found[1].code[0]), 0.01);
  EXPECT_GT(found[0].log_ei, found[1].log_ei);
}

TEST_F(TwoHills, PointsStillOutAreNotAskedForAgain) {
  Rng rng(2);
  EiProblem search = from_anywhere(encoding_);
  const double first = improvements({&model_.regression(), best_, 1.0}, search, 1, rng)[0].code[0];
  search.pending = Matrix::Constant(1, 1, first);
  const double next = improvements({&model_.regression(), best_, 1.0}, search, 1, rng)[0].code[0];
  EXPECT_GT(std::abs(next - first), 0.01);
}

TEST_F(TwoHills, WhatIsTakenIsNotSuggested) {
  Rng rng(2);
  EiProblem search = from_anywhere(encoding_);
  search.taken = [](ConstVectorRef) { return true; };
  EXPECT_TRUE(improvements({&model_.regression(), best_, 1.0}, search, 2, rng).empty());
}

// P = 1 / (1 + e^(200 (x - 0.18))): beyond 0.18 evaluations fail, and there the GP hopes for
// most.
Vector fails_beyond(ConstMatrixRef X, Matrix* slope) {
  const Vector odds = (200.0 * (X.row(0).transpose().array() - 0.18)).exp();
  if (slope) *slope = -200.0 * (odds.array() / (1.0 + odds.array())).matrix().transpose();
  return -(1.0 + odds.array()).log();
}
double likely_up_to(double p) { return 0.18 + std::log(1.0 / p - 1.0) / 200.0; }

// The improvement is the best of what will likely succeed, and says what the GP expects of it,
// not how likely it is.
TEST_F(TwoHills, WhereEvaluationsFailItIsTheBestOfWhatSucceeds) {
  Rng rng(2);
  EiProblem search = from_anywhere(encoding_);
  ASSERT_GT(improvements({&model_.regression(), best_, 1.0}, search, 1, rng)[0].code[0], 0.19);
  search.log_success = fails_beyond;
  search.doubt = [](double) { return 0.05; };
  const auto found = improvements({&model_.regression(), best_, 1.0}, search, 1, rng);
  ASSERT_EQ(found.size(), 1U);
  const double x = found[0].code[0], border = likely_up_to(0.95);
  double highest = -1e300;
  for (int i = 0; i <= 2000; ++i) highest = std::max(highest, log_ei(model_, border * i / 2000.0));
  EXPECT_LT(x, border + 1e-4);
  EXPECT_NEAR(found[0].log_ei, highest, 1e-3);
  EXPECT_NEAR(found[0].log_ei, log_ei(model_, x), 1e-9);
}

// A slope that rises to the border and beyond.
struct TowardsABorder : ::testing::Test {
  Encoding encoding{Space::make({Parameter::real("x", 0, 1)}).value()};
  Vector x = Vector::LinSpaced(12, 0.02, 0.15);
  GaussianProcess model{GpOptions::standard(1)};
  EiProblem search = from_anywhere(encoding);

  TowardsABorder() {
    model.fit(x.transpose(), x, Rng(1));
    search.log_success = fails_beyond;
  }
  std::vector<EiPoint> improve(int count) {
    Rng rng(2);
    return improvements({&model.regression(), x.maxCoeff(), 1.0}, search, count, rng);
  }
};

// From careful to bold, each point goes up to the doubt that it is allowed.
TEST_F(TowardsABorder, ImprovementsAreMoreAndMoreBold) {
  search.doubt = [](double u) { return 0.05 + 0.4 * u; };
  const auto found = improve(4);
  ASSERT_EQ(found.size(), 4U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double from = 0.05 + 0.1 * static_cast<double>(i);  // allowed: that and up to 0.1 more
    EXPECT_GT(found[i].code[0], likely_up_to(1.0 - from) - 1e-3);
    EXPECT_LT(found[i].code[0], likely_up_to(1.0 - (from + 0.1)) + 1e-3);
  }
}

// What may well fail is no result to beat: with a point far up the slope still out, which will not
// likely succeed, as much is hoped of careful ones as without it.
TEST_F(TowardsABorder, WhatMayWellFailIsNoResultToBeat) {
  search.doubt = [](double) { return 0.05; };
  const double alone = improve(1).at(0).log_ei;
  search.pending = Matrix::Constant(1, 1, 0.2);  // succeeds with probability 0.02
  EXPECT_NEAR(improve(1).at(0).log_ei, alone, 0.7);
  search.log_success = [](ConstMatrixRef X, Matrix* slope) {  // the same place, were it sure
    if (slope) slope->setZero(X.rows(), X.cols());
    return Vector(Vector::Zero(X.cols()));
  };
  search.taken = [](ConstVectorRef code) { return code[0] > 0.19; };
  EXPECT_TRUE(improve(1).empty());
}

// Climbs that end in more doubt than allowed suggest nothing.
TEST_F(TowardsABorder, ThereIsNoneWhereNothingIsLikelyEnough) {
  search.log_success = [](ConstMatrixRef X, Matrix* slope) {
    if (slope) slope->setZero(X.rows(), X.cols());
    return Vector(Vector::Constant(X.cols(), std::log(0.9)));
  };
  for (const double allowed : {0.05, 0.11}) {
    search.doubt = [allowed](double) { return allowed; };
    EXPECT_EQ(improve(1).size(), allowed > 0.1 ? 1U : 0U);
  }
}

// Twelve switches whose effects add up: a GP that has seen 60 of 4,096 combinations expects
// most of the best one, and the search over categories finds it.
TEST(EiMaximizer, FindsTheBestCombinationOfSwitches) {
  constexpr int switches = 12;
  std::vector<Parameter> parameters;
  for (int i = 0; i < switches; ++i) {
    parameters.push_back(Parameter::categorical("s" + std::to_string(i), {"off", "on"}));
  }
  const Encoding encoding(Space::make(parameters).value());
  const auto value = [](ConstVectorRef code) {
    double sum = 0.0;
    for (int i = 0; i < switches; ++i)
      sum += (i % 3 == 0 ? -1.0 : 1.0) * (i + 2.0) * code[2 * i + 1];
    return sum;
  };
  Rng rng(5);
  const Matrix X = anywhere(encoding, 60, rng);
  Vector y(X.cols());
  for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = value(X.col(i));
  GaussianProcess model(gp_options(encoding, {}));
  model.fit(X, y, Rng(1));
  const auto found =
      improvements({&model.regression(), y.maxCoeff(), 1.0}, from_anywhere(encoding), 1, rng);
  ASSERT_EQ(found.size(), 1U);
  double best = 0.0;
  for (int i = 0; i < switches; ++i) best += i % 3 == 0 ? 0.0 : i + 2.0;
  EXPECT_GT(best, y.maxCoeff());
  EXPECT_EQ(value(found[0].code), best);
}

// Sources of the suggestions of one round of eight, after a round of results.
std::multiset<std::string> sources(const VboOptions& options) {
  const Space space = Space::make({Parameter::real("x", 0, 1), Parameter::real("y", 0, 1)}).value();
  Vbo optimizer(space, {.seed = 2, .batch = 8}, options);
  std::multiset<std::string> found;
  for (TrialId first = 1; first < 33; first += 8) {
    std::vector<TrialId> ids;
    for (TrialId id = first; id < first + 8; ++id) ids.push_back(id);
    found.clear();
    std::vector<Trial> results;
    for (const Suggestion& s : optimizer.ask(ids)) {
      found.insert(s.rationale.source);
      const auto of_ei = [](const Term& term) { return term.name == "log_ei"; };
      EXPECT_EQ(std::ranges::any_of(s.rationale.notes, of_ei),
                s.rationale.source == "expected-improvement");
      Trial trial;
      trial.id = ids[results.size()];
      trial.point = s.point;
      trial.state = TrialState::completed;
      trial.values = {-std::pow(std::get<double>(s.point[0]) - 0.3, 2.0) -
                      std::pow(std::get<double>(s.point[1]) - 0.6, 2.0)};
      results.push_back(trial);
    }
    optimizer.tell(results);
  }
  return found;
}

TEST(EiMaximizer, HaveTheirShareOfABatch) {
  EXPECT_GE(sources({}).count("expected-improvement"),
            2U);  // 0.8 of eight, times its weight
  VboOptions none;
  none.ei_points = 0;
  EXPECT_EQ(sources(none).count("expected-improvement"), 0U);
  VboOptions careful;
  careful.explore = 0.0;
  EXPECT_EQ(sources(careful).count("expected-improvement"), 0U);
}

}  // namespace
}  // namespace vbo
