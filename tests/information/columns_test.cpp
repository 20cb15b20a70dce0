// SPDX-License-Identifier: MIT
#include "information/columns.hpp"

#include <gtest/gtest.h>

#include "numerics/scores.hpp"

namespace vbo {
namespace {

TEST(Columns, NumbersBecomeNormalScores) {
  std::vector<double> values(40);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1e6 * static_cast<double>(i * i);
  const std::vector<DataColumn> columns{{.name = "a", .numbers = values}};
  const EncodedColumns e = encode_columns(columns);
  ASSERT_EQ(e.values.rows(), 1);
  EXPECT_EQ(Vector(e.values.row(0)), normal_scores(Eigen::Map<Vector>(values.data(), 40)));
  EXPECT_TRUE(e.constant.empty());
}

TEST(Columns, FewValuesAndLabelsGetIndicators) {
  const std::vector<DataColumn> columns{{.name = "dice", .numbers = {1, 2, 3, 3, 2, 1}},
                                        {.name = "coin", .numbers = {0, 1, 0, 1, 0, 1}},
                                        {.name = "color", .labels = {"r", "g", "b", "r", "r", "g"}},
                                        {.name = "side", .labels = {"l", "r", "l", "r", "l", "l"}}};
  const EncodedColumns e = encode_columns(columns);
  // 3 indicators + score, score only, 3 indicators, 1 indicator.
  ASSERT_EQ(e.values.rows(), 4 + 1 + 3 + 1);
  EXPECT_LT(e.values.rowwise().mean().cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(e.values(0, 0) - e.values(0, 1), 1.0, 1e-15);
  EXPECT_EQ(count_categories(columns[2]), 3);
}

TEST(Columns, ConstantColumnsAreNamedAndLeftOut) {
  const std::vector<DataColumn> columns{{.name = "same", .numbers = {5, 5, 5}},
                                        {.name = "label", .labels = {"x", "x", "x"}}};
  const EncodedColumns e = encode_columns(columns);
  EXPECT_EQ(e.values.rows(), 0);
  EXPECT_EQ(e.values.cols(), 3);
  EXPECT_EQ(e.constant, (std::vector<std::string>{"same", "label"}));
}

}  // namespace
}  // namespace vbo
