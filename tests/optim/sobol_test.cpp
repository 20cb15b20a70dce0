// SPDX-License-Identifier: MIT
#include "optim/sobol/sobol.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

namespace vbo {
namespace {

Space space() {
  return Space::make({Parameter::real("x", 0, 1), Parameter::integer("n", 0, 7),
                      Parameter::categorical("c", {"a", "b", "c", "d"}),
                      Parameter::real("fixed", 2, 2)})
      .value();
}

std::vector<Point> points(std::uint64_t seed, std::vector<TrialId> ids) {
  SobolSearch search(space(), {.method = "sobol", .seed = seed}, {});
  std::vector<Point> all;
  for (const Suggestion& s : search.ask(ids)) all.push_back(s.point);
  return all;
}

TEST(SobolSearch, BalancesEveryParameter) {
  std::vector<TrialId> ids(64);
  std::iota(ids.begin(), ids.end(), 1);
  std::set<int> cells;
  std::map<std::int64_t, int> integers;
  std::map<std::string, int> choices;
  for (const Point& p : points(5, ids)) {
    ASSERT_TRUE(space().check(p));
    cells.insert(static_cast<int>(std::get<double>(p[0]) * 64.0));
    ++integers[std::get<std::int64_t>(p[1])];
    ++choices[std::get<std::string>(p[2])];
  }
  EXPECT_EQ(cells.size(), 64U);
  for (const auto& [value, count] : integers) EXPECT_EQ(count, 8) << value;
  for (const auto& [choice, count] : choices) EXPECT_EQ(count, 16) << choice;
}

TEST(SobolSearch, APointDependsOnSeedAndIdAlone) {
  const std::vector<Point> together = points(5, {1, 2, 3, 4});
  EXPECT_EQ(points(5, {3})[0], together[2]);
  EXPECT_EQ(points(5, {4, 2})[1], together[1]);
  EXPECT_NE(points(6, {3})[0], together[2]);
}

TEST(SobolSearch, AllFixedIsOnePoint) {
  const Space one = Space::make({Parameter::real("x", 3, 3)}).value();
  SobolSearch search(one, {.method = "sobol"}, {});
  const std::vector<TrialId> ids = {1};
  EXPECT_EQ(search.ask(ids)[0].point, Point{Value(3.0)});
}

}  // namespace
}  // namespace vbo
