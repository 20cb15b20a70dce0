// SPDX-License-Identifier: MIT
#include "cli/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vbo::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

CsvTable parsed(std::string_view text) { return parse_csv(text, "t.csv").value(); }
std::string error_of(std::string_view text) { return parse_csv(text, "t.csv").error().message; }

std::vector<std::string> texts(const std::vector<CsvCell>& cells) {
  std::vector<std::string> out;
  for (const CsvCell& cell : cells) out.push_back(cell.text);
  return out;
}
using Texts = std::vector<std::string>;

TEST(Csv, PlainTable) {
  const CsvTable t = parsed("a,b\n1, 2 \n\n-3,4e5\n");
  EXPECT_EQ(texts(t.header), (Texts{"a", "b"}));
  ASSERT_EQ(t.rows.size(), 2U);
  EXPECT_EQ(texts(t.rows[0]), (Texts{"1", "2"}));
  EXPECT_EQ(t.rows[1][1].line, 4);
  EXPECT_EQ(t.rows[1][1].column, 4);
}

TEST(Csv, QuotesLineEndingsSeparatorsAndByteOrderMark) {
  const CsvTable t =
      parsed("\xEF\xBB\xBF\"a, b\";c\r\n\"say \"\"hi\"\"\";\"two\nlines\"\r\nx;\r\n");
  EXPECT_EQ(texts(t.header), (Texts{"a, b", "c"}));
  EXPECT_EQ(texts(t.rows[0]), (Texts{"say \"hi\"", "two\nlines"}));
  EXPECT_EQ(texts(t.rows[1]), (Texts{"x", ""}));
  EXPECT_EQ(t.rows[1][0].line, 4);
  EXPECT_EQ(texts(parsed("a\tb\n1\t\n").rows[0]), (Texts{"1", ""}));
  EXPECT_EQ(texts(parsed("a,b\r1,2\r3,4").rows[1]), (Texts{"3", "4"}));
}

TEST(Csv, BrokenTablesSayWhere) {
  EXPECT_THAT(error_of("a,b\n1,2\n3\n"), StartsWith("t.csv:3:1: "));
  EXPECT_THAT(error_of("a,b\n1,\"2\n"), StartsWith("t.csv:2:3: "));
  EXPECT_THAT(error_of("a,b\n\"1\"x,2\n"), StartsWith("t.csv:2:4: "));
  EXPECT_THAT(error_of(""), HasSubstr("empty"));
  EXPECT_FALSE(read_csv("/nonexistent/file.csv"));
}

TEST(Csv, ColumnsOfNumbersAndLabels) {
  const CsvTable t = parsed("id,a,kind,code\n1,+1.5,red,1\n2,-2e-3,blue,2\n");
  const auto columns = select_columns(t, {.names = {"a", "kind", "code"}, .categorical = {"code"}});
  ASSERT_TRUE(columns) << columns.error().message;
  EXPECT_EQ((*columns)[0].numbers, (std::vector<double>{1.5, -2e-3}));
  EXPECT_EQ((*columns)[1].labels, (Texts{"red", "blue"}));
  EXPECT_EQ((*columns)[2].labels, (Texts{"1", "2"}));
}

TEST(Csv, ColumnErrorsNameTheCell) {
  const CsvTable t = parsed("a,b,c\n1,2,x\n2, oops,y\n3,,z\n4,inf,z\n");
  const auto message = [&](const ColumnChoice& choice) {
    return select_columns(t, choice).error().message;
  };
  EXPECT_THAT(message({.names = {"b"}}), StartsWith("t.csv:3:4: column \"b\" has \"oops\""));
  EXPECT_THAT(message({.names = {"missing"}}), HasSubstr("a, b, c"));
  const CsvTable holes = parsed("a,b\n1,2\n2,\n3,4\n5,inf\n");
  EXPECT_THAT(select_columns(holes, {.names = {"b"}}).error().message, StartsWith("t.csv:3:3: "));
  EXPECT_THAT(select_columns(holes, {.names = {"b"}, .skip_missing = true}).error().message,
              HasSubstr("not finite"));
  const CsvTable skippable = parsed("a,b\n1,2\n2,NA\n3,4\n");
  const auto columns = select_columns(skippable, {.names = {"a", "b"}, .skip_missing = true});
  ASSERT_TRUE(columns);
  EXPECT_EQ((*columns)[0].numbers, (std::vector<double>{1.0, 3.0}));
}

TEST(Csv, IdentifiersAreNotCategories) {
  std::string text = "name,y\n";
  for (int i = 0; i <= kMostCategories; ++i) text += "id" + std::to_string(i) + ",1\n";
  EXPECT_THAT(select_columns(parsed(text), {.names = {"name"}}).error().message,
              HasSubstr("identifier"));
}

}  // namespace
}  // namespace vbo::cli
