// SPDX-License-Identifier: MIT
#include "core/pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace vbo {
namespace {

using testing::HasSubstr;

std::string found(const std::string& pattern, std::string_view text) {
  const Result<core::Pattern> made = core::Pattern::make(pattern);
  if (!made) return "error: " + made.error().message;
  const auto match = made->last_in(text);
  return match ? std::string(match->group) : "nothing";
}

TEST(Pattern, FindsTheGroupOfTheLastMatch) {
  const std::string number = R"(gain\s*=\s*([-+0-9.eE]+))";
  EXPECT_EQ(found(number, "gain = 1.5\ngain=-2e3 dB\nother = 7\n"), "-2e3");
  EXPECT_EQ(found(number, "gain = 1 gain = 2\r\n"), "2");
  EXPECT_EQ(found(number, "gain =\n7"), "nothing");  // not beyond a line
  EXPECT_EQ(found(number, ""), "nothing");
  EXPECT_EQ(found("(a*)", "aa b\n\n"), "aa");
}

TEST(Pattern, UnderstandsWhatPeopleWrite) {
  EXPECT_EQ(found(R"(^\s*CL\b.*?(\S+)$)", " CL of wing  0.75"), "0.75");
  EXPECT_EQ(found(R"((?:Cd|drag) = (\d+\.\d*))", "drag = 12.5 N"), "12.5");
  EXPECT_EQ(found(R"(t\[(\d{2,3})\])", "t[7] t[1234] t[42] t[1]"), "42");
  EXPECT_EQ(found(R"(x(\d{2})y)", "x1y x12y x123y"), "12");
  EXPECT_EQ(found(R"(x(\d{2,})y)", "x1y x1234y"), "1234");
  EXPECT_EQ(found(R"(([^,]*),end)", "a,b c,end"), "b c");
  EXPECT_EQ(found(R"(([]x]+))", "a]x]b"), "]x]");
  EXPECT_EQ(found(R"(([a\-z]+))", "bb-a"), "-a");
  EXPECT_EQ(found(R"(a{(b)})", "a{b}"), "b");  // no count: plain text
  EXPECT_EQ(found(R"(\t(\w+)\.)", "x\tword."), "word");
  EXPECT_EQ(found(R"((\D+)(?:\d+)$)", "ab12"), "ab");
  EXPECT_EQ(found(R"(\B(b)\B)", "abc b"), "b");
  EXPECT_EQ(found(R"(a|(b))", "b a"), "b");  // the later match has no group
}

TEST(Pattern, PrefersAsOthersDo) {
  EXPECT_EQ(found("(a|ab)", "ab"), "a");
  EXPECT_EQ(found("(a+)", "aaa"), "aaa");
  EXPECT_EQ(found("^(a+?)", "aaa"), "a");
  EXPECT_EQ(found("^(a?\?a)", "aa"), "a");
  EXPECT_EQ(found("^<(.*)>", "<x><y>"), "x><y");
  EXPECT_EQ(found("^<(.*?)>", "<x><y>"), "x");
  EXPECT_EQ(found("^(?:(a)|b)*$", "aab"), "a");
}

TEST(Pattern, IsFastWhereOthersAreNot) {
  // Exponential for a matcher that backtracks; a stack overflow for one that recurses.
  const std::string many(40'000, 'a');
  EXPECT_EQ(found("^((?:a|a)*)$", many), many);
  EXPECT_EQ(found("^(?:a?){20}(a{20})$", std::string(20, 'a')), std::string(20, 'a'));
  EXPECT_EQ(found("(?:a*)*(b)", many.substr(0, 2000)), "nothing");
}

TEST(Pattern, LooksAtTheEndOfVeryLongLines) {
  const std::string line = "x=1 " + std::string(core::kLongestLine, ' ') + "x=2";
  EXPECT_EQ(found(R"(x=(\d))", line), "2");
  EXPECT_EQ(found(R"(x=(1))", line), "nothing");
}

TEST(Pattern, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(found("gain", ""), "error: found no group, expected ( ) around the number");
  EXPECT_THAT(found("(a)(b)", ""), HasSubstr("found 2 groups, expected one around the number"));
  EXPECT_EQ(found("(a", ""), "error: column 3: found ( without )");
  EXPECT_EQ(found("(a))", ""), "error: column 4: found ) without (");
  EXPECT_EQ(found("[a(b)", ""), "error: column 6: found [ without ]");
  EXPECT_EQ(found("*(a)", ""), "error: column 1: nothing to repeat before this");
  EXPECT_THAT(found("^*(a)", ""), HasSubstr("nothing to repeat"));
  EXPECT_THAT(found("(a)**", ""), HasSubstr("column 5: nothing to repeat"));
  EXPECT_THAT(found(R"((\q))", ""), HasSubstr(R"(column 3: found \q, expected one of \d)"));
  EXPECT_THAT(found(R"((a)\)", ""), HasSubstr(R"(found \ at the end)"));
  EXPECT_THAT(found("(?=a)", ""), HasSubstr("found (? without :"));
  EXPECT_THAT(found("([z-a])", ""), HasSubstr("a range whose end comes before"));
  EXPECT_THAT(found("(a{3,2})", ""), HasSubstr("a count whose end comes before"));
  EXPECT_THAT(found("(a{1001})", ""), HasSubstr("more than 1000 repetitions"));
  EXPECT_THAT(found("(?:(?:a{1000}){1000})(b)", ""), HasSubstr("too large"));
  EXPECT_THAT(found(std::string(60, '(') + "a" + std::string(60, ')'), ""), HasSubstr("50 groups"));
  EXPECT_THAT(found("(a)" + std::string(core::kLongestPattern, 'a'), ""),
              HasSubstr("longer than 1024"));
}

}  // namespace
}  // namespace vbo
