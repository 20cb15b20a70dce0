// SPDX-License-Identifier: MIT
// `vbo tasks` as a user calls it, in this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/app.hpp"
#include "cli/commands.hpp"
#include "cli/task_point.hpp"

namespace vbo::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Ran {
  int code;
  std::string out, err;
};

Ran run(std::vector<std::string> arguments) {
  Console console;
  Action chosen;
  const auto app = make_app(console, chosen);
  std::reverse(arguments.begin(), arguments.end());
  app->parse(std::move(arguments));
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int code = chosen();
  std::string out = ::testing::internal::GetCapturedStdout();
  return {code, std::move(out), ::testing::internal::GetCapturedStderr()};
}

nlohmann::json json_of(std::vector<std::string> arguments) {
  return nlohmann::json::parse(run(std::move(arguments)).out);
}

TEST(VboTasks, ListsAllWithASentenceEach) {
  const nlohmann::json list = json_of({"tasks", "--json"});
  ASSERT_GE(list.size(), 27U);
  EXPECT_EQ(list[0]["name"], "branin");
  for (const auto& task : list) EXPECT_FALSE(task["summary"].get<std::string>().empty());
  EXPECT_THAT(run({"tasks"}).out, HasSubstr("pest-control"));
}

TEST(VboTasks, DescribesOne) {
  EXPECT_THAT(run({"tasks", "ackley?dim=3"}).out, HasSubstr("x1 ... x3"));
  const nlohmann::json json = json_of({"tasks", "pest-control", "--json"});
  EXPECT_EQ(json["parameters"].size(), 25U);
  EXPECT_EQ(json["proven"], false);
}

TEST(VboTasks, Evaluates) {
  const nlohmann::json json =
      json_of({"tasks", "eval", "branin", "--set", "x1=2.5", "--set", "x2=7.5", "--json"});
  EXPECT_EQ(json["task"], "branin");
  EXPECT_NEAR(json["value"].get<double>(), -24.129964413622, 1e-9);
  EXPECT_EQ(json["params"]["x2"], 7.5);
  EXPECT_NEAR(std::stod(run({"tasks", "eval", "hartmann6", "--at", "optimum"}).out), 3.322368,
              1e-6);
  EXPECT_NEAR(std::stod(run({"tasks", "eval", "brusselator", "--set", "a=1", "--set", "b=1", "--at",
                             "middle"})
                            .out),
              -0.0862, 1e-3);
}

TEST(VboTasks, SeedDecidesTheNoise) {
  const auto value = [](const char* seed) {
    return run({"tasks", "eval", "interferometer", "--point", "0,0,0,0", "--seed", seed}).out;
  };
  EXPECT_EQ(value("5"), value("5"));
  EXPECT_NE(value("5"), value("6"));
}

TEST(VboTasks, WrongArgumentsAreExplained) {
  const auto error = [](std::vector<std::string> arguments) {
    const Ran ran = run(std::move(arguments));
    EXPECT_EQ(ran.code, kWrongUsage);
    EXPECT_EQ(ran.out, "");
    return ran.err;
  };
  EXPECT_THAT(error({"tasks", "eval", "brannin"}), HasSubstr("did you mean \"branin\"?"));
  EXPECT_THAT(error({"tasks", "eval", "branin"}), HasSubstr("no value for x1 x2; give --set"));
  EXPECT_THAT(error({"tasks", "eval", "branin", "--set", "x1"}), HasSubstr("expected NAME=VALUE"));
  EXPECT_THAT(error({"tasks", "eval", "branin", "--set", "x1=50"}),
              HasSubstr("parameter \"x1\": found \"50\", expected a number from -5 to 10"));
  EXPECT_THAT(error({"tasks", "eval", "branin", "--set", "x3=5"}),
              HasSubstr("unknown parameter \"x3\""));
  EXPECT_THAT(error({"tasks", "eval", "pest-control", "--set", "x1=7"}),
              HasSubstr("expected one of 0 1 2 3 4"));
  EXPECT_THAT(error({"tasks", "eval", "mixed", "--set", "n1=2.5"}),
              HasSubstr("expected a whole number from -10 to 10"));
  EXPECT_THAT(error({"tasks", "eval", "branin", "--point", "1"}),
              HasSubstr("found 1 values, expected 2"));
  EXPECT_THAT(error({"tasks", "show", "branin", "-o", "branin.pdf"}),
              HasSubstr("expected a name that ends in .svg or .html"));
}

TEST(VboTasks, ParametersCanBeNamedByTheirPlace) {
  const auto task = tasks::make_task("brusselator").value();
  const auto point = task_point(*task, {.set = {"x1=0.5", "D1=2"}, .at = "middle"}).value();
  EXPECT_EQ(std::get<double>(point[0]), 0.5);
  EXPECT_EQ(std::get<double>(point[1]), 2.55);
  EXPECT_EQ(std::get<double>(point[3]), 2.0);
}

TEST(VboTasks, Draws) {
  EXPECT_THAT(run({"tasks", "show", "branin"}).out, StartsWith("<svg"));
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("vbo-tasks-" + std::to_string(getpid()) + ".html");
  const Ran ran = run({"tasks", "show", "pest-control", "-o", file.string()});
  EXPECT_EQ(ran.code, kDone);
  EXPECT_EQ(ran.out, "");
  std::string first;
  std::getline(std::ifstream(file), first);
  EXPECT_EQ(first, "<!doctype html>");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace vbo::cli
