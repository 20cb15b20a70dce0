// SPDX-License-Identifier: MIT
#include "core/toml_guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace vbo {
namespace {

using testing::HasSubstr;

TEST(TomlGuard, LetsValidTextPass) {
  for (const char* text :
       {"", "\xEF\xBB\xBF\"a\" = 1\n", "[a]\n [ b.'c' ]\n\t[[ \"d\" ]]\n[-]\n[_]\n[9]\n",
        "x = [\n  [1, 2], # [ , é\n  ['é', \"\\\"é\"],\n]\ny = {a = 1, b = []}\n",
        "x = \"\"\"a\n\"\"é\"\"\"\"\ny = '''b'''''\n", "a.\"b\".'c' = 1\r\nd = 'x'\r\n"}) {
    const Result<void> checked = guard_toml(text);
    EXPECT_TRUE(checked) << text << ": " << checked.error().message;
  }
}

TEST(TomlGuard, RefusesWhatTheParserIsNotReadyFor) {
  const auto message = [](std::string_view text) {
    const Result<void> checked = guard_toml(text);
    return checked ? "" : std::to_string(checked.error().line) + ": " + checked.error().message;
  };
  for (const char* text :
       {"\n[", "\n[[", "\n[ ", "\n[!]", "\n[[=]]", "\n[]", "\n \t[.a]", "\n[\n"}) {
    EXPECT_THAT(message(text), HasSubstr("2: not a study file: found a table without a name"));
  }
  for (const char* text : {"x = [,", "x = [ ,1]", "x = [1,,2]", "x = [1,\n#,\n,]", "x = {,"}) {
    EXPECT_THAT(message(text), HasSubstr("found a comma without a value before it")) << text;
  }
  // Inside of what looks like a text but is none, other alphabets went past the guard.
  for (const char* text : {"x = 1'é", "x = 75\"é", "x = 'a''é", "x = \"\"\"a\"\"\"\"\"\"é"}) {
    EXPECT_THAT(message(text), HasSubstr("found a quote inside a word")) << text;
  }
  EXPECT_THAT(message(std::string_view("a = \0", 5)), HasSubstr("found a control character"));
  EXPECT_THAT(message("a\x7f = 1"), HasSubstr("found a control character"));
  EXPECT_THAT(message("x = 1\né = 1"), HasSubstr("2: not a study file: found a character"));
}

}  // namespace
}  // namespace vbo
