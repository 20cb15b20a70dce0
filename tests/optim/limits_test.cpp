// SPDX-License-Identifier: MIT
// Measured constraints and failing regions, method by method: what is suggested goes where results
// are feasible and evaluations succeed, and a snapshot or a replay goes on exactly.
// VBO_LONG_TESTS=1 plays more seeds.
#include <cstdlib>
#include <functional>

#include "core/order.hpp"
#include "optim/border.hpp"
#include "optim/conformance.hpp"
#include "optim/feasibility.hpp"

namespace vbo {
namespace {

int seeds(int usually = 1) { return std::getenv("VBO_LONG_TESTS") ? 5 : usually; }

std::vector<double> numbers(const Point& point) {
  std::vector<double> x;
  for (const Value& value : point) x.push_back(std::get<double>(value));
  return x;
}

Space cube(int dimension, std::vector<Limit> limits = {}) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < dimension; ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), 0, 1));
  }
  return Space::make(std::move(parameters), {}, std::move(limits)).value();
}

// A study without storage: asks, evaluates, tells.
class Played {
 public:
  using Evaluate = std::function<Outcome(const std::vector<double>&, TrialId)>;  // maximized

  Played(Space space, OptimizerOptions options, Evaluate evaluate)
      : space_(std::move(space)),
        options_(std::move(options)),
        evaluate_(std::move(evaluate)),
        optimizer_(make_optimizer(space_, options_).value()) {}

  void rounds(int count) {
    for (int round = 0; round < count; ++round) {
      std::vector<TrialId> ids(static_cast<std::size_t>(options_.batch));
      std::iota(ids.begin(), ids.end(), std::ssize(trials_) + 1);
      const std::vector<Suggestion> suggested = optimizer_->ask(ids);
      ++event_;
      const std::size_t first = trials_.size();
      for (std::size_t i = 0; i < ids.size(); ++i) {
        Trial open{.id = ids[i], .point = suggested[i].point, .rationale = suggested[i].rationale};
        open.asked_in = event_;
        trials_.push_back(ended_by(std::move(open), evaluate_(numbers(suggested[i].point), ids[i]),
                                   space_.limits()));
      }
      ++event_;
      for (std::size_t i = first; i < trials_.size(); ++i) trials_[i].told_in = event_;
      optimizer_->tell(std::span(trials_).subspan(first));
    }
  }

  // The share of failed trials in the last so many.
  double failing(std::size_t last) const {
    const auto from = trials_.end() - static_cast<std::ptrdiff_t>(last);
    const auto failed = [](const Trial& trial) { return trial.failure.has_value(); };
    return static_cast<double>(std::count_if(from, trials_.end(), failed)) /
           static_cast<double>(last);
  }
  const Trial& best() const {
    const Order order = Order::maximizing(space_);
    return *std::max_element(trials_.begin(), trials_.end(),
                             [&](const Trial& a, const Trial& b) { return order.better(b, a); });
  }
  int feasible() const {
    return static_cast<int>(std::count_if(trials_.begin(), trials_.end(),
                                          [&](const Trial& t) { return is_feasible(space_, t); }));
  }
  std::vector<Point> ask(std::size_t n) {
    std::vector<TrialId> ids(n);
    std::iota(ids.begin(), ids.end(), std::ssize(trials_) + 1);
    std::vector<Point> points;
    for (const Suggestion& s : optimizer_->ask(ids)) points.push_back(s.point);
    return points;
  }
  Played restored() const {
    Played other(space_, options_, evaluate_);
    other.trials_ = trials_;
    other.event_ = event_;
    const Result<void> done = other.optimizer_->restore(optimizer_->snapshot(), trials_);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
    return other;
  }
  const std::vector<Trial>& trials() const { return trials_; }
  const Space& space() const { return space_; }
  Optimizer& optimizer() { return *optimizer_; }

 private:
  Space space_;
  OptimizerOptions options_;
  Evaluate evaluate_;
  std::unique_ptr<Optimizer> optimizer_;
  std::vector<Trial> trials_;
  EventId event_ = 0;
};

// ---- every method ------------------------------------------------------------------------------

class LimitedMethods : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, LimitedMethods, ::testing::ValuesIn(testing::method_names()),
                         testing::test_name);

// Results, infeasible results and failures, and nothing feasible at first.
Outcome mixed_outcome(const std::vector<double>& x, TrialId id) {
  if (id % 7 == 3) return Outcome::failed(FailureCause::crash, "crashed");
  Outcome outcome = Outcome::of(-(x[0] - 0.2) * (x[0] - 0.2) - (x[1] - 0.2) * (x[1] - 0.2));
  outcome.metrics = {{"load", x[0] + x[1]}, {"heat", 100.0 * x[1]}};
  return outcome;
}

TEST_P(LimitedMethods, GoOnExactlyFromASnapshotAndAReplay) {
  OptimizerOptions options = testing::quick_options(GetParam());
  const Space space = cube(2, {{"load", {}, 0.9}, {"heat", 70.0, 10.0}});
  Played played(space, options, mixed_outcome);
  played.rounds(6);
  Played restored = played.restored();
  Played replayed(space, options, mixed_outcome);
  replayed.rounds(6);
  EXPECT_EQ(testing::points_of(replayed.trials()), testing::points_of(played.trials()));
  const std::vector<Point> next = played.ask(4);
  EXPECT_EQ(restored.ask(4), next);
  EXPECT_EQ(replayed.ask(4), next);
  for (const Point& point : next) testing::expect_inside(space, point);
  // What is recommended is feasible, and its expected value is one of the objective.
  if (const auto found = played.optimizer().report().recommendation) {
    EXPECT_TRUE(is_feasible(space, played.trials()[static_cast<std::size_t>(found->id - 1)]));
    EXPECT_LT(std::abs(found->mean), 100.0);
    EXPECT_LT(std::abs(found->deviation), 100.0);
  }
}

TEST_P(LimitedMethods, StandNothingFeasible) {
  const Space space = cube(2, {{"load", -1.0, {}}});
  Played played(space, testing::quick_options(GetParam()), mixed_outcome);
  played.rounds(6);
  EXPECT_EQ(played.feasible(), 0);
  EXPECT_FALSE(played.optimizer().report().recommendation);
  Played restored = played.restored();
  EXPECT_EQ(restored.ask(3), played.ask(3));
}

// ---- learning what is feasible -----------------------------------------------------------------

class Learners : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, Learners, ::testing::Values("vbo", "gp-logei", "turbo", "cmaes"),
                         testing::test_name);

OptimizerOptions options_of(const std::string& method, int seed, std::int64_t batch, int rounds) {
  OptimizerOptions options;
  options.method = method;
  options.seed = static_cast<std::uint64_t>(seed);
  options.batch = batch;
  options.budget = batch * rounds;
  options.threads = 1;
  return options;
}

// The unconstrained optimum violates the limit; 2% of the cube is feasible. On the limit the best
// value is -0.18.
TEST_P(Learners, FindTheBestFeasiblePoint) {
  for (int seed = 1; seed <= seeds(); ++seed) {
    Played played(cube(4, {{"sum", {}, 3.2}}), options_of(GetParam(), seed, 16, 16),
                  [](const std::vector<double>& x, TrialId) {
                    Outcome outcome = Outcome::of(0.0);
                    double sum = 0.0;
                    for (const double v : x) {
                      sum += v;
                      outcome.values.front() -= (v - 0.6) * (v - 0.6);
                    }
                    outcome.metrics = {{"sum", sum}};
                    return outcome;
                  });
    played.rounds(16);
    EXPECT_TRUE(is_feasible(played.space(), played.best()));
    EXPECT_GT(*played.best().value(), -0.18) << "seed " << seed;
    EXPECT_LE(*played.best().value(), -0.16);  // 4 * 0.2^2
    EXPECT_GT(played.feasible(), 30);          // 4 of 256 at random
  }
}

// ---- failing regions ---------------------------------------------------------------------------

class Failing : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, Failing, ::testing::Values("vbo", "gp-logei", "turbo"),
                         testing::test_name);

struct Crashing {
  const char* name;
  int dimension;
  std::function<double(const std::vector<double>&)> cost;  // 0 at best, and that on the border
  std::function<bool(const std::vector<double>&)> crashes;
  double good;  // cost that is good enough after 12 rounds
};

double centre(std::size_t i) {
  const double place = 0.37 + 0.618034 * static_cast<double>(i);
  return i == 0 ? 0.5 : 0.25 + 0.5 * (place - std::floor(place));
}

std::vector<Crashing> crashing() {
  const auto sphere = [](const std::vector<double>& x) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += std::pow(x[i] - centre(i), 2.0);
    return sum;
  };
  const auto ellipsoid = [](const std::vector<double>& x) {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum += std::pow(10.0, 0.5 * static_cast<double>(i)) * std::pow(x[i] - centre(i), 2.0);
    }
    return sum;
  };
  return {{"half of a sphere", 5, sphere, [](const auto& x) { return x[0] > 0.5; }, 0.02},
          {"across an ellipsoid", 5, ellipsoid,
           [](const auto& x) {
             double side = 0.0;
             for (std::size_t i = 0; i < x.size(); ++i) {
               side += (x[i] - centre(i)) * (i % 2 == 1 ? 1.0 : -1.0);
             }
             return side > 0.0;
           },
           0.2},
          {"falls on beyond a ball's surface", 3,
           [](const auto& x) {
             double sum = 0.0;
             for (std::size_t i = 0; i < x.size(); ++i) {
               sum += std::pow(x[i] - centre(i) - (centre(i) < 0.5 ? -0.1 : 0.1), 2.0);
             }
             return sum - 0.01 * static_cast<double>(x.size());
           },
           [](const auto& x) {
             double square = 0.0;
             const double step = 0.45 / std::sqrt(static_cast<double>(x.size()));
             for (std::size_t i = 0; i < x.size(); ++i) {
               square += std::pow(x[i] - centre(i) - (centre(i) < 0.5 ? step : -step), 2.0);
             }
             return square > 0.45 * 0.45;
           },
           0.01}};
}

TEST_P(Failing, FewerThanATenthOfABatchCrashesAfterTenRounds) {
  // One batch may step over a border that nobody has seen yet: the mean over problems and seeds.
  double failing = 0.0;
  int games = 0;
  for (const Crashing& problem : crashing()) {
    for (int seed = 1; seed <= seeds(3); ++seed) {
      SCOPED_TRACE(std::string(problem.name) + ", seed " + std::to_string(seed));
      Played played(cube(problem.dimension), options_of(GetParam(), seed, 32, 12),
                    [&](const std::vector<double>& x, TrialId) {
                      return problem.crashes(x) ? Outcome::failed(FailureCause::crash, "crashed")
                                                : Outcome::of(-problem.cost(x));
                    });
      played.rounds(12);
      failing += played.failing(64);
      ++games;
      EXPECT_GT(*played.best().value(), -problem.good);
    }
  }
  EXPECT_LT(failing / games, 0.1);
}

// Failures that come at random everywhere teach nothing, and must not keep anybody from the best.
TEST_P(Failing, RandomFailuresDoNotHurt) {
  const Crashing problem = crashing().front();
  for (int seed = 1; seed <= seeds(); ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed), "flaky");
    Played played(cube(problem.dimension), options_of(GetParam(), seed, 32, 10),
                  [&](const std::vector<double>& x, TrialId) {
                    return rng.uniform() < 0.1 ? Outcome::failed(FailureCause::crash, "unlucky")
                                               : Outcome::of(-problem.cost(x));
                  });
    played.rounds(10);
    EXPECT_GT(*played.best().value(), -problem.good) << "seed " << seed;
  }
}

// ---- the models ---------------------------------------------------------------------------------

Matrix random_codes(Eigen::Index D, Eigen::Index N, Rng& rng) {
  Matrix X(D, N);
  for (double& x : X.reshaped()) x = rng.uniform();
  return X;
}

TEST(Feasibility, LearnsABorderAndIgnoresBadLuck) {
  Rng rng(4);
  const Matrix X = random_codes(3, 120, rng), T = random_codes(3, 200, rng);
  std::vector<Success> by_place, by_luck, by_machine;
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    by_place.push_back(X(0, i) < 0.5 ? Success::yes : Success::no);
    by_luck.push_back(rng.uniform() < 0.9 ? Success::yes : Success::no);
    by_machine.push_back(X(0, i) < 0.5 ? Success::yes : Success::unknown);
  }
  Feasibility feasibility;
  feasibility.learn(GpOptions::standard(3), X, by_place, Matrix(0, X.cols()),
                    Feasibility::Limits::shared, Rng(1));
  ASSERT_TRUE(feasibility.knows_failures());
  const Vector p = feasibility.log_probability(T).array().exp();
  for (Eigen::Index i = 0; i < T.cols(); ++i) {
    if (std::abs(T(0, i) - 0.5) < 0.1) continue;
    EXPECT_EQ(p[i] > 0.5, T(0, i) < 0.5) << T(0, i) << " " << p[i];
  }
  feasibility.learn(GpOptions::standard(3), X, by_luck, Matrix(0, X.cols()),
                    Feasibility::Limits::shared, Rng(1));
  const Vector lucky = feasibility.log_probability(T).array().exp();
  EXPECT_GT(lucky.mean(), 0.85);
  // Lost workers say nothing about points.
  feasibility.learn(GpOptions::standard(3), X, by_machine, Matrix(0, X.cols()),
                    Feasibility::Limits::shared, Rng(1));
  EXPECT_FALSE(feasibility.knows_anything());
}

// The slope of a model's log-probability is its derivative, by differences of `h` at T (D,m).
template <class Model>
void expect_slope(const Model& model, const Matrix& T, double h, double tolerance) {
  Matrix slope;
  model.log_probability(T, &slope);
  for (Eigen::Index d = 0; d < T.rows(); ++d) {
    Matrix up = T, down = T;
    up.row(d).array() += h;
    down.row(d).array() -= h;
    const Vector difference = (model.log_probability(up) - model.log_probability(down)) / (2.0 * h);
    for (Eigen::Index i = 0; i < T.cols(); ++i) {
      EXPECT_NEAR(slope(d, i), difference[i], tolerance * std::max(1.0, slope.col(i).norm()));
    }
  }
}

TEST(Feasibility, SlopeIsTheDerivative) {
  Rng rng(5);
  const Matrix X = random_codes(2, 40, rng);
  Matrix excesses(1, X.cols());
  std::vector<Success> success;
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    excesses(0, i) = X(0, i) + X(1, i) - 1.0 + 0.2 * rng.normal();
    success.push_back(X(1, i) < 0.8 ? Success::yes : Success::no);
  }
  const Matrix T = random_codes(2, 8, rng);
  for (const auto limits : {Feasibility::Limits::shared, Feasibility::Limits::sampled}) {
    Feasibility feasibility;
    feasibility.learn(GpOptions::standard(2), X, success, excesses, limits, Rng(1));
    expect_slope(feasibility, T, 1e-5, 1e-3);
  }
}

// A border through results whose scale is a thousandth of the box, tilted and ten times longer in
// one direction: known at that scale.
class BorderWith : public ::testing::TestWithParam<Border::Distances> {};

TEST_P(BorderWith, IsKnownAtTheScaleOfTheSearch) {
  const Border::Distances distances = GetParam();
  const Encoding encoding(cube(3));
  Rng rng(6);
  const auto side = [](ConstVectorRef x) { return x[0] + x[1] - 1.0; };  // > 0 fails
  const auto around = [&](double length) {
    Vector x(3);
    x << 0.5 + length * rng.normal(), 0.5 + length * rng.normal(),
        0.5 + 10.0 * length * rng.normal();
    return Vector(x.cwiseMax(0.0).cwiseMin(1.0));
  };
  Matrix X(3, 200);
  std::vector<Success> success, none;
  Eigen::Index best = -1;
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    X.col(i) = around(i < 60 ? 0.3 : 1e-3);
    const bool fails = side(X.col(i)) > 0.0;
    success.push_back(fails ? Success::no : Success::yes);
    none.push_back(Success::yes);
    if (!fails && i >= 60 && (best < 0 || side(X.col(i)) > side(X.col(best)))) best = i;
  }
  Border border;
  border.learn(encoding, X, none, best, 20, distances);
  EXPECT_FALSE(border.known());
  border.learn(encoding, X, success, best, 1000, distances);
  EXPECT_FALSE(border.known());
  border.learn(encoding, X, success, best, 20, distances);
  ASSERT_TRUE(border.known());
  EXPECT_EQ(border.place_of(X.col(best)), Border::Place::near);
  int sure = 0, wrong = 0;
  Matrix T(3, 400);
  for (Eigen::Index i = 0; i < T.cols(); ++i) T.col(i) = around(1e-3);
  const Vector p = border.log_probability(T).array().exp();
  for (Eigen::Index i = 0; i < T.cols(); ++i) {
    sure += p[i] > 0.9;
    wrong += p[i] > 0.9 && side(T.col(i)) > 0.0;
  }
  EXPECT_GT(sure, 120);  // of about 200 that succeed
  EXPECT_LT(wrong, 0.05 * sure);
  // Ten deviations inside there is no doubt, however long the weights may be.
  const Vector inside = X.col(best) - 1e-2 * Vector::Unit(3, 0);
  EXPECT_GT(std::exp(border.log_probability(inside)[0]), 0.999);
  expect_slope(border, T.leftCols(20), 1e-8, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Distances, BorderWith,
                         ::testing::Values(Border::Distances::linear,
                                           Border::Distances::logarithmic));

// A slope that falls on beyond a ball: results lie closer to its surface by the square of how they
// lie along it, at all lengths down to a thousandth, where the border has to be known best.
TEST(Border, CurvesAtTheScaleOfTheSearch) {
  const Encoding encoding(cube(3));
  constexpr double radius = 0.4;
  const Vector middle = Vector::Constant(3, 0.5);
  const auto fails = [&](ConstVectorRef x) { return (x - middle).norm() > radius; };
  int sure = 0, wrong = 0, right = 0;
  constexpr int seeds = 4, tests = 400;
  for (int seed = 1; seed <= seeds; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const auto around = [&](double length) {
      Vector x(3);
      x << 0.0, length * rng.normal(), length * rng.normal();
      x[0] = length * length * rng.normal() -
             std::sqrt(std::max(0.0, radius * radius - x.squaredNorm()));
      return Vector((x + middle).cwiseMax(0.0).cwiseMin(1.0));
    };
    Matrix X(3, 240), T(3, tests);
    std::vector<Success> success;
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < X.cols(); ++i) {
      X.col(i) = around(0.3 * std::pow(10.0, -static_cast<double>(i) / 96.0));
      success.push_back(fails(X.col(i)) ? Success::no : Success::yes);
      if (!fails(X.col(i)) && (best < 0 || X(0, i) < X(0, best))) best = i;
    }
    Border border;
    border.learn(encoding, X, success, best, 20, Border::Distances::linear);
    ASSERT_TRUE(border.known());
    for (Eigen::Index i = 0; i < T.cols(); ++i) T.col(i) = around(1e-3);
    const Vector p = border.log_probability(T).array().exp();
    for (Eigen::Index i = 0; i < T.cols(); ++i) {
      sure += p[i] > 0.9;
      wrong += p[i] > 0.9 && fails(T.col(i));
      right += (p[i] > 0.5) != fails(T.col(i));
    }
  }
  EXPECT_GT(right, 0.75 * seeds * tests);
  EXPECT_GT(sure, 0.15 * seeds * tests);  // about half succeed
  EXPECT_LT(wrong, 0.05 * sure);
}

}  // namespace
}  // namespace vbo
