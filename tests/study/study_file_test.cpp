// SPDX-License-Identifier: MIT
// What a right study file is read as. What can be wrong with one is tested end to end.
#include "vbo/study_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vbo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
containment = "group"
env = {A = "b"}

[cluster]
launcher = "slurm"
jobs = 12
options = ["--partition=cpu", "--time=02:00:00"]
)";

TEST(StudyFile, EveryKeyArrives) {
  const StudyFile file = parse_study_file(kFull, "folder/branin.toml").value();
  EXPECT_EQ(file.study.name, "branin");
  EXPECT_EQ(file.study.objectives.front().goal, Goal::maximize);
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
  EXPECT_EQ(process.containment, Containment::group);
  EXPECT_EQ(process.directory, "folder");
  EXPECT_EQ(process.environment.at("A"), "b");
  EXPECT_EQ(file.stop.information, 0.02);
  EXPECT_EQ(file.stop.rounds, 3);
  EXPECT_EQ(file.stop.failures_in_a_row, 7);
  EXPECT_THAT(file.study.evaluate_json, HasSubstr(R"("workers":8)"));
  EXPECT_THAT(file.study.evaluate_json, HasSubstr(R"("env":["A"])"));  // values may be secrets
  ASSERT_TRUE(file.cluster.has_value());
  EXPECT_EQ(file.cluster->launcher, "slurm");
  EXPECT_EQ(file.cluster->jobs, 12);
  EXPECT_THAT(file.cluster->options, ElementsAre("--partition=cpu", "--time=02:00:00"));
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

TEST(StudyFile, AimIsAnOptionOfTheMethod) {
  const auto with = [](const std::string& study, const std::string& rest) {
    return parse_study_file("[study]\nbudget = 64\n" + study +
                                "\n[[parameter]]\nname = \"x\"\ntype = \"float\"\nlow = 0\n"
                                "high = 1\n" +
                                rest,
                            "f.toml");
  };
  const auto average = with("aim = \"average\"", "");
  ASSERT_TRUE(average) << average.error().message;
  EXPECT_EQ(std::get<std::string>(average->study.optimizer.settings.at("aim")), "average");
  EXPECT_FALSE(average->study.unstated.settings);
  EXPECT_TRUE(with("aim = \"best\"", "[optimizer]\nmethod = \"sobol\"\n"));
  EXPECT_THAT(with("aim = \"worst\"", "").error().message, HasSubstr("study.aim"));
  EXPECT_THAT(
      with("aim = \"average\"", "[optimizer]\nmethod = \"sobol\"\n").error().message,
      ::testing::AllOf(HasSubstr("study.aim"), HasSubstr("expected \"best\", or method \"vbo\"")));
  EXPECT_THAT(
      with("aim = \"average\"", "[optimizer]\nmethod = \"vbo\"\naim = \"best\"\n").error().message,
      HasSubstr("study.aim alone"));
}

TEST(StudyFile, StepsOrdinalsTypedChoicesAndConstraints) {
  const StudyFile file = parse_study_file(R"(
study.budget = 10
optimizer.method = "random"
[[parameter]]
name = "temperature"
type = "float"
low = 20.0
high = 80.0
step = 0.1
[[parameter]]
name = "width"
type = "ordinal"
values = [16, 32, 64, 128]
[[parameter]]
name = "solver"
type = "categorical"
choices = ["adam", 3, 2.5, true]
[[constraint]]
require = "width * 2 <= temperature or solver == true"
)",
                                          "a.toml")
                             .value();
  EXPECT_THAT(file.study.space.parameters(),
              ElementsAre(Parameter::real("temperature", 20, 80, false, 0.1),
                          Parameter::ordinal("width", {16, 32, 64, 128}),
                          Parameter::categorical("solver", {"adam", 3, 2.5, true})));
  EXPECT_THAT(file.study.space.constraints(),
              ElementsAre("width * 2 <= temperature or solver == true"));
}

TEST(StudyFile, ErrorsKnowFileLineAndField) {
  const auto error = [](const std::string& old, const std::string& now) {
    std::string text = kFull;
    text.replace(text.find(old), old.size(), now);
    const Result<StudyFile> file = parse_study_file(text, "a.toml");
    return file ? Error{ErrorKind::io, "no error"} : file.error();
  };
  const Error bounds = error("high = 8", "high = 0");
  EXPECT_EQ(bounds.field, "parameter.layers.low");
  EXPECT_EQ(bounds.line, 27);
  EXPECT_THAT(bounds.message, HasSubstr("a.toml:27: parameter \"layers\": low is 1 and high is 0"));
  const Error key = error("budget = 640", "budgte = 640");
  EXPECT_EQ(key.field, "study.budgte");
  EXPECT_EQ(key.line, 9);
  const Error method = error("method = \"random\"", "method = \"randon\"");
  EXPECT_EQ(method.field, "optimizer.method");
  EXPECT_EQ(method.line, 15);
  const Error constraint = error("[evaluate]",
                                 "[[constraint]]\nrequire = \"rate < 1\"\n"
                                 "[[constraint]]\nrequire = \"2 <= layerz\"\n[evaluate]");
  EXPECT_EQ(constraint.message,
            "a.toml:38: constraint 2, column 6: unknown parameter \"layerz\", did you mean "
            "\"layers\"?");
  EXPECT_EQ(constraint.field, "constraint.2");
  EXPECT_EQ(constraint.line, 38);
}

TEST(StudyFile, TasksNeedAProgramThatHasThem) {
  const std::string text =
      "study.budget = 9\nevaluate.task = \"hill\"\noptimizer.method = \"random\"\n";
  EXPECT_THAT(parse_study_file(text, "a.toml").error().message, HasSubstr("no built-in tasks"));
  const StudyFileOptions options{.find_task = [](const std::string&) -> Result<TaskProblem> {
    return TaskProblem{Space::make({Parameter::real("h", 0, 1)}).value(), Goal::maximize};
  }};
  const StudyFile file = parse_study_file(text, "a.toml", options).value();
  EXPECT_EQ(file.study.objectives.front().goal, Goal::maximize);
  EXPECT_EQ(file.study.space[0].name, "h");
}

// What the TOML parser would recurse on, or is not ready for, does not reach it.
TEST(StudyFile, HostileTextIsRefusedBeforeItIsParsed) {
  std::string dotted = "a";
  for (int i = 0; i < 40000; ++i) dotted += ".a";
  std::string quoted = "\"a\"";
  for (int i = 0; i < 40000; ++i) quoted += " . 'a'";
  for (const std::string& text :
       {dotted + " = 1", "[" + dotted + "]", quoted + " = 1", "x = {" + dotted + " = 1}",
        "x = " + std::string(100000, '['), "x = " + std::string(100000, '{'),
        std::string("sch\xC3\xB6n = 1"), std::string("\xFF\xFE = 1")}) {
    const Result<StudyFile> file = parse_study_file("\n" + text, "a.toml");
    ASSERT_FALSE(file);
    EXPECT_THAT(file.error().message, HasSubstr("a.toml:2: not a study file: found"));
    EXPECT_EQ(file.error().line, 2);
    EXPECT_LT(file.error().message.size(), 200U);
  }
  // In texts and comments anything goes.
  const std::string fine = "# sch\xC3\xB6n [[[[\nname = \"\"\"\n" + dotted +
                           " \\\"\"\"\"\nother = '''sch\xC3\xB6n'''\n\"sch\xC3\xB6n\" = 1\n";
  EXPECT_THAT(parse_study_file(fine, "a.toml").error().message, HasSubstr("unknown key"));
}

// toml++ took some letters for spaces, or worse, where a line ends in a backslash.
TEST(StudyFile, LettersAfterABrokenLineStay) {
  std::string text = kFull;
  const std::string old = "name = \"branin\"";
  for (const char* letter : {"\xC3\xA9", "\xD0\xB6", "\xE3\x81\x82", "\xEF\xB4\xBF"}) {
    text = kFull;
    text.replace(text.find(old), old.size(),
                 "name = \"\"\"a\\\n   " + std::string(letter) + "b\"\"\"");
    EXPECT_EQ(parse_study_file(text, "a.toml").value().study.name, "a" + std::string(letter) + "b");
  }
}

TEST(StudyFile, MessagesShowArraysAndTables) {
  const auto message = [](const std::string& value) {
    return parse_study_file("study = " + value, "a.toml").error().message;
  };
  EXPECT_THAT(message("[0.1, -0.25, inf, [], 'a', {}]"),
              HasSubstr("study: found [ 0.1, -0.25, inf, [], 'a', {} ], expected"));
  EXPECT_THAT(parse_study_file("study.name = {a = 0.1, b = {c = [1]}}", "a.toml").error().message,
              HasSubstr("found { a = 0.1, b = { c = [ 1 ] } }, expected"));
  std::string wide = "[0";
  for (int i = 0; i < 100000; ++i) wide += ",0";
  EXPECT_LT(message(wide + "]").size(), 300U);
}

TEST(StudyFile, SeveralObjectives) {
  const StudyFile file = parse_study_file(R"(
[study]
budget = 10
[[objective]]
name = "error"
goal = "minimize"
[[objective]]
name = "speed"
goal = "maximize"
reference = 250
[optimizer]
method = "sobol"
[[parameter]]
name = "x"
type = "float"
low = 0
high = 1
)",
                                          "two.toml")
                             .value();
  EXPECT_THAT(file.study.objectives, ElementsAre(Objective{"error", Goal::minimize, std::nullopt},
                                                 Objective{"speed", Goal::maximize, 250.0}));
}

}  // namespace
}  // namespace vbo
