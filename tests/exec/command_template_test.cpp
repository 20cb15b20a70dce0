// SPDX-License-Identifier: MIT
#include "exec/command_template.hpp"

#include "exec/pool_fixture.hpp"

namespace vbo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string expanded(const std::string& argument) {
  const Result<CommandTemplate> made = CommandTemplate::make({argument}, test_space());
  return made ? made->expand(job(1).point).front() : "error: " + made.error().message;
}

TEST(CommandTemplate, ReplacesNamesInEachArgument) {
  const auto made = CommandTemplate::make({"prog", "--x={x}", "{n}{n}", "{kind}"}, test_space());
  EXPECT_THAT(made.value().expand(job(1).point), ElementsAre("prog", "--x=1.5", "33", "a b"));
}

TEST(CommandTemplate, SeedIsThatOfTheEvaluationUnlessAParameterHasThisName) {
  const auto made = CommandTemplate::make({"--seed={seed}", "{{seed}}"}, test_space());
  EXPECT_THAT(made.value().expand(job(1).point, {.seed = 42, .study_dir = {}}),
              ElementsAre("--seed=42", "{seed}"));
  const Space own = Space::make({Parameter::integer("seed", 1, 9)}).value();
  const auto parameter = CommandTemplate::make({"{seed}"}, own);
  EXPECT_THAT(parameter.value().expand({std::int64_t{3}}, {.seed = 42, .study_dir = {}}),
              ElementsAre("3"));
}

TEST(CommandTemplate, DoubledBracesStandForThemselves) {
  EXPECT_EQ(expanded("{{x}}"), "{x}");
  EXPECT_EQ(expanded("{{{x}}}"), "{1.5}");
  EXPECT_EQ(expanded("{{other}}"), "{other}");
}

TEST(CommandTemplate, OtherBracesArePlainText) {
  EXPECT_EQ(expanded("print({'value': {x}})"), "print({'value': 1.5})");
  EXPECT_EQ(expanded("{'a': {'b': 1}}"), "{'a': {'b': 1}}");
  EXPECT_EQ(expanded("{}{ }}{"), "{}{ }}{");
  EXPECT_EQ(expanded("echo ${HOME} {x}"), "echo ${HOME} 1.5");
}

TEST(CommandTemplate, UnknownNameIsAnError) {
  EXPECT_THAT(expanded("{y}"), HasSubstr("{y} names no parameter, expected one of {x} {n} {kind}"));
  EXPECT_THAT(expanded("{y}"), HasSubstr("{{y}}"));
  EXPECT_THAT(expanded("{" + std::string(1000, 'y') + "}"), HasSubstr("names no parameter"));
}

TEST(CommandTemplate, ValuesReadBackExactly) {
  const auto made = CommandTemplate::make({"{x}"}, test_space()).value();
  for (const double x : {0.1, 1.0 / 3.0, 1e-300, -7.25, 0.0}) {
    EXPECT_EQ(std::stod(made.expand(job(1, x).point).front()), x);
  }
}

TEST(ShellQuoted, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(shell_quoted("--x=1.5"), "--x=1.5");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace vbo
