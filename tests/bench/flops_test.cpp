// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/flops_counted.hpp"
#include "bench/flops_model.hpp"

namespace vbo::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::int64_t> totals(const CostModel& model, const std::string& method) {
  std::vector<std::int64_t> all;
  for (const CostRow& row : model.rows) {
    if (row.method != method) continue;
    for (const Cost& cost : row.costs) all.push_back(cost.total());
  }
  return all;
}

TEST(PublishedFlops, AreExactlyTheIntegersOfThePapersFormulas) {
  const CostModel model = published_model();
  EXPECT_THAT(totals(model, "GP (exact)"), ElementsAre(6'000'000, 250'000'000, 1'500'000'000));
  EXPECT_THAT(totals(model, "HMC-BNN"), ElementsAre(1'250'000'000, 5'250'000'000, 10'250'000'000));
  EXPECT_THAT(totals(model, "DKL"), ElementsAre(12'000'000, 260'000'000, 1'515'000'000));
  EXPECT_THAT(totals(model, "LLA"),
              ElementsAre(1'050'001'000'000, 1'050'005'000'000, 1'050'010'000'000));
  EXPECT_THAT(totals(model, "VBO-MI"), ElementsAre(132'000, 260'000, 420'000));
  const Cost& vbo = model.rows.back().costs[0];
  EXPECT_EQ(vbo.surrogate, 32'000);
  EXPECT_EQ(vbo.acquisition, 100'000);
  EXPECT_THAT(to_markdown(model), HasSubstr("1 050 001 000 000"));
  const auto json = nlohmann::json::parse(to_json(model));
  EXPECT_EQ(json.at("rows").size(), 15U);
  EXPECT_EQ(json.at("constants").at("N_starts"), 10);
}

TEST(RealisticFlops, PutConstantsBack) {
  const CostModel model = realistic_model();
  // 6 * 30336 * K_a = 910 080 operations per step of one of 64 sequences; 640 (6 W + 4 * 30336).
  EXPECT_EQ(totals(model, "VBO-MI").at(0), 910'080LL * 100 * 64 + 640LL * (60'000 + 121'344));
  EXPECT_THAT(totals(model, "FocalBO"), ElementsAre(76'250'000, 276'250'000, 526'250'000));
  EXPECT_EQ(totals(model, "HMC-BNN").at(0), 7'000'000'000);
  for (const CostRow& row : model.rows) {
    for (const Cost& cost : row.costs) EXPECT_GT(cost.total(), 0);
  }
}

TEST(CountedFlops, MeasuresARealRoundAtEachSize) {
  const CountReport report = count_operations({.task = "sphere?dim=3",
                                               .methods = {"cmaes", "random"},
                                               .observations = {40, 8},
                                               .batch = 8})
                                 .value();
  ASSERT_EQ(report.rows.size(), 4U);
  EXPECT_EQ(report.rows[0].method, "cmaes");
  EXPECT_EQ(report.rows[0].observations, 8);
  EXPECT_EQ(report.rows[1].observations, 40);
  EXPECT_GT(report.rows[1].flops(), 0U);
  EXPECT_EQ(report.rows[2].flops(), 0U);  // random search computes nothing
  EXPECT_THAT(to_markdown(report), HasSubstr("FLOP round"));
  EXPECT_EQ(nlohmann::json::parse(to_json(report)).at("rows").size(), 4U);
  EXPECT_EQ(to_json(count_report_from(to_json(report)).value()), to_json(report));
  EXPECT_FALSE(count_report_from("{}"));
  const Figure figure = figure_of(report);
  ASSERT_EQ(figure.panels.size(), 4U);  // closed forms twice, operations, seconds
  const auto& curves = figure.panels[0].series;
  const auto vbo = std::find_if(curves.begin(), curves.end(),
                                [](const Series& s) { return s.label == "vbo-paper"; });
  ASSERT_NE(vbo, curves.end());
  EXPECT_EQ(vbo->x.front(), 8.0);
  EXPECT_EQ(vbo->y.front(), 5.0 * 8 * 64 + 10.0 * 10'000);  // K_a T H + K_b W
  EXPECT_EQ(vbo->x.back(), 40.0);
}

TEST(CountedFlops, LeavesOutWhatWouldTakeTooLongAndNamesMistakes) {
  const CountReport report =
      count_operations(
          {.methods = {"random"}, .observations = {10, 1000}, .batch = 4, .limit_seconds = 0.0})
          .value();
  EXPECT_TRUE(report.rows[0].measured);
  EXPECT_FALSE(report.rows[1].measured);
  const auto wrong = count_operations({.methods = {"random?beta=1"}, .observations = {10}});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("beta"));
}

}  // namespace
}  // namespace vbo::bench
