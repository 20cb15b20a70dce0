// SPDX-License-Identifier: MIT
// What a right study file is read as. What can be wrong with one is tested end to end.
#include "cli/study_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vbo::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kFull = R"(
stop.information = 0.02
stop.rounds = 3
stop.failures_in_a_row = 7

[study]
name = "branin"
goal = "maximize"
budget = 640
batch = 64
seed = 9
storage = "data/branin.db"

[optimizer]
method = "random"

[[parameter]]
name = "rate"
type = "float"
low = 1e-4
high = 1
log = true

[[parameter]]
name = "layers"
type = "int"
low = 1
high = 8

[[parameter]]
name = "solver"
type = "categorical"
choices = ["adam", "sgd"]

[evaluate]
command = ["prog", "{rate}"]
workers = 8
timeout = 60
retries = 2
mode = "serve"
env = {A = "b"}
)";

TEST(StudyFile, EveryKeyArrives) {
  const StudyFile file = parse_study_file(kFull, "folder/branin.toml").value();
  EXPECT_EQ(file.study.name, "branin");
  EXPECT_EQ(file.study.goal, Goal::maximize);
  EXPECT_EQ(file.study.budget, 640);
  EXPECT_EQ(file.study.optimizer.budget, 640);
  EXPECT_EQ(file.study.optimizer.batch, 64);
  EXPECT_EQ(file.study.optimizer.seed, 9U);
  EXPECT_EQ(file.study.optimizer.method, "random");
  EXPECT_EQ(file.study.storage, "folder/data/branin.db");
  EXPECT_THAT(
      file.study.space.parameters(),
      ElementsAre(Parameter::real("rate", 1e-4, 1.0, true), Parameter::integer("layers", 1, 8),
                  Parameter::categorical("solver", {"adam", "sgd"})));
  ASSERT_TRUE(file.evaluate.has_value());
  const ProcessOptions& process = file.evaluate->process;
  EXPECT_THAT(process.command, ElementsAre("prog", "{rate}"));
  EXPECT_EQ(process.workers, 8U);
  EXPECT_EQ(process.timeout_seconds, 60.0);
  EXPECT_EQ(process.retries, 2);
  EXPECT_EQ(process.mode, EvaluatorMode::serve);
  EXPECT_EQ(process.directory, "folder");
  EXPECT_EQ(process.environment.at("A"), "b");
  EXPECT_EQ(file.stop.information, 0.02);
  EXPECT_EQ(file.stop.rounds, 3);
  EXPECT_EQ(file.stop.failures_in_a_row, 7);
  EXPECT_THAT(file.study.evaluate_json, HasSubstr(R"("workers":8)"));
}

TEST(StudyFile, BatchDefaultsToTheWorkers) {
  std::string text = kFull;
  text.erase(text.find("batch = 64"), std::string("batch = 64").size());
  EXPECT_EQ(parse_study_file(text, "a.toml")->study.optimizer.batch, 8);
}

TEST(StudyFile, StorageCanBeAUrlOrAnAbsolutePath) {
  for (const std::string storage : {"postgresql://host/db", "/absolute/branin.db"}) {
    std::string text = kFull;
    text.replace(text.find("data/branin.db"), std::string("data/branin.db").size(), storage);
    EXPECT_EQ(parse_study_file(text, "folder/a.toml")->study.storage, storage);
  }
}

TEST(StudyFile, MethodOptionsOfEveryTypeArriveAtTheMethod) {
  for (const std::string value : {"true", "3", "2.5", "\"word\"", "[64, 32.5]"}) {
    std::string text = kFull;
    text.replace(text.find("method = \"random\""), 0, "beta = " + value + "\n");
    // The method knows no such option, which shows that it was asked.
    EXPECT_THAT(parse_study_file(text, "a.toml").error().message,
                HasSubstr("a.toml:15: optimizer.beta: method \"random\": unknown option \"beta\""));
  }
}

TEST(Suggestion, HelpsWithTypingErrorsOnly) {
  EXPECT_EQ(suggestion("budgte", {"name", "budget"}), ", did you mean \"budget\"?");
  EXPECT_EQ(suggestion("colour", {"name", "budget"}), ", expected one of name budget");
}

}  // namespace
}  // namespace vbo::cli
