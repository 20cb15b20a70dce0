// SPDX-License-Identifier: MIT
#include "exec/value_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vbo {
namespace {

double value(std::string_view line) {
  const auto parsed = parse_value_line(line);
  if (!parsed || !parsed->value()) {
    ADD_FAILURE() << "no value in: " << line;
    return 0.0;
  }
  return *parsed->value();
}

std::optional<FailureCause> cause(std::string_view line) {
  const auto parsed = parse_value_line(line);
  if (!parsed || !parsed->failure) return std::nullopt;
  return parsed->failure->cause;
}

Outcome found_in(std::string_view printed) {
  Tail output(1000);
  output.append(printed);
  return find_value(output);
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
  for (const char* line :
       {"nan", "NaN", "-inf", "inf", "Infinity", "1e999", "-1e999", R"({"value": NaN})",
        R"({"value": -Infinity})", R"({"value": nan})", R"({"value": -nan})", R"({"value": inf})",
        R"({"value": 1e999})", R"({"value": -1e999, "note": "nan"})"}) {
    EXPECT_EQ(cause(line), FailureCause::non_finite) << line;
  }
}

TEST(ValueLine, ObjectWithoutANumberIsAFailure) {
  for (const char* line : {R"({"value": null})", R"({"value": "7"})", R"({"value": [1]})"}) {
    EXPECT_EQ(cause(line), FailureCause::no_value) << line;
  }
}

TEST(ValueLine, OtherLinesAreChatter) {
  for (const char* line : {"", "loss 1.5", "1.5 2.5", "0x10", "--1", "+-1", "1,5", R"({"loss": 1})",
                           R"(["value", 1])", R"({"value": 1)", "{", "\xff\xfe"}) {
    EXPECT_FALSE(parse_value_line(line).has_value()) << line;
  }
}

TEST(ValueLine, SeveralObjectivesHaveAValueEach) {
  const std::vector<Objective> two = {{"error"}, {"speed", Goal::maximize}};
  const auto parsed = parse_value_line(
      R"({"values": {"speed": 2, "error": 1.5}, "sem": {"error": 0.1, "speed": 0.2}})", two);
  ASSERT_TRUE(parsed && !parsed->failure);
  EXPECT_THAT(parsed->values, testing::ElementsAre(1.5, 2.0));
  EXPECT_THAT(parsed->standard_error, testing::ElementsAre(0.1, 0.2));
  const auto message = [&](std::string_view line) {
    Tail output(1000);
    output.append(line);
    const Outcome outcome = find_value(output, two);
    return outcome.failure ? outcome.failure->message : "";
  };
  using testing::HasSubstr;
  EXPECT_THAT(message("noise\n{\"values\": {\"error\": 1}}"), HasSubstr("has no \"speed\""));
  EXPECT_THAT(message(R"({"values": {"error": 1, "speed": 1, "sped": 1}})"),
              HasSubstr("has \"sped\", which is no objective, did you mean \"speed\"?"));
  EXPECT_THAT(message(R"({"values": {"error": 1, "speed": inf}})"),
              HasSubstr("the value of \"speed\" is inf"));
  EXPECT_THAT(message("1.5"), HasSubstr("the last line it printed is 1.5"));
  EXPECT_THAT(message(""), HasSubstr(R"({"values": {"error": NUMBER, "speed": NUMBER}})"));
  EXPECT_FALSE(parse_value_line("1.5", two));
  EXPECT_EQ(parse_reply(R"({"id": 3, "values": {"error": 1, "speed": 2}})", two).kind,
            Reply::Kind::answer);
  EXPECT_EQ(parse_reply(R"({"id": 3, "values": {"error": 1, "speed": 2}})").kind,
            Reply::Kind::other);
}

TEST(ValueLine, ReadsMetrics) {
  const auto parsed =
      parse_value_line(R"({"value": 1.25, "metrics": {"stress": 240, "mass": 3.5}})");
  ASSERT_TRUE(parsed && parsed->value());
  EXPECT_THAT(parsed->metrics,
              testing::ElementsAre(testing::Pair("mass", 3.5), testing::Pair("stress", 240.0)));
  EXPECT_EQ(cause(R"({"value": 1, "metrics": {"a": nan}})"), FailureCause::non_finite);
  EXPECT_EQ(cause(R"({"value": 1, "metrics": {"a": "x"}})"), FailureCause::no_value);
  EXPECT_EQ(cause(R"({"value": 1, "metrics": [1]})"), FailureCause::no_value);
  EXPECT_EQ(cause(R"({"value": 1, "metrics": {"": 1}})"), FailureCause::no_value);
  std::string many = R"({"value": 1, "metrics": {)";
  for (int i = 0; i <= 256; ++i) many += (i ? ", \"m" : "\"m") + std::to_string(i) + "\": 1";
  EXPECT_EQ(cause(many + "}}"), FailureCause::no_value);
}

TEST(ValueLine, DeepNestingIsNoAnswerAndNoCrash) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_FALSE(parse_value_line("{\"value\": " + deep + "}").has_value());
  const Reply reply = parse_reply("{\"id\": 1, \"error\": " + deep + "}");
  EXPECT_EQ(reply.kind, Reply::Kind::malformed);
  EXPECT_LT(reply.result.failure->message.size(), 200U);
  // As deep as is allowed is an answer like any other.
  const std::string allowed = std::string(63, '[') + std::string(63, ']');
  EXPECT_EQ(cause("{\"value\": " + allowed + "}"), FailureCause::no_value);
}

TEST(FindValue, LastLineWithAValueWins) {
  EXPECT_EQ(found_in("1\n2\n{\"value\": 3}\nbye\n\n").value(), 3.0);
}

TEST(FindValue, NeedsNoFinalNewline) { EXPECT_EQ(found_in("epoch 1\n0.5").value(), 0.5); }

TEST(FindValue, ANumberBeforeAMalformedAnswerIsNotTheValue) {
  EXPECT_EQ(found_in("100\n{\"value\": nan}\n").failure->cause, FailureCause::non_finite);
  for (const char* last :
       {"{\"value\": }", "{\"vlaue\": 3}", "{\"value\": 3", "{\n \"value\": 3\n}"}) {
    const Outcome outcome = found_in("100\n" + std::string(last) + "\n\n");
    ASSERT_TRUE(outcome.failure) << last;
    EXPECT_EQ(outcome.failure->cause, FailureCause::no_value);
    EXPECT_THAT(outcome.failure->message, testing::HasSubstr("the last line it printed is"));
  }
  EXPECT_EQ(found_in("{\"loss\": 1}\n100\nbye\n").value(), 100.0);  // earlier chatter is fine
}

TEST(FindValue, IgnoresALineThatLostItsBeginning) {
  Tail output(4);
  output.append("-12.5\n");
  EXPECT_EQ(output.text(), "2.5\n");
  EXPECT_EQ(find_value(output).failure->cause, FailureCause::no_value);
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
  EXPECT_EQ(answer.result.value(), 1.25);

  const Reply error = parse_reply(R"({"id": 7, "error": "no mesh"})");
  EXPECT_EQ(error.kind, Reply::Kind::answer);
  EXPECT_EQ(error.result.failure, (Failure{FailureCause::reported, "no mesh"}));

  const Reply nan = parse_reply(R"({"id": 7, "value": NaN})");
  EXPECT_EQ(nan.kind, Reply::Kind::answer);
  EXPECT_EQ(nan.result.failure->cause, FailureCause::non_finite);

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
