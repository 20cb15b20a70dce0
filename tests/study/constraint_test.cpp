// SPDX-License-Identifier: MIT
// No suggestion ever violates a constraint, whatever the method, and resuming stays exact.
// VBO_LONG_TESTS=1 asks for 100,000 suggestions of every cheap method instead of 3,000.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "study/support.hpp"

namespace vbo {
namespace {

using testing::kill_study;
using testing::points_of;

struct Problem {
  std::string name;
  Space space;
};

std::vector<Parameter> reals(int n, double step = 0.0) {
  std::vector<Parameter> list;
  for (int i = 0; i < n; ++i) {
    list.push_back(Parameter::real("x" + std::to_string(i), 0, 1, false, step));
  }
  return list;
}

std::string sum_of(int n) {
  std::string text = "x0";
  for (int i = 1; i < n; ++i) text += " + x" + std::to_string(i);
  return text;
}

Problem problem(std::string name, std::vector<Parameter> parameters,
                std::vector<std::string> constraints) {
  return {std::move(name), Space::make(std::move(parameters), std::move(constraints)).value()};
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  all.push_back(problem("half", reals(4), {"x0 + x1 <= x2 + x3"}));
  all.push_back(problem("slab", reals(3), {"abs(x0 - x1) <= 5e-5"}));
  all.push_back(problem("curved slab", reals(2), {"abs(x0 ^ 2 + x1 ^ 2 - 0.5) <= 1e-4"}));
  for (const int n : {3, 10, 20}) {
    all.push_back(problem("simplex", reals(n), {sum_of(n) + " = 1"}));
  }
  all.push_back(problem("stepped mixture", reals(4, 0.05), {sum_of(4) + " = 1", "x0 >= 2 * x1"}));
  all.push_back(problem(
      "network",
      {Parameter::integer("width", 8, 1024, true), Parameter::integer("layers", 1, 12),
       Parameter::ordinal("batch", {16, 32, 64, 128}),
       Parameter::categorical("solver", {"adam", "sgd", 3}),
       Parameter::categorical("fast", {true, false}), Parameter::real("rate", 1e-5, 1, true)},
      {"width * layers <= 512", "batch <= width", "solver != \"sgd\" or rate >= 0.01",
       "not fast or layers < 6"}));
  all.push_back(problem(
      "disjoint",
      {Parameter::real("x", -5, 5), Parameter::real("y", -5, 5), Parameter::integer("n", 0, 9)},
      {"x + 4 <= 0 and y > 4 or (x - 3) ^ 2 + (y + 3) ^ 2 <= 0.25", "n >= 8 or x > 0"}));
  all.push_back(problem("mixed mixture",
                        {Parameter::real("a", 0, 1), Parameter::real("b", 0, 1),
                         Parameter::real("c", 0.05, 1, false, 0.05), Parameter::integer("n", 0, 4),
                         Parameter::real("t", 20, 80, false, 0.1)},
                        {"a + b + c + n / 10 = 1", "t <= 20 + 50 * a"}));
  return all;
}

double objective(const Point& point) {
  double sum = 0.0;
  for (const Value& value : point) {
    if (const auto* real = std::get_if<double>(&value)) sum += *real;
    if (const auto* whole = std::get_if<std::int64_t>(&value))
      sum -= 0.01 * static_cast<double>(*whole);
  }
  return sum;
}

StudyOptions study_on(const Space& space, const std::string& method, std::int64_t batch) {
  StudyOptions options;
  options.space = space;
  options.budget = 1'000'000;
  options.optimizer = {.method = method, .seed = 3, .batch = batch, .budget = 64, .threads = 1};
  return options;
}

bool long_tests() {
  const char* const text = std::getenv("VBO_LONG_TESTS");
  return text && std::string_view(text) == "1";
}

// An ask that leaves the space is an error of Study, so value() is the check; once more by hand.
void expect_inside(const Space& space, const std::vector<Trial>& trials) {
  for (const Trial& trial : trials) {
    const Result<void> inside = space.check(trial.point);
    ASSERT_TRUE(inside) << inside.error().message;
  }
}

TEST(Constraints, CheapMethodsNeverViolateOne) {
  const std::int64_t each = (long_tests() ? 100'000 : 3'000) / 10;
  for (const char* method : {"random", "sobol", "cmaes"}) {
    for (const Problem& problem : problems()) {
      SCOPED_TRACE(std::string(method) + " on " + problem.name);
      Study study = Study::open(study_on(problem.space, method, 50)).value();
      std::int64_t asked = 0;
      while (asked < each) {
        const std::vector<Trial> trials = study.ask(50).value();
        if (trials.empty()) break;  // a small finite space is exhausted
        expect_inside(problem.space, trials);
        asked += std::ssize(trials);
        for (const Trial& trial : trials) study.tell(trial.id, objective(trial.point)).value();
      }
    }
  }
}

class ConstrainedMethod : public ::testing::TestWithParam<std::string> {};

// Every type of parameter and of constraint, killed in the middle.
TEST_P(ConstrainedMethod, StaysInsideAndResumesExactly) {
  const std::vector<Problem> all = problems();
  for (const std::size_t which : {std::size_t{7}, std::size_t{9}}) {
    const Problem& problem = all[which];
    SCOPED_TRACE(problem.name);
    const StudyOptions options = study_on(problem.space, GetParam(), 4);
    const auto play = [&](bool kill) {
      MemoryStorage storage;
      const auto open = [&] {
        return Study::open(options, {std::make_unique<MemoryStorage>(storage), nullptr}).value();
      };
      Study study = open();
      for (int round = 0; round < 4; ++round) {
        const std::vector<Trial> trials = study.ask(4).value();
        expect_inside(problem.space, trials);
        if (kill && round == 2) {
          kill_study(std::move(study), storage);
          study = open();
          EXPECT_EQ(study.warning(), "");
        }
        for (const Trial& trial : trials) study.tell(trial.id, objective(trial.point)).value();
      }
      return points_of(storage.load_trials(1, -1).value());
    };
    EXPECT_EQ(play(true), play(false));
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) names.push_back(info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, ConstrainedMethod, ::testing::ValuesIn(all_names()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// The optimum lies at the border of the region; a method that only took random points inside would
// stay far from it.
TEST(Constraints, MethodsSearchInsideTheRegion) {
  const Space space = problem("corner", reals(4), {"x0 + x1 + x2 + x3 <= 1"}).space;
  const auto best_of = [&](const std::string& method, std::uint64_t seed) {
    StudyOptions options = study_on(space, method, 8);
    options.optimizer.seed = seed;
    options.objectives = {{.goal = Goal::maximize}};
    Study study = Study::open(options).value();
    for (int round = 0; round < 12; ++round) {
      for (const Trial& trial : study.ask(8).value()) {
        double value = 0.0;
        for (int i = 0; i < 4; ++i)
          value += (i + 1) * std::get<double>(trial.point[static_cast<std::size_t>(i)]);
        study.tell(trial.id, value).value();
      }
    }
    return *study.best().value()->value();
  };
  const auto mean_best = [&](const std::string& method) {
    double sum = 0.0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) sum += best_of(method, seed);
    return sum / 5.0;
  };
  const double random = mean_best("random");
  EXPECT_GT(mean_best("cmaes"), random + 0.15);
  EXPECT_GT(mean_best("turbo"), 3.9);  // 4 at x3 = 1
  EXPECT_GT(mean_best("vbo"), 3.9);
  EXPECT_GT(mean_best("gp-logei"), 3.99);
}

}  // namespace
}  // namespace vbo
