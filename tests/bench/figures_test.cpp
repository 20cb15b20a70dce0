// SPDX-License-Identifier: MIT
#include "bench/figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "bench/compare.hpp"

namespace vbo::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Whether every element is closed, in order, and no attribute or text holds a bare < or &.
// Enough of XML for documents without comments or CDATA.
::testing::AssertionResult well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] == '&') {
      const std::string rest = xml.substr(at, 6);
      if (!rest.starts_with("&amp;") && !rest.starts_with("&lt;") && !rest.starts_with("&gt;") &&
          !rest.starts_with("&quot;")) {
        return ::testing::AssertionFailure() << "bare & near " << xml.substr(at, 40);
      }
    }
    if (xml[at] != '<') {
      ++at;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return ::testing::AssertionFailure() << "unclosed tag";
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos || std::count(tag.begin(), tag.end(), '"') % 2 != 0) {
      return ::testing::AssertionFailure() << "broken tag <" << tag;
    }
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.starts_with("/")) {
      if (open.empty() || "/" + open.back() != tag) {
        return ::testing::AssertionFailure() << "unexpected <" << tag << ">";
      }
      open.pop_back();
    } else if (!tag.ends_with("/")) {
      open.push_back(name);
    }
    at = end + 1;
  }
  if (!open.empty()) return ::testing::AssertionFailure() << "never closed: " << open.back();
  return ::testing::AssertionSuccess();
}

JobResult made(const std::string& task, const std::string& method, std::int64_t batch,
               std::uint64_t seed, double speed) {
  JobResult r{.job = {.task = task, .method = method, .batch = batch, .rounds = 4, .seed = seed}};
  r.task.optimum = 1.0;
  for (std::int64_t t = 1; t <= 4; ++t) {
    const double gap = std::exp(-speed * static_cast<double>(t)) / static_cast<double>(seed);
    r.rounds.push_back({.round = t,
                        .evaluations = t * batch,
                        .best = 1.0 - gap,
                        .batch_mean = -gap,
                        .average_reward = -2 * gap});
  }
  return r;
}

std::vector<std::string> names(const std::vector<NamedFigure>& figures) {
  std::vector<std::string> all;
  for (const NamedFigure& f : figures) all.push_back(f.name);
  return all;
}

const Figure& named(const std::vector<NamedFigure>& figures, const std::string& name) {
  return std::find_if(figures.begin(), figures.end(), [&](const auto& f) { return f.name == name; })
      ->figure;
}

TEST(Figures, CurvesHaveMediansQuartilesAndAnOrderedLegend) {
  std::vector<JobResult> jobs;
  for (const std::uint64_t seed : {1, 2, 4}) {
    jobs.push_back(made("a<b&c", "slow", 8, seed, 0.5));
    jobs.push_back(made("a<b&c", "fast", 8, seed, 2.0));
  }
  const auto figures = figures_of(jobs);
  EXPECT_THAT(names(figures), ElementsAre("a-b-c-b8-best", "a-b-c-b8-reward"));
  const Panel& panel = figures[0].figure.panels.at(0);
  EXPECT_TRUE(panel.y.log);  // the optimum is known: the gap is drawn
  EXPECT_EQ(panel.series.at(0).label, "fast");
  EXPECT_DOUBLE_EQ(panel.series[0].x.at(3), 32.0);
  EXPECT_NEAR(panel.series[0].y.at(3), std::exp(-8.0) / 2, 1e-12);
  EXPECT_NEAR(panel.series[0].low.at(3), std::exp(-8.0) * 0.375, 1e-12);
  EXPECT_NEAR(panel.series[0].high.at(3), std::exp(-8.0) * 0.75, 1e-12);
  for (const NamedFigure& f : figures) EXPECT_TRUE(well_formed(to_svg(f.figure)));
  const std::string svg = to_svg(figures[0].figure);
  EXPECT_THAT(svg, HasSubstr("a&lt;b&amp;c"));
  EXPECT_LT(svg.find(">fast<"), svg.find(">slow<"));
}

TEST(Figures, WithoutAProvenOptimumOrBeyondItTheValueItselfIsDrawn) {
  std::vector<JobResult> jobs = {made("t", "m", 8, 1, 1.0)};
  jobs[0].task.optimum_proven = false;
  EXPECT_FALSE(figures_of(jobs)[0].figure.panels[0].y.log);
  jobs[0].task.optimum_proven = true;
  jobs[0].rounds[3].best = 1.1;
  EXPECT_FALSE(figures_of(jobs)[0].figure.panels[0].y.log);
}

TEST(Figures, OneValueFarBelowAllOthersIsCutOff) {
  std::vector<JobResult> jobs;
  for (const char* method : {"a", "b", "c", "d"}) jobs.push_back(made("t", method, 8, 1, 0.5));
  const auto axis = [&] { return named(figures_of(jobs), "t-b8-reward").panels[0].y; };
  EXPECT_EQ(axis().low, axis().high);  // taken from the data
  jobs[3].rounds[0].average_reward = -1e9;
  EXPECT_GT(axis().low, -10.0);
  EXPECT_GT(axis().high, jobs[0].rounds[3].average_reward);
  EXPECT_THAT(axis().label, HasSubstr("cut off"));
}

TEST(Figures, TheFlagshipLiesOnTopOfBetterOnes) {
  const std::vector<JobResult> jobs = {made("t", "vbo", 8, 1, 0.5), made("t", "cmaes", 8, 1, 2.0)};
  const Figure figure = named(figures_of(jobs), "t-b8-reward");
  EXPECT_EQ(figure.panels[0].series[0].label, "cmaes");
  const std::string svg = to_svg(figure);
  const auto drawn = [&](const std::string& method) {
    return svg.find("fill=\"none\" stroke=\"" + style_of(method).colour);
  };
  EXPECT_LT(drawn("cmaes"), drawn("vbo"));
  EXPECT_THAT(svg, HasSubstr("font-weight=\"bold\">vbo<"));
}

TEST(Figures, AVariantBearsTheNameAndLookOfItsMethodUnlessThereAreTwo) {
  std::vector<JobResult> jobs;
  for (const char* beta : {"0.1", "10"}) {
    jobs.push_back(made("t", std::string("hmc?acquisition=ucb&beta=") + beta, 8, 1, 1.0));
  }
  const auto first = [&] { return named(figures_of(jobs), "beta-reward").panels[0].series[0]; };
  EXPECT_EQ(first().label, "hmc");
  EXPECT_EQ(first().style.dash, style_of("hmc").dash);
  EXPECT_EQ(first().style.colour, style_of("hmc").colour);
  jobs.push_back(made("t", "hmc?beta=0.1", 8, 1, 0.2));
  EXPECT_EQ(first().label, "hmc?acquisition=ucb");
  EXPECT_NE(first().style.dash, style_of("hmc").dash);
}

TEST(Figures, SweepsOfBatchAndOptionsGetTheirOwn) {
  std::vector<JobResult> jobs;
  for (const std::int64_t batch : {8, 64}) {
    for (const char* method : {"vbo?beta=0.1", "vbo?beta=10", "random"}) {
      jobs.push_back(made("t", method, batch, 1, 1.0));
      jobs.push_back(made("u", method, batch, 1, 1.0));
    }
  }
  const auto figures = figures_of(jobs);
  for (const char* name : {"overview-best", "overview-reward", "batch-size-best",
                           "batch-size-reward", "beta-best", "beta-reward"}) {
    EXPECT_THAT(names(figures), ::testing::Contains(std::string(name)));
  }
  const Figure& beta = named(figures, "beta-reward");
  EXPECT_EQ(beta.panels.size(), 4U);
  EXPECT_EQ(beta.panels[0].series.size(), 1U);
  EXPECT_EQ(beta.panels[0].series[0].label, "vbo");
  EXPECT_THAT(beta.panels[0].series[0].x, ElementsAre(0.1, 10.0));
  EXPECT_TRUE(beta.panels[0].x.log);
  EXPECT_EQ(named(figures, "batch-size-reward").panels[0].series.size(), 3U);
  for (const NamedFigure& f : figures) EXPECT_TRUE(well_formed(to_svg(f.figure))) << f.name;
}

TEST(Chart, SurvivesMissingConstantAndExtremeData) {
  const double nan = std::nan("");
  Panel panel{.title = "p", .x = {.label = "x"}, .y = {.label = "y", .log = true}, .series = {}};
  panel.series.push_back({.label = "none", .x = {1, 2}, .y = {nan, -1}});
  EXPECT_TRUE(well_formed(to_svg({.title = "", .panels = {panel}})));
  panel.series.push_back({.label = "one", .x = {1}, .y = {5}, .low = {-1}, .high = {6}});
  panel.series.push_back({.label = "wide", .x = {1, 2}, .y = {1e-300, 1e300}});
  const std::string svg = to_svg({.title = "t", .panels = {panel, panel, panel}, .columns = 2});
  EXPECT_TRUE(well_formed(svg));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_TRUE(well_formed(to_svg({})));
}

TEST(Chart, TicksAreRoundAndInside) {
  EXPECT_THAT(ticks(0, 10, false), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(ticks(0.05, 2000, true), ElementsAre(0.1, 1, 10, 100, 1000));
  EXPECT_THAT(ticks(8, 128, true), ElementsAre(10, 100));
  EXPECT_THAT(ticks(2, 9, true), ElementsAre(2, 5));
  EXPECT_THAT(ticks(12, 21, true), ElementsAre(12, 14, 16, 18, 20));
}

TEST(Chart, MethodsOfThePaperLookDifferent) {
  std::vector<std::string> seen;
  for (const char* method : {"vbo", "vbo-paper", "vbo-gp-exploration", "vbo-gp-exploitation",
                             "gp-logei", "gp-ei", "gp-ucb", "focal", "dkl", "ibnn", "hmc", "sghmc",
                             "laplace", "turbo", "cmaes", "sobol", "random"}) {
    const Style style = style_of(method);
    seen.push_back(style.colour + "|" + style.dash);
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

TEST(Compare, CountsSeedsWonAndTasks) {
  std::vector<JobResult> jobs;
  for (const std::uint64_t seed : {1, 2, 3}) {
    jobs.push_back(made("t", "a", 8, seed, 2.0));
    jobs.push_back(made("t", "b", 8, seed, seed == 3 ? 3.0 : 1.0));
  }
  jobs.push_back(made("t", "a", 8, 9, 2.0));  // no partner: left out
  const ComparisonReport report = compare_methods(jobs, "a", "b");
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].pairs, 3);
  EXPECT_EQ(report.rows[0].wins_first, 2);
  EXPECT_EQ(report.rows[0].wins_second, 1);
  EXPECT_EQ(report.tasks_first, 1);
  EXPECT_NEAR(report.rows[0].first, 1.0 - std::exp(-8.0) / 2, 1e-12);
  EXPECT_NEAR(compare_methods(jobs, "a", "b", {.at = 1}).rows[0].first, 1.0 - std::exp(-2.0) / 2,
              1e-12);
  EXPECT_THAT(to_markdown(report, "a", "b"), HasSubstr("a has the higher median on 1"));
  EXPECT_EQ(report.rows[0].verdict, Verdict::tie);  // two seeds against one
  EXPECT_LT(report.rows[0].low, 0.0);
  EXPECT_GT(report.rows[0].high, 0.0);
  std::vector<JobResult> clear;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    clear.push_back(made("t", "a", 8, seed, 2.0 + 0.01 * static_cast<double>(seed)));
    clear.push_back(made("t", "b", 8, seed, 1.0));
  }
  EXPECT_EQ(compare_methods(clear, "a", "b").rows[0].verdict, Verdict::first);
  EXPECT_EQ(compare_methods(clear, "b", "a").rows[0].verdict, Verdict::second);
  EXPECT_EQ(compare_methods(clear, "b", "a").verdicts_second, 1);
  const ComparisonReport same = compare_sets(jobs, jobs, {.measure = Measure::reward});
  EXPECT_EQ(same.rows.size(), 2U);
  EXPECT_EQ(same.tasks_equal, 2);
  EXPECT_EQ(same.rows[0].p, 1.0);
}

}  // namespace
}  // namespace vbo::bench
