// SPDX-License-Identifier: MIT
#include "exec/value_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vbo {
namespace {

double value(std::string_view line) {
  const auto parsed = parse_value_line(line);
  if (!parsed || !std::holds_alternative<double>(*parsed)) {
    ADD_FAILURE() << "no value in: " << line;
    return 0.0;
  }
  return std::get<double>(*parsed);
}

std::optional<FailureCause> cause(std::string_view line) {
  const auto parsed = parse_value_line(line);
  if (!parsed || !std::holds_alternative<Failure>(*parsed)) return std::nullopt;
  return std::get<Failure>(*parsed).cause;
}

TEST(ValueLine, ReadsNumbers) {
  EXPECT_EQ(value("1.25"), 1.25);
  EXPECT_EQ(value("  -3e-2\r"), -0.03);
  EXPECT_EQ(value("+7"), 7.0);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("1e-400"), 0.0);
}

TEST(ValueLine, ReadsJsonObjects) {
  EXPECT_EQ(value(R"({"value": 2.5})"), 2.5);
  EXPECT_EQ(value(R"({"loss": 9, "value": -1, "note": "a \"NaN\" in text"})"), -1.0);
  EXPECT_EQ(value(R"({"value": 4, "other": NaN, "s": "NaN \\"})"), 4.0);
}

TEST(ValueLine, NonFiniteIsAFailure) {
  for (const char* line : {"nan", "NaN", "-inf", "inf", "Infinity", "1e999", "-1e999",
                           R"({"value": NaN})", R"({"value": -Infinity})"}) {
    EXPECT_EQ(cause(line), FailureCause::non_finite) << line;
  }
}

TEST(ValueLine, ObjectWithoutANumberIsAFailure) {
  for (const char* line : {R"({"value": null})", R"({"value": "7"})", R"({"value": [1]})"}) {
    EXPECT_EQ(cause(line), FailureCause::no_value) << line;
  }
}

TEST(ValueLine, OtherLinesAreChatter) {
  for (const char* line :
       {"", "loss 1.5", "1.5 2.5", "0x10", "--1", "+-1", "1,5", R"({"loss": 1})", R"(["value", 1])",
        R"({"value": 1)", "{", R"({"value": 1e999})", "\xff\xfe"}) {
    EXPECT_FALSE(parse_value_line(line).has_value()) << line;
  }
}

TEST(FindValue, LastLineWithAValueWins) {
  Tail output(1000);
  output.append("1\n2\n{\"value\": 3}\nbye\n\n");
  EXPECT_EQ(std::get<double>(find_value(output)), 3.0);
}

TEST(FindValue, NeedsNoFinalNewline) {
  Tail output(1000);
  output.append("epoch 1\n0.5");
  EXPECT_EQ(std::get<double>(find_value(output)), 0.5);
}

TEST(FindValue, IgnoresALineThatLostItsBeginning) {
  Tail output(4);
  output.append("-12.5\n");
  EXPECT_EQ(output.text(), "2.5\n");
  EXPECT_EQ(std::get<Failure>(find_value(output)).cause, FailureCause::no_value);
}

TEST(Tail, KeepsTheEnd) {
  Tail tail(4);
  EXPECT_FALSE(tail.cut());
  for (const char* piece : {"ab", "cd"}) tail.append(piece);
  EXPECT_EQ(tail.text(), "abcd");
  EXPECT_FALSE(tail.cut());
  for (int i = 0; i < 100; ++i) tail.append("xyz");
  EXPECT_EQ(tail.text(), "zxyz");
  EXPECT_TRUE(tail.cut());
  tail.append("0123456789");
  EXPECT_EQ(tail.text(), "6789");
  tail.clear();
  EXPECT_EQ(tail.text(), "");
  EXPECT_FALSE(tail.cut());
}

TEST(Reply, TellsAnswersFromChatter) {
  const Reply answer = parse_reply(R"({"id": 7, "value": 1.25})");
  EXPECT_EQ(answer.kind, Reply::Kind::answer);
  EXPECT_EQ(answer.id, 7);
  EXPECT_EQ(std::get<double>(answer.result), 1.25);

  const Reply error = parse_reply(R"({"id": 7, "error": "no mesh"})");
  EXPECT_EQ(error.kind, Reply::Kind::answer);
  EXPECT_EQ(std::get<Failure>(error.result), (Failure{FailureCause::reported, "no mesh"}));

  const Reply nan = parse_reply(R"({"id": 7, "value": NaN})");
  EXPECT_EQ(nan.kind, Reply::Kind::answer);
  EXPECT_EQ(std::get<Failure>(nan.result).cause, FailureCause::non_finite);

  for (const char* line : {"loading model", "1.5", R"({"event": "ready"})", "[1]", ""}) {
    EXPECT_EQ(parse_reply(line).kind, Reply::Kind::other) << line;
  }
  for (const char* line :
       {R"({"value": 1})", R"({"id": "7", "value": 1})", R"({"id": 7, "value": })"}) {
    EXPECT_EQ(parse_reply(line).kind, Reply::Kind::malformed) << line;
  }
}

}  // namespace
}  // namespace vbo
