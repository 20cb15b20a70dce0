// SPDX-License-Identifier: MIT
#include "cli/help.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/app.hpp"

namespace vbo::cli {
namespace {

TEST(Wrapped, BreaksAtSpacesAndKeepsLongWords) {
  EXPECT_EQ(wrapped("one two three", 8, ""), "one two\nthree\n");
  EXPECT_EQ(wrapped("one two", 8, "    "), "    one\n    two\n");
  EXPECT_EQ(wrapped("unbreakable", 4, ""), "unbreakable\n");
  EXPECT_EQ(wrapped("", 4, "  "), "  \n");
}

TEST(Commands, HaveUniqueNamesSummariesAndExamples) {
  std::set<std::string> names;
  for (const Command& command : commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.summary.empty()) << command.name;
    ASSERT_FALSE(command.examples.empty()) << command.name;
    for (const std::string& example : command.examples) {
      EXPECT_TRUE(example.starts_with("vbo " + command.name)) << example;
    }
  }
}

// Words as a shell makes them of a simple command, up to a redirection.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, any = false;
  for (const char c : line + " ") {
    if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if (c == ' ' && !quoted) {
      if (word == ">") break;
      if (any || !word.empty()) words.push_back(word);
      word.clear();
      any = false;
    } else {
      word += c;
    }
  }
  return words;
}

// What the help and docs/reference/command-line.md show is what the program takes.
TEST(App, TakesEveryExample) {
  for (const Command& command : commands()) {
    for (const std::string& example : command.examples) {
      Console console;
      Action chosen;
      const auto app = make_app(console, chosen);
      std::vector<std::string> words = words_of(example);
      words.erase(words.begin());  // vbo
      std::reverse(words.begin(), words.end());
      EXPECT_NO_THROW(app->parse(std::move(words))) << example;
    }
  }
}

TEST(App, HelpHasEveryCommandInOneGroup) {
  std::vector<std::string> grouped, visible;
  for (const CommandGroup& group : command_groups()) {
    grouped.insert(grouped.end(), group.commands.begin(), group.commands.end());
  }
  for (const Command& command : commands()) {
    if (!command.hidden) visible.push_back(command.name);
  }
  std::ranges::sort(grouped);
  std::ranges::sort(visible);
  EXPECT_EQ(grouped, visible);
  Console console;
  Action chosen;
  const std::string help = help_of_program(*make_app(console, chosen));
  EXPECT_LT(help.find("vbo serve study.db"), help.find("Run a study:"));
  EXPECT_LT(help.find("Run a study:"), help.find("Many machines:"));
}

TEST(App, CommandsThatPrintJsonSayWhichAndTheOthersDoNot) {
  Console console;
  Action chosen;
  const auto app = make_app(console, chosen);
  for (const Command& command : commands()) {
    const CLI::App* sub = app->get_subcommand(command.name);
    EXPECT_EQ(sub->get_option_no_throw("--json") != nullptr, !command.json.empty()) << command.name;
  }
}

}  // namespace
}  // namespace vbo::cli
