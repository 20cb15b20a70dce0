// SPDX-License-Identifier: MIT
// The Gaussian process near the local search: its view, what it learns from, and what it is worth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "optim/surrogate/acquisition.hpp"
#include "optim/vbo/batch/expected_improvement.hpp"
#include "optim/vbo/critics/gp_window.hpp"
#include "optim/vbo/critics/panel.hpp"
#include "optim/vbo/critics/training_subset.hpp"
#include "support/gradient_check.hpp"
#include "vbo_parts.hpp"

namespace vbo {
namespace {

// ---- the view -----------------------------------------------------------------------------------

LocalCoordinates tilted_coordinates(const Encoding& mixed) {  // of parts_mixed_space
  LocalCoordinates coordinates(mixed);
  const Matrix A{{20.0, 5.0, 0.0}, {5.0, 10.0, 1.0}, {0.0, 1.0, 40.0}};
  coordinates.move({Vector{{0.4, 0.5, 0.7}}, A});
  return coordinates;
}

TEST(GpWindow, SeesTheBoxAsItIs) {
  const GpWindow box;
  const Matrix X = random_codes(6, 4, 1).cast<double>();
  EXPECT_FALSE(box.is_near());
  EXPECT_EQ(box(X), X);
  EXPECT_EQ(box.pullback(X), X);
  EXPECT_EQ(box.distance(X), Vector::Zero(4));
  EXPECT_TRUE(box.quadratic_mean().empty());
}

TEST(GpWindow, SeesNumbersInTheLocalCoordinatesAndCategoriesAsTheyAre) {
  const Encoding encoding(parts_mixed_space());  // x, n, three categories, z
  const LocalCoordinates coordinates = tilted_coordinates(encoding);
  const GpWindow view(coordinates, 6);
  EXPECT_TRUE(view.is_near());
  Vector code{{0.4, 0.5, 0.0, 1.0, 0.0, 0.7}};  // the centre
  EXPECT_LT((view(code) - Vector{{0.0, 0.0, 0.0, 1.0, 0.0, 0.0}}).norm(), 1e-14);
  EXPECT_NEAR(view.distance(code)[0], 0.0, 1e-12);
  EXPECT_NEAR(view.quadratic_mean().at(view(code))[0], 0.0, 1e-12);
  code += Vector{{0.1, 0.0, 0.0, 0.0, 0.0, -0.05}};
  const Vector away{{2.0, 0.45, -2.0}};  // A (x - mu)
  const Vector u = view(code);
  EXPECT_LT((Vector(u(std::vector<int>{0, 1, 5})) - Tuning::near_scale * away).norm(), 1e-12);
  EXPECT_NEAR(view.distance(code)[0], std::sqrt(away.squaredNorm() / 3.0), 1e-12);
  // The basin is that of the distance, whatever the scale.
  const double t = away.squaredNorm() / 3.0;
  EXPECT_NEAR(view.quadratic_mean().at(u)[0], t / (1.0 + t / Tuning::near_quadratic), 1e-12);
  code.segment(2, 3) << 1.0, 0.0, 0.0;  // another category is not farther away
  EXPECT_NEAR(view.distance(code)[0], std::sqrt(t), 1e-12);
}

TEST(GpWindow, PullbackIsTheAdjoint) {
  const Encoding encoding(parts_mixed_space());
  const LocalCoordinates coordinates = tilted_coordinates(encoding);
  const GpWindow view(coordinates, 6);
  const Matrix X = random_codes(6, 3, 2).cast<double>(),
               weights = random_codes(6, 3, 3).cast<double>();
  testing::expect_matrix_gradient(
      [&](const Matrix& x) { return view(x).cwiseProduct(weights).sum(); }, X,
      view.pullback(weights));
}

// Searches over very many numbers keep the diagonal alone.
TEST(GpWindow, DiagonalCoordinates) {
  const Encoding encoding(parts_cube(2));
  LocalCoordinates full(encoding), diagonal(encoding);
  full.move({Vector{{0.2, 0.9}}, Matrix{{3.0, 0.0}, {0.0, 50.0}}});
  diagonal.move({Vector{{0.2, 0.9}}, Vector{{3.0, 50.0}}});
  const Matrix X = random_codes(2, 5, 4).cast<double>();
  EXPECT_EQ(GpWindow(diagonal, 2)(X), GpWindow(full, 2)(X));
}

// ---- what it learns from ------------------------------------------------------------------------

TEST(TrainingSubset, NearTheSearchAreTheNearestWithinItsReach) {
  const Encoding encoding(parts_cube(1));
  LocalCoordinates coordinates(encoding);
  coordinates.move(
      {Vector{{0.5}}, Matrix{{40.0}}});  // a length of the coordinates is a fortieth of the box
  const GpWindow view(coordinates, 1);
  Archive archive(1);
  for (int i = 0; i <= 100; ++i) archive.add(i + 1, Vector{{0.01 * i}}, -std::abs(i - 80.0));
  archive.add(200, Vector{{0.5}}, -std::numeric_limits<double>::infinity());  // failed
  archive.sort();
  const auto places = [&](int most) {
    std::vector<double> all;
    for (const int i : results_nearby(archive, view, most)) all.push_back(archive.code(i)[0]);
    std::ranges::sort(all);
    return all;
  };
  // Four lengths: from 0.4 to 0.6, whatever their values.
  EXPECT_EQ(places(100).size(), 21U);
  EXPECT_NEAR(places(100).front(), 0.4, 1e-12);
  EXPECT_NEAR(places(100).back(), 0.6, 1e-12);
  EXPECT_THAT(places(3), ::testing::Pointwise(::testing::DoubleNear(1e-12), {0.49, 0.5, 0.51}));
}

// Of a very long history only the best and the newest are looked at, so that a round takes the same
// time however many there are.
TEST(TrainingSubset, LooksAtABoundedNumberOfResults) {
  const Encoding encoding(parts_cube(1));
  LocalCoordinates coordinates(encoding);
  coordinates.move({Vector{{0.5}}, Matrix{{1.0}}});  // everything is near
  const GpWindow view(coordinates, 1);
  Archive archive(1);
  const int n = 3 * Tuning::pool;
  for (int i = 0; i < n; ++i)
    archive.add(i + 1, Vector{{(i + 0.5) / n}}, -i);  // the oldest are best
  archive.sort();
  const std::vector<int> all = results_nearby(archive, view, n);
  EXPECT_EQ(std::ssize(all), Tuning::pool);
  for (const int i : all) EXPECT_TRUE(i < Tuning::pool / 2 || i >= n - Tuning::pool / 2) << i;
}

// ---- what it predicts ---------------------------------------------------------------------------

// A search that has narrowed to a tilted valley of one thousandth of the box, a hundred times
// longer than wide, at the end of a long run: results of the whole box, then many of the valley.
class NearTheSearch : public ::testing::Test {
 protected:
  static constexpr int kMost = 60;

  NearTheSearch() {
    options_.vbo.gp_points = kMost;
    for (int i = 0; i < 100; ++i) add(Vector{{rng_.uniform(), rng_.uniform()}});
    for (int i = 0; i < 100; ++i) add(draw());
    archive_.sort();
    coordinates_.move({centre_ + axes_ * Vector{{0.3, -0.2}}, axes_.inverse() / 1.5});
  }

  // Draws of the search: N(centre, axes axes').
  Vector draw() { return centre_ + axes_ * Vector{{rng_.normal(), rng_.normal()}}; }
  double value(const Vector& x) const {
    const Vector u = axes_.inverse() * (x - centre_);
    return -u.squaredNorm() + 0.3 * std::sin(2.0 * u[0]);
  }
  void add(const Vector& x) { archive_.add(archive_.size() + 1, x, value(x)); }
  Panel surrogate() { return {critics_, coordinates_, encoding_, options_, {.seed = 1}}; }

  // Correlation of what is expected of new draws with what they are.
  double correlation(Panel& surrogate) {
    MatrixOf<float> X(2, 200);
    Vector truth(200), expected(200);
    for (int i = 0; i < 200; ++i) {
      const Vector x = draw();
      truth[i] = value(x);
      X.col(i) = x.cast<float>();
    }
    expected = surrogate.assess(X, 0.0, 1).terms.row(0).transpose().cast<double>();
    truth.array() -= truth.mean();
    expected.array() -= expected.mean();
    return truth.dot(expected) / std::sqrt(truth.squaredNorm() * expected.squaredNorm());
  }

  Rng rng_{11, "near"};
  Encoding encoding_{parts_cube(2)};
  LocalCoordinates coordinates_{encoding_};
  Vector centre_{{0.37, 0.61}};
  Matrix axes_{{8e-4, -6e-6}, {6e-4, 8e-6}};  // long and short axis, as columns
  Archive archive_{2};
  VboGpOptions options_ = vbo_ablation(GpRole::exploits);
  Networks critics_{coordinates_.inputs(), VboOptions{}, 1};
};

TEST_F(NearTheSearch, PredictsWhereTheWholeBoxTellsNothing) {
  Panel near = surrogate();
  near.learn(archive_, archive_.replay(0.25, 16), 0);
  EXPECT_TRUE(near.gp_member().view->is_near());
  EXPECT_GT(correlation(near), 0.99);
  // Two hundred points for it: then all are seen, in the whole box.
  options_.vbo.gp_points = 200;
  Panel box = surrogate();
  box.learn(archive_, archive_.replay(0.25, 16), 0);
  EXPECT_FALSE(box.gp_member().view->is_near());
  EXPECT_LT(correlation(box), 0.9);
}

TEST_F(NearTheSearch, SlopeOfTheScore) {
  Panel near = surrogate();
  near.learn(archive_, archive_.replay(0.25, 16), 0);
  // Codes in single precision are too coarse for differences of a narrow search: a wider one.
  coordinates_.move({centre_, 8.0 * Matrix::Identity(2, 2)});
  near.learn(archive_, archive_.replay(0.25, 16), 1);
  ASSERT_TRUE(near.gp_member().view->is_near());
  MatrixOf<float> X(2, 3), dX;
  X << 0.2F, 0.51F, 0.63F, 0.57F, 0.62F, 0.45F;
  near.assess(X, 0.0, 1, &dX);
  for (Eigen::Index i = 0; i < X.size(); ++i) {
    const float h = 2e-3F;
    MatrixOf<float> up = X, down = X;
    up.data()[i] += h;
    down.data()[i] -= h;
    const double above = near.assess(up, 0.0, 1, nullptr).score.cast<double>().mean();
    const double below = near.assess(down, 0.0, 1, nullptr).score.cast<double>().mean();
    const double slope = (above - below) / (2.0 * static_cast<double>(h));
    EXPECT_NEAR(dX.data()[i], slope, 0.02 + 0.02 * std::abs(slope)) << i;
  }
}

TEST_F(NearTheSearch, LooksAtTheBoxWhileResultsAreFew) {
  options_.vbo.gp_points = 200;
  Panel all = surrogate();
  all.learn(archive_, archive_.replay(0.25, 16), 0);
  EXPECT_FALSE(all.gp_member().view->is_near());
  add(draw());  // one more than it can learn from
  archive_.sort();
  all.learn(archive_, archive_.replay(0.25, 16), 1);
  EXPECT_TRUE(all.gp_member().view->is_near());
}

TEST_F(NearTheSearch, LooksAtTheBoxWhileTheBestIsElsewhere) {
  archive_.add(500, Vector{{0.9, 0.1}}, 10.0);
  archive_.sort();
  Panel surrogate = this->surrogate();
  surrogate.learn(archive_, archive_.replay(0.25, 16), 0);
  EXPECT_FALSE(surrogate.gp_member().view->is_near());
}

// A plateau around the search says nothing about where to go.
TEST_F(NearTheSearch, LooksAtTheBoxFromAPlateau) {
  Archive flat(2);
  for (int i = 0; i < archive_.size(); ++i) {
    flat.add(i + 1, archive_.code(i), std::max(archive_.value(i), -50.0) < -49.0 ? -50.0 - i : 1.0);
  }
  flat.sort();
  Panel surrogate = this->surrogate();
  surrogate.learn(flat, flat.replay(0.25, 16), 0);
  EXPECT_FALSE(surrogate.gp_member().view->is_near());
}

// What mutations find far away says nothing about a GP that is fitted to the surroundings of the
// search; there the networks predict alone.
TEST_F(NearTheSearch, IsTestedOnWhatIsNear) {
  options_ = VboGpOptions{};
  options_.vbo.gp_points = kMost;
  options_.vbo.quadratic = false;
  Panel panel = this->surrogate();
  panel.learn(archive_, archive_.replay(0.25, 16), 0);
  ASSERT_TRUE(panel.gp_member().view->is_near());
  const double before = panel.weight("gp");
  const auto examine = [&](auto&& place) {
    const int first = archive_.size();
    for (int i = 0; i < 32; ++i) add(place());
    archive_.sort();
    std::vector<int> levels;
    for (int i = first; i < archive_.size(); ++i) {
      levels.push_back(panel.levels().level_of(archive_.value(i)));
    }
    panel.examine(archive_.codes().rightCols(32), levels, 1);
  };
  examine([&] { return Vector{{rng_.uniform(), rng_.uniform()}}; });
  EXPECT_NEAR(panel.weight("gp"), before, 1e-3);
  examine([&] { return draw(); });  // the networks are untrained, the GP is right
  EXPECT_NE(panel.weight("gp"), before);
  EXPECT_GT(panel.weight("gp"), 5.0 * panel.weight("networks"));
}

TEST_F(NearTheSearch, FarAwayTheNetworksForecastAlone) {
  options_.vbo.quadratic = false;
  Panel panel = this->surrogate();
  panel.learn(archive_, archive_.replay(0.25, 16), 0);
  options_.role = GpRole::assists;
  options_.vbo.gp_points = 0;
  Panel alone = this->surrogate();
  alone.learn(archive_, archive_.replay(0.25, 16), 0);
  Matrix X(2, 2);
  X << 0.37, 0.9, 0.61, 0.1;  // at the search, and far away
  EXPECT_EQ(panel.knows(X), (std::vector<bool>{true, false}));
  EXPECT_EQ(alone.knows(X), (std::vector<bool>{true, true}));
  const Matrix both = panel.forecast(X, 1), networks = alone.forecast(X, 1);
  EXPECT_LT((both.colwise().sum().array() - 1.0).abs().maxCoeff(), 1e-5);
  EXPECT_GT((both.col(0) - networks.col(0)).norm(), 0.1);
  EXPECT_LT((both.col(1) - networks.col(1)).norm(), 1e-9);
}

// EiMaximizer are codes: they ascend what the GP expects in its view, and what is pending is
// believed there.
TEST_F(NearTheSearch, ExpectedImprovementIsMaximizedInItsWindow) {
  Panel surrogate = this->surrogate();
  surrogate.learn(archive_, archive_.replay(0.25, 16), 0);
  const GpMember gp = surrogate.gp_member();
  ASSERT_TRUE(gp.view->is_near());
  Matrix starts(2, 64);
  for (auto start : starts.colwise()) start = draw();
  const auto log_ei_at = [&](const Matrix& X) -> Vector {
    const auto p = gp.model->posterior((*gp.view)(X), false);
    return score_points(Acquisition::log_ei, p->mean(), p->variance(), gp.best, 0.0).value;
  };
  EiProblem search{encoding_, [&](Rng&) { return starts; }, [](ConstVectorRef) { return false; },
                   Matrix(2, 0)};
  const auto find = [&] { return EiMaximizer(gp, search, 1, Rng(3), 1).find(1); };
  const std::vector<EiPoint> first = find();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_NEAR(first[0].log_ei, log_ei_at(first[0].code)[0], 1e-9);
  EXPECT_GT(first[0].log_ei, log_ei_at(starts).maxCoeff() + 1e-3);  // above where it began
  EXPECT_LT(gp.view->distance(first[0].code)[0], Tuning::near_radius);
  search.pending = first[0].code;
  const std::vector<EiPoint> next = find();
  ASSERT_EQ(next.size(), 1U);
  const Matrix step = (*gp.view)(next[0].code) - (*gp.view)(first[0].code);
  EXPECT_GT(step.norm(), 1e-3);
}

// Four results per number are not to be had where numbers are many: half of what it sees is enough.
TEST(Panel, LooksNearWithManyNumbers) {
  const Encoding encoding(parts_cube(70));
  LocalCoordinates coordinates(encoding);
  coordinates.move({Vector::Constant(70, 0.3), 4.0 * Matrix::Identity(70, 70)});
  Networks critics(coordinates.inputs(), VboOptions{}, 1);
  Panel surrogate(critics, coordinates, encoding, VboGpOptions{}, {.seed = 1});
  const Archive archive = quadratic_archive(70, 300);
  surrogate.learn(archive, archive.replay(0.25, 64), 0);
  EXPECT_TRUE(surrogate.gp_member().view->is_near());
}

// Categories stay what they are beside numbers seen in the coordinates.
TEST(Panel, KnowsCategoriesNearTheSearch) {
  const Encoding encoding(
      Space::make({Parameter::real("x", 0, 1), Parameter::categorical("c", {"good", "bad"})})
          .value());
  LocalCoordinates coordinates(encoding);
  coordinates.move({Vector{{0.3}}, Matrix{{50.0}}});
  Networks critics(coordinates.inputs(), VboOptions{}, 1);
  VboGpOptions options = vbo_ablation(GpRole::exploits);
  options.vbo.gp_points = 40;
  Panel surrogate(critics, coordinates, encoding, options, {.seed = 1});
  Archive archive(3);
  Rng rng(5, "codes");
  for (int i = 0; i < 80; ++i) {
    const double x = 0.3 + 0.05 * (rng.uniform() - 0.5);
    const bool good = i % 2 == 0;
    archive.add(i + 1, Vector{{x, good ? 1.0 : 0.0, good ? 0.0 : 1.0}},
                -std::pow(x - 0.3, 2.0) - (good ? 0.0 : 1e-3));
  }
  archive.sort();
  surrogate.learn(archive, archive.replay(0.25, 16), 0);
  ASSERT_TRUE(surrogate.gp_member().view->is_near());
  MatrixOf<float> X(3, 3);
  X << 0.3F, 0.3F, 0.32F, 1.0F, 0.0F, 1.0F, 0.0F, 1.0F, 0.0F;
  const Assessment& assessment = surrogate.assess(X, 0.0, 1);
  EXPECT_GT(assessment.terms(0, 0), assessment.terms(0, 1));  // the better category
  EXPECT_GT(assessment.terms(0, 0), assessment.terms(0, 2));  // the better number
  EXPECT_GT(assessment.terms(0, 2), assessment.terms(0, 1));  // 4e-4 is less than 1e-3
}

TEST_F(NearTheSearch, StoredAndReadBackItLearnsTheSame) {
  Panel surrogate = this->surrogate();
  for (int round = 0; round < 3; ++round) {
    surrogate.learn(archive_, archive_.replay(0.25, 16), round);
    for (int i = 0; i < 8; ++i) add(draw());
    archive_.sort();
  }
  surrogate.learn(archive_, archive_.replay(0.25, 16), 3);
  StateWriter out;
  surrogate.write(out);
  const std::string bytes = out.take();
  Panel again = this->surrogate();
  StateReader in(bytes);
  again.read(in);
  ASSERT_TRUE(in.complete());
  again.learn(archive_, archive_.replay(0.25, 16), 3);
  ASSERT_TRUE(again.gp_member().view->is_near());
  const MatrixOf<float> X = random_codes(2, 5, 9);
  EXPECT_EQ(again.assess(X, 0.0, 1).score, surrogate.assess(X, 0.0, 1).score);
}

}  // namespace
}  // namespace vbo
