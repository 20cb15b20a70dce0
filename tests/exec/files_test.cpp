// SPDX-License-Identifier: MIT
// Programs that read input files and write output files, against real little programs.
#include <sys/stat.h>

#include "exec/pool_fixture.hpp"

namespace vbo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Extraction by_pattern(const std::string& metric, const std::string& file,
                      const std::string& pattern) {
  return {.metric = metric, .file = file, .pattern = pattern, .json = {}, .column = {}};
}
Extraction by_json(const std::string& file, const std::string& way) {
  return {.metric = "value", .file = file, .pattern = {}, .json = way, .column = {}};
}
Extraction by_column(const std::string& file, const std::string& column) {
  return {.metric = "value", .file = file, .pattern = {}, .json = {}, .column = column};
}

class Files : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(scratch_.path() / name) << text;
  }
  // A program in the scratch folder whose trials have folders in "trials".
  ProcessOptions program(const std::string& script) {
    ProcessOptions options = shell(script);
    options.directory = scratch_.path().string();
    options.lost_retries = 0;
    options.files.folder = "trials";
    return options;
  }
  // What the script leaves in out.txt, read in this way.
  Outcome read(const std::string& script, Extraction how) {
    ProcessOptions options = program(script);
    options.files.extractions = {std::move(how)};
    return evaluate(std::move(options));
  }
  std::vector<std::string> trials() const {
    std::vector<std::string> names;
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(trials_, absent)) {
      names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }
  std::string message_of(const Outcome& outcome) const {
    return outcome.failure ? outcome.failure->message : "no failure";
  }
  std::string error_of(ProcessOptions options) const {
    const auto made = make_process_executor(test_space(), std::move(options));
    return made ? "no error" : made.error().message;
  }

  ScratchFolder scratch_;
  const std::filesystem::path trials_ = scratch_.path() / "trials";
};

TEST_F(Files, TemplatesAreWrittenIntoAFolderOfTheTrial) {
  write("deck.in", "* {x} {n} {kind} {seed} {{x}} ${HOME}\n.include {study_dir}/models\n{ }");
  write("run", "#!/bin/sh\n");
  chmod((scratch_.path() / "run").c_str(), 0755);
  ProcessOptions options =
      program(R"(cat a/deck >&2; ls; test -x run; pwd >&2; echo $VBO_WORK_DIR >&2
    test "$VBO_STUDY_DIR" = "$0" || exit 3; echo 1)");
  options.command.push_back("{study_dir}");
  options.files.templates = {{"deck.in", "a/deck"}, {"run", "run"}};
  const Outcome outcome = evaluate(options, {.id = 7, .point = job(7).point, .seed = 42});
  EXPECT_EQ(outcome.value(), 1.0) << message_of(outcome) << outcome.stderr_tail;
  EXPECT_THAT(outcome.stderr_tail, HasSubstr("* 1.5 3 a b 42 {x} ${HOME}\n.include " +
                                             scratch_.path().string() + "/models\n{ }"));
  // It ran there, and knew it.
  const std::string folder = trials_.string() + "/trial-7";
  const std::size_t first = outcome.stderr_tail.find(folder);
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(outcome.stderr_tail.find(folder, first + 1), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(trials_));
}

TEST_F(Files, FoldersOfFailuresStayWithAllThatWasPrinted) {
  ProcessOptions options = program("echo half > out; echo printed; echo bad >&2; exit 3");
  const Outcome outcome = evaluate(options);
  EXPECT_EQ(outcome.folder, (trials_ / "trial-7").string());
  EXPECT_THAT(trials(), ElementsAre("trial-7"));
  EXPECT_EQ(read_text(trials_ / "trial-7/out"), "half\n");
  EXPECT_EQ(read_text(trials_ / "trial-7/stdout.txt"), "printed\n");
  EXPECT_EQ(read_text(trials_ / "trial-7/stderr.txt"), "bad\n");
  // Once it succeeds nothing of it is left.
  EXPECT_EQ(evaluate(program("echo 1")).folder, "");
  EXPECT_THAT(trials(), IsEmpty());
}

TEST_F(Files, KeepSaysWhichFoldersStay) {
  ProcessOptions options = program("echo 1; test {n} != 4");
  options.files.keep = Keep::all;
  EXPECT_EQ(evaluate(options).folder, (trials_ / "trial-7").string());
  write("trials/trial-7/old", "");
  EXPECT_EQ(evaluate(options).folder, (trials_ / "trial-7").string());  // in its place
  EXPECT_FALSE(std::filesystem::exists(trials_ / "trial-7/old"));
  options.files.keep = Keep::none;
  Job failing = job(8);
  failing.point[1] = std::int64_t{4};
  EXPECT_TRUE(evaluate(options, failing).failure);
  EXPECT_THAT(trials(), ElementsAre("trial-7"));
}

TEST_F(Files, EveryAttemptBeginsWithAnEmptyFolder) {
  ProcessOptions options = program(
      "if test -e ../first; then test -z \"$(ls)\" && echo 1; else : > left; : > ../first; exit 1; "
      "fi");
  options.retries = 1;
  const Outcome outcome = evaluate(options);
  EXPECT_EQ(outcome.attempts, 2);
  EXPECT_EQ(outcome.value(), 1.0);
  EXPECT_THAT(trials(), ElementsAre("first"));
}

TEST_F(Files, WhatIsCancelledOrLeftByTheDeadIsRemoved) {
  {
    auto pool = make_process_executor(test_space(), program("sleep 60")).value();
    pool->submit(job(1));
    ASSERT_EQ(trials().size(), 1U);
    // As of a process that was killed: the number is above those the kernel gives.
    std::string dead = trials().front();
    dead.resize(dead.rfind('-') + 1);
    std::filesystem::create_directories(trials_ / (dead + "999999999"));
    pool->cancel();
    EXPECT_EQ(trials().size(), 1U);
    auto next = make_process_executor(test_space(), program("true")).value();
    EXPECT_THAT(trials(), IsEmpty());
  }
  EXPECT_FALSE(std::filesystem::exists(trials_));
}

TEST_F(Files, TheProgramMayBeATemplateAndStandardInputToo) {
  write("commands", "x = {x}\n");
  write("ask.sh", "#!/bin/sh\nread line; echo \"$line\" | cut -c 5-\n");
  chmod((scratch_.path() / "ask.sh").c_str(), 0755);
  ProcessOptions options = program("");
  options.files.templates = {{"commands", "in.txt"}};
  options.files.input = "in.txt";
  options.command = {"./ask.sh"};  // beside the study file
  EXPECT_EQ(evaluate(options).value(), 1.5);
  options.files.templates.push_back({"ask.sh", "bin/ask"});
  options.command = {"bin/ask"};  // in the trial's folder
  EXPECT_EQ(evaluate(options).value(), 1.5);
}

TEST_F(Files, TheLastMatchIsTheValue) {
  const std::string gain = R"(^gain\s*=\s*(\S+))";
  EXPECT_EQ(
      read("printf 'gain = 1\ngain = 2.5e1\n' > out", by_pattern("value", "out", gain)).value(),
      25.0);
  EXPECT_EQ(read("echo 'gain = -1.5D+02'", by_pattern("value", "", gain)).value(), -150.0);
  const Outcome with_metric = read("echo 'gain = 3'; echo 7", by_pattern("gain", "", gain));
  EXPECT_EQ(with_metric.value(), 7.0);
  EXPECT_EQ(with_metric.metrics, (Metrics{{"gain", 3.0}}));
  EXPECT_EQ(with_metric.line, "7\ngain from standard output: gain = 3");
}

TEST_F(Files, WhatIsNotFoundSaysWhereAndWhatIsThere) {
  const auto message = [&](const std::string& script, const Extraction& how) {
    const Outcome outcome = read(script, how);
    EXPECT_TRUE(!outcome.failure || outcome.failure->cause == FailureCause::no_value);
    return message_of(outcome);
  };
  EXPECT_EQ(message("echo a > out", by_pattern("value", "out", "gain=(.*)")),
            "value: none of the 1 lines of out matches gain=(.*)");
  EXPECT_THAT(message("echo > outt", by_pattern("value", "out", "(.*)")),
              HasSubstr("value: the program wrote no out, did you mean \"outt\"?"));
  EXPECT_THAT(message("echo gain=failed > out", by_pattern("value", "out", "gain=(.*)")),
              HasSubstr("found failed where a number should be, in out: gain=failed"));
  EXPECT_THAT(message("mkfifo out", by_pattern("value", "out", "(.*)")),
              HasSubstr("out is not a plain file"));
  EXPECT_THAT(message("ln -s /etc/hostname out", by_pattern("value", "out", "(.*)")),
              HasSubstr("out is a link that leads out of the trial's folder"));
  EXPECT_THAT(
      message("mkdir a; echo 1 > b; ln -s ../b a/out", by_pattern("value", "a/out", "(.*)")),
      "no failure");
  const Outcome infinite = read("echo inf > out", by_pattern("value", "out", "(.*)"));
  EXPECT_EQ(infinite.failure.value().cause, FailureCause::non_finite);
}

TEST_F(Files, JsonIsReadByKeysAndIndices) {
  const std::string json = R"(echo '{"a": {"list": [1, {"b": 2.5}, "3e1"]}, "c": null}' > out)";
  EXPECT_EQ(read(json, by_json("out", "a.list.0")).value(), 1.0);
  EXPECT_EQ(read(json, by_json("out", "a.list.1.b")).value(), 2.5);
  EXPECT_EQ(read(json, by_json("out", "a.list.-1")).value(), 30.0);
  const auto message = [&](const std::string& way) {
    return message_of(read(json, by_json("out", way)));
  };
  EXPECT_THAT(message("a.lisst"), HasSubstr("out, in a, has no \"lisst\", did you mean \"list\"?"));
  EXPECT_THAT(message("a.list.3"), HasSubstr("has a list of 3, and no element \"3\""));
  EXPECT_THAT(message("a.list.0.b"), HasSubstr("has 1, and so no \"b\""));
  EXPECT_THAT(message("c"), HasSubstr("where a number should be, in out: c = null"));
  EXPECT_THAT(message_of(read("echo { > out", by_json("out", "a"))), HasSubstr("out is not JSON"));
}

TEST_F(Files, TheLastRowOfAColumnCounts) {
  const std::string table = "printf 'step, \"c, d\"\\n1, 2\\n2, 3.5\\n' > out.csv";
  EXPECT_EQ(read(table, by_column("out.csv", "c, d")).value(), 3.5);
  EXPECT_THAT(message_of(read(table, by_column("out.csv", "stp"))),
              HasSubstr("out.csv has no column \"stp\", did you mean \"step\"?"));
  EXPECT_THAT(message_of(read("echo a > out.csv", by_column("out.csv", "a"))),
              HasSubstr("no row below its header"));
  EXPECT_EQ(read(table, by_column("out.csv", "step")).line, "value from out.csv:3: step = 2");
}

TEST_F(Files, ADefaultStandsForWhatIsNotFound) {
  Extraction how = by_pattern("value", "out", "gain=(.*)");
  how.otherwise = -1.0;
  EXPECT_EQ(read("true", how).value(), -1.0);
  EXPECT_EQ(read("echo gain=2 > out", how).value(), 2.0);
  EXPECT_TRUE(read("echo gain=two > out", how).failure);
  EXPECT_TRUE(read("exit 1", how).failure);  // a failure stays one
}

TEST_F(Files, ObjectivesAreExtractedByName) {
  ProcessOptions options = program("echo cost 3; echo mass 2");
  options.objectives = {{.name = "cost"}, {.name = "mass"}};
  options.files.extractions = {by_pattern("mass", "", "mass (.*)"),
                               by_pattern("cost", "", "cost (.*)")};
  EXPECT_THAT(evaluate(options).values, ElementsAre(3.0, 2.0));
  options.files.extractions.pop_back();
  EXPECT_THAT(error_of(options), HasSubstr("the objective \"cost\" has no [[extract]] table"));
}

TEST_F(Files, LargeFilesAreReadFromTheirEnd) {
  const std::string big = "head -c 20000000 /dev/zero | tr '\\0' x > out; echo >> out; ";
  EXPECT_EQ(read(big + "echo a=1 >> out", by_pattern("value", "out", "a=(.*)")).value(), 1.0);
  EXPECT_THAT(message_of(read(big, by_json("out", "a"))), HasSubstr("too large"));
}

TEST_F(Files, WrongOptionsAreNamed) {
  ProcessOptions options = program("true");
  const auto with_template = [&](const std::string& from, const std::string& to) {
    options.files.templates = {{from, to}};
    return error_of(options);
  };
  for (const char* to : {"", "/tmp/deck", "../deck", "a/../../deck", "a/", "."}) {
    EXPECT_THAT(
        with_template("deck.in", to),
        HasSubstr("template 1.to: found \"" + std::string(to) + "\", expected a file inside"));
  }
  EXPECT_THAT(with_template("deck.in", "deck"), HasSubstr("deck.in: No such file"));
  std::filesystem::create_directory(scratch_.path() / "deck.in");
  EXPECT_THAT(with_template("deck.in", "deck"), HasSubstr("deck.in: it is not a file"));
  std::filesystem::remove(scratch_.path() / "deck.in");
  write("deck.in", "one\ntwo {y}\n");
  EXPECT_THAT(with_template("deck.in", "deck"),
              HasSubstr("/deck.in:2: placeholder {y} names no parameter, expected one of {x} {n}"));
  write("deck.in", std::string(kLargestTemplate + 1, ' '));
  EXPECT_THAT(with_template("deck.in", "deck"), HasSubstr("larger than 16 MiB"));
  options.files.templates = {{"a", "deck"}, {"b", "./deck"}};
  EXPECT_THAT(error_of(options), HasSubstr("template 2.to: found \"./deck\" a second time"));
  options.files.templates.clear();
  options.files.input = "deck";
  EXPECT_THAT(error_of(options), HasSubstr("stdin: found \"deck\", expected what a [[template]]"));
  options.files.input.clear();
  const auto with = [&](const Extraction& how) {
    options.files.extractions = {how};
    return error_of(options);
  };
  EXPECT_THAT(with(by_pattern("value", "../out", "(a)")),
              HasSubstr("extract 1.file: found \"../out\""));
  EXPECT_THAT(with(by_pattern("value", "out", "a")),
              HasSubstr("extract 1.pattern: found no group"));
  EXPECT_THAT(with(by_pattern("", "out", "(a)")), HasSubstr("extract 1.metric: found \"\""));
  EXPECT_THAT(with(by_pattern("value", "out", "")), HasSubstr("found no way to the value"));
  EXPECT_THAT(with(by_json("out", "a..b")), HasSubstr("extract 1.json: found \"a..b\""));
  Extraction both = by_json("out", "a");
  both.column = "b";
  EXPECT_THAT(with(both), HasSubstr("found several ways to the value"));
  options.mode = EvaluatorMode::serve;
  EXPECT_THAT(with(by_json("out", "a")), HasSubstr("beside mode \"serve\", expected none"));
}

TEST_F(Files, AServingProgramGetsTheFolderWithItsRequest) {
  write("deck.in", "{x}\n");
  ProcessOptions options = program(R"sh(while read line; do
      d=$(echo "$line" | sed 's/.*"work_dir": *"\([^"]*\)".*/\1/')
      i=$(echo "$line" | sed 's/.*"id": *\([0-9]*\),.*/\1/')
      echo "{\"id\": $i, \"value\": $(cat $d/deck)}"; done)sh");
  options.mode = EvaluatorMode::serve;
  options.files.templates = {{"deck.in", "deck"}};
  auto pool = make_process_executor(test_space(), options).value();
  for (const double x : {1.5, -2.5}) {
    pool->submit(job(3, x));
    EXPECT_EQ(collect(*pool).at(3).value(), x);
    EXPECT_THAT(trials(), IsEmpty());
  }
}

TEST_F(Files, AFullDiskIsNotTheProgramsFault) {
  ProcessOptions options = program("echo 1");
  options.files.folder = "/proc/trials";
  const Outcome outcome = evaluate(options);
  EXPECT_EQ(outcome.failure.value().cause, FailureCause::lost);
  EXPECT_THAT(message_of(outcome), HasSubstr("cannot make /proc/trials"));
}

}  // namespace
}  // namespace vbo
