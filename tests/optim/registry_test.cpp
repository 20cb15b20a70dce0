// SPDX-License-Identifier: MIT
#include "optim/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace vbo {
namespace {

using ::testing::HasSubstr;

Space small_space() {
  return Space::make({Parameter::real("x", -1, 1), Parameter::integer("n", 1, 9),
                      Parameter::categorical("c", {"a", "b"})})
      .value();
}

TEST(Registry, UnknownNamesAreExplained) {
  const auto misspelt = make_optimizer(small_space(), {.method = "randon"});
  ASSERT_FALSE(misspelt);
  EXPECT_THAT(misspelt.error().message, HasSubstr("did you mean \"random\""));
  OptimizerOptions options{.method = "random"};
  options.settings["beta"] = 0.1;
  const auto unknown_option = make_optimizer(small_space(), options);
  ASSERT_FALSE(unknown_option);
  EXPECT_THAT(unknown_option.error().message, HasSubstr("unknown option \"beta\""));
}

TEST(Registry, EarlierNamesOfOptionsWorkWithANote) {
  OptimizerOptions options{.method = "vbo"};
  options.settings["screening"] = std::int64_t{4};
  EXPECT_TRUE(make_optimizer(small_space(), options));
  EXPECT_THAT(renamed_options(options.settings),
              ::testing::ElementsAre(HasSubstr("now called \"preselection\"")));
  options.settings["preselection"] = std::int64_t{4};
  const auto both = make_optimizer(small_space(), options);
  ASSERT_FALSE(both);
  EXPECT_THAT(both.error().message, HasSubstr("both names are given"));
  options.settings.clear();
  options.settings["screening"] = std::int64_t{0};  // is read, not ignored
  const auto wrong = make_optimizer(small_space(), options);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().field, "preselection");
  EXPECT_TRUE(renamed_options({{"preselection", std::int64_t{4}}}).empty());
}

// What every method owes: points inside the space, the same for the same calls.
class EveryMethod : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, SuggestsRepeatablyInsideTheSpace) {
  const auto run = [&] {
    auto optimizer =
        make_optimizer(small_space(), {.method = GetParam(), .seed = 3, .batch = 4}).value();
    std::vector<Point> points;
    TrialId next = 1;
    for (int round = 0; round < 4; ++round) {
      std::vector<TrialId> ids(4);
      std::iota(ids.begin(), ids.end(), next);
      next += 4;
      std::vector<Trial> told;
      for (const Suggestion& s : optimizer->ask(ids)) {
        points.push_back(s.point);
        Trial trial;
        trial.id = ids[told.size()];
        trial.point = s.point;
        trial.state = TrialState::completed;
        trial.values = {-std::get<double>(s.point[0])};
        told.push_back(trial);
      }
      optimizer->tell(told);
    }
    return points;
  };
  const std::vector<Point> points = run();
  ASSERT_EQ(points.size(), 16U);
  for (const Point& point : points) EXPECT_TRUE(small_space().check(point));
  EXPECT_EQ(points, run());
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods()) names.push_back(info.name);
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryMethod, ::testing::ValuesIn(all_names()), test_name);

}  // namespace
}  // namespace vbo
