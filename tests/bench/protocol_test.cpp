// SPDX-License-Identifier: MIT
#include "bench/protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace vbo::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Seeds, CountRangeAndList) {
  EXPECT_THAT(parse_seeds("3").value(), ElementsAre(1, 2, 3));
  EXPECT_THAT(parse_seeds("3-5").value(), ElementsAre(3, 4, 5));
  EXPECT_THAT(parse_seeds("9,1,4-5,4").value(), ElementsAre(1, 4, 5, 9));
  for (const char* text : {"", "0", "-1", "a", "5-3", "1,", "1-", "1.5", "99999999999"}) {
    EXPECT_FALSE(parse_seeds(text)) << text;
  }
}

TEST(ProtocolFile, TasksInheritAndOverride) {
  const Protocol p = parse_protocol(R"(
name = "demo"
summary = "A demonstration."
seeds = 2
rounds = 10
methods = ["random", "vbo?beta=1"]
[[task]]
name = "hartmann6"
[[task]]
name = "branin"
batch = [8, 32]
evaluations = 64
initial_rounds = 2
methods = ["random"]
[[task]]
name = "sphere"
seeds = "2-3"
methods = ["random"]
)",
                                    "demo.toml")
                         .value();
  ASSERT_EQ(p.entries.size(), 4U);
  EXPECT_EQ(p.entries[0].batch, 64);
  EXPECT_EQ(p.entries[0].rounds, 10);
  EXPECT_EQ(p.entries[0].methods.size(), 2U);
  EXPECT_EQ(p.entries[1].batch, 8);
  EXPECT_EQ(p.entries[1].rounds, 8);
  EXPECT_EQ(p.entries[1].initial_rounds, 2);
  EXPECT_EQ(p.entries[2].rounds, 2);
  const std::vector<Job> jobs = jobs_of(p);
  ASSERT_EQ(jobs.size(), 2U * 4U + 2U);
  EXPECT_EQ(jobs[3].seed, 1U);  // all of seed 1 first
  EXPECT_EQ(jobs[4].seed, 2U);
  EXPECT_EQ(jobs[8].task, "sphere");  // seeds of its own
  EXPECT_EQ(jobs[8].seed, 2U);
  EXPECT_EQ(jobs[9].seed, 3U);
}

TEST(ProtocolFile, SweepMultipliesMethods) {
  const Protocol p = parse_protocol(R"(
name = "beta"
methods = ["vbo", "hmc?acquisition=ucb"]
[sweep]
option = "beta"
values = [0.1, 1, "auto"]
[[task]]
name = "branin"
)",
                                    "beta.toml")
                         .value();
  EXPECT_THAT(
      p.entries.at(0).methods,
      ElementsAre("vbo?beta=0.1", "vbo?beta=1", "vbo?beta=auto", "hmc?acquisition=ucb&beta=0.1",
                  "hmc?acquisition=ucb&beta=1", "hmc?acquisition=ucb&beta=auto"));
  EXPECT_THAT(swept({"dkl", "vbo?beta=2", "gp-ucb?kernel=rbf&beta=3"}, p.sweep),
              ElementsAre("dkl?beta=0.1", "dkl?beta=1", "dkl?beta=auto", "vbo?beta=2",
                          "gp-ucb?kernel=rbf&beta=3"));
}

TEST(ProtocolFile, NamesFileLineAndWhatWouldBeRight) {
  const std::string task = "[[task]]\nname = \"branin\"\n";
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"seeds = 3\n", "name is missing"},
      {"name = \"x\"\n", "no tasks"},
      {"name = \"x\"\nmethods = []\n" + task, "line 2: methods must be a list of texts"},
      {"name = \"x\"\n" + task, "no methods"},
      {"name = \"x\"\nmetods = [\"random\"]\n" + task, "line 2: unknown key \"metods\" at the top"},
      {"name = \"x\"\nbatch = 0\n" + task, "line 2: batch must be a whole number from 1"},
      {"name = \"x\"\nbatch = \"64\"\n" + task, "batch must be a whole number"},
      {"name = \"x\"\nseeds = \"7-3\"\n" + task, "expected a number (5 means 1 to 5)"},
      {"name = \"x\"\nmethods = [\"vbo?beta\"]\n" + task, "not of the form option=value"},
      {"name = \"x\"\nmethods = [\"random\"]\n[[task]]\nbatch = 3\n",
       "line 3: a [[task]] needs name"},
      {"name = \"x\"\nmethods = [\"random\"]\n" + task + "rounds = 1\ninitial_rounds = 2\n",
       "1 rounds cannot hold 2 rounds of initial design"},
      {"name = \"x\"\nmethods = [\"random\"]\n" + task + "rounds = 1\nevaluations = 2\n",
       "rounds or evaluations, not both"},
      {"name = \"x\"\nmethods = [\"random\"]\nsweep = 3\n" + task, "sweep must be a table"},
      {"name = \"x\nmethods", "line 1"},
  };
  for (const auto& [toml, says] : mistakes) {
    const auto p = parse_protocol(toml, "my.toml");
    ASSERT_FALSE(p) << toml;
    EXPECT_THAT(p.error().message, HasSubstr("my.toml"));
    EXPECT_THAT(p.error().message, HasSubstr(says));
  }
  EXPECT_THAT(read_protocol("/nowhere/x.toml").error().message, HasSubstr("/nowhere/x.toml"));
}

// Whatever this build lacks is at most a method as a whole, never a task or an option.
TEST(ProtocolFile, TheRepositorysOwnFitTheBuild) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(VBO_PROTOCOLS)) {
    const Protocol protocol = read_protocol(entry.path()).value();
    EXPECT_EQ(protocol.name, entry.path().stem());
    EXPECT_FALSE(protocol.summary.empty()) << entry.path();
    std::vector<std::string> missing_methods;
    EXPECT_THAT(problems_of(jobs_of(protocol), missing_methods), ::testing::IsEmpty())
        << entry.path();
    ++files;
  }
  EXPECT_GE(files, 10);
}

TEST(Problems, UnknownMethodsTasksAndOptionsAreFoundBeforeRunning) {
  std::vector<std::string> missing_methods;
  const auto problems = problems_of({{.task = "branin", .method = "random"},
                                     {.task = "branin", .method = "no-such-method"},
                                     {.task = "no-such-task", .method = "random"},
                                     {.task = "branin", .method = "random?beta=1"}},
                                    missing_methods);
  EXPECT_THAT(missing_methods, ElementsAre("no-such-method"));
  EXPECT_THAT(problems, ElementsAre(HasSubstr("no-such-task"), HasSubstr("beta")));
}

}  // namespace
}  // namespace vbo::bench
