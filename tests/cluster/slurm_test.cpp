// SPDX-License-Identifier: MIT
// Slurm's commands with answers as Slurm 22.05 gave them. tests/e2e/test_slurm.py has the real one.
#include "cluster/slurm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "cluster/command.hpp"
#include "cluster/fleet.hpp"
#include "support/temporary_folder.hpp"

namespace vbo {
namespace {

using State = ClusterJob::State;
using Words = std::vector<std::string>;

TEST(Squeue, EveryStateIsUnderstood) {
  const auto jobs = parse_squeue(
      "1_0|RUNNING|None\n1_1|PENDING|Priority\n5|PENDING|PartitionTimeLimit\n"
      "1_2|CONFIGURING|None\n1_3|COMPLETING|None\n2_0|CANCELLED|None\n2_1|TIMEOUT|TimeLimit\n"
      "2_2|NODE_FAIL|NodeDown\n2_3|PREEMPTED|None\n2_4|COMPLETED|None\n"
      "7|FAILED|NonZeroExitCode\n8|OUT_OF_MEMORY|OutOfMemory\n9|SUSPENDED|None\n");
  ASSERT_TRUE(jobs);
  std::vector<State> states;
  for (const ClusterJob& job : *jobs) states.push_back(job.state);
  const std::vector<State> expected = {
      State::running, State::waiting, State::waiting, State::waiting, State::leaving,
      State::ended,   State::ended,   State::ended,   State::ended,   State::done,
      State::failed,  State::failed,  State::running};
  EXPECT_EQ(states, expected);
  EXPECT_EQ((*jobs)[2].id, "5");
  EXPECT_EQ((*jobs)[2].word, "PartitionTimeLimit");  // why it waits
  EXPECT_EQ((*jobs)[6].word, "TIMEOUT");             // how it ended
}

TEST(Squeue, NothingAndNonsense) {
  EXPECT_TRUE(parse_squeue("").value().empty());
  for (const char* text : {"1_0\n", "1_0|RUNNING\n", "|RUNNING|None\n", "Usage: squeue\n"}) {
    EXPECT_FALSE(parse_squeue(text)) << text;
  }
}

TEST(Scontrol, MaxArraySize) {
  EXPECT_EQ(parse_max_array_size("LogTimeFormat           = iso8601_ms\n"
                                 "MaxArraySize            = 1001\nMaxDBDMsgs = 20008\n")
                .value(),
            1001);
  EXPECT_EQ(parse_max_array_size("MaxArraySize            = 0\n").value(), 0);
  EXPECT_FALSE(parse_max_array_size("MaxJobCount = 10000\n"));
}

TEST(Refusals, AreOneLineInSlurmsWords) {
  const Error partition = slurm_error("sbatch",
                                      "sbatch: error: invalid partition specified: foo\n"
                                      "sbatch: error: Batch job submission failed: Invalid "
                                      "partition name specified\n");
  EXPECT_EQ(partition.kind, ErrorKind::invalid_input);
  EXPECT_EQ(partition.message,
            "Slurm refuses (sbatch): invalid partition specified: foo; Batch job submission "
            "failed: Invalid partition name specified");
  const Error option = slurm_error(
      "sbatch",
      "sbatch: unrecognized option '--bogus'\nTry \"sbatch --help\" for more information\n");
  EXPECT_EQ(option.message, "Slurm refuses (sbatch): unrecognized option '--bogus'");
  EXPECT_EQ(slurm_error("squeue", "").message, "Slurm refuses (squeue): no reason was given");
}

TEST(Refusals, AControllerThatIsAwayIsSomethingElse) {
  for (const char* text :
       {"slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n",
        "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation\n"}) {
    EXPECT_EQ(slurm_error("sbatch", text).kind, ErrorKind::io) << text;
  }
}

TEST(JobName, IsTheStudysOwn) {
  const std::string name = slurm_job_name("wing, 2", "postgresql://me@db/studies?study=wing");
  EXPECT_EQ(name, slurm_job_name("wing, 2", "postgresql://me@db/studies?study=wing"));
  EXPECT_NE(name, slurm_job_name("wing, 2", "postgresql://me@db/studies?study=other"));
  EXPECT_TRUE(name.starts_with("vbo-wing--2-")) << name;
  EXPECT_EQ(name.find_first_of(", '\""), std::string::npos) << name;
}

// Answers like Slurm, and remembers what it was asked.
struct FakeCommands {
  std::int64_t max_array_size = 1001;
  std::vector<Words> calls;
  int jobs = 0;
  std::string answer;  // of sbatch, behind the job's number

  Result<CommandEnd> operator()(const Words& words) {
    calls.push_back(words);
    if (words[0] == "scontrol") {
      return CommandEnd{true, "MaxArraySize = " + std::to_string(max_array_size) + "\n", ""};
    }
    if (words[0] == "sbatch") return CommandEnd{true, std::to_string(++jobs) + answer + "\n", ""};
    return CommandEnd{true, "", ""};
  }
  Words arrays() const {
    Words found;
    for (const Words& call : calls) {
      for (const std::string& word : call) {
        if (word.starts_with("--array=")) found.push_back(word);
      }
    }
    return found;
  }
};

struct SlurmCommands : ::testing::Test {
  testing::TemporaryFolder folder;
  FakeCommands fake;
  Words accepted;
  SlurmOptions options{.job_name = "vbo-x",
                       .command = {"/opt/it's here/vbo", "work", "/data/study.toml"},
                       .directory = "/data",
                       .log_folder = folder / "logs",
                       .workers = 4,
                       .options = {"--partition=cpu", "--cpus-per-task=1"}};
  std::unique_ptr<Scheduler> slurm() {
    return make_slurm(options, [this](const Words& words) { return fake(words); });
  }
};

TEST_F(SlurmCommands, ArraysAreNoLargerThanTheSiteAllows) {
  fake.max_array_size = 4;
  ASSERT_TRUE(slurm()->submit(10, accepted));
  EXPECT_EQ(fake.arrays(), (Words{"--array=0-3", "--array=0-3", "--array=0-1"}));
  EXPECT_EQ(accepted.size(), 10U);
  EXPECT_EQ(accepted.back(), "3_1");
}

TEST_F(SlurmCommands, ASiteWithoutArraysGetsSingleJobs) {
  fake.max_array_size = 0;
  ASSERT_TRUE(slurm()->submit(3, accepted));
  EXPECT_EQ(fake.arrays(), Words{});
  EXPECT_EQ(fake.calls.size(), 4U);  // scontrol, and three times sbatch
  EXPECT_EQ(accepted, (Words{"1", "2", "3"}));
}

// A squeue that looks at one cluster, and an sbatch that gives the jobs to another.
TEST_F(SlurmCommands, JobsOfAnotherClusterAreAskedForOnce) {
  fake.answer = ";elsewhere";
  const auto scheduler = slurm();
  Fleet fleet(*scheduler, {.jobs = 3}, [](const std::string&) {});
  Result<double> pause = 0.0;
  for (double now = 0.0; pause && now < 1000.0;) {
    pause = fleet.look({.left = 100}, now);
    if (pause) now += *pause;
  }
  ASSERT_FALSE(pause);
  EXPECT_NE(pause.error().message.find("3 jobs of this study (1_0, ...)"), std::string::npos);
  EXPECT_EQ(fake.jobs, 1);
  EXPECT_LT(fake.calls.size(), 40U);  // in five minutes
}

TEST_F(SlurmCommands, TheUsersOptionsComeAfterOurs) {
  ASSERT_TRUE(slurm()->submit(1, accepted));
  const Words& words = fake.calls.back();
  const auto ours = std::find(words.begin(), words.end(), "--cpus-per-task=4");
  const auto theirs = std::find(words.begin(), words.end(), "--cpus-per-task=1");
  ASSERT_NE(ours, words.end());
  ASSERT_NE(theirs, words.end());
  EXPECT_LT(ours, theirs);
}

TEST_F(SlurmCommands, TheScriptKeepsWordsTogether) {
  ASSERT_TRUE(slurm()->submit(1, accepted));
  EXPECT_TRUE(fake.calls.back().back().starts_with(
      "--wrap=exec '/opt/it'\\''s here/vbo' 'work' '/data/study.toml' --name "))
      << fake.calls.back().back();
}

TEST_F(SlurmCommands, ARefusedChunkIsAnError) {
  const auto refuse = make_slurm(options, [this](const Words& words) -> Result<CommandEnd> {
    if (words[0] == "sbatch") {
      return CommandEnd{
          false, "",
          "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy\n"};
    }
    return fake(words);
  });
  const auto submitted = refuse->submit(1, accepted);
  ASSERT_FALSE(submitted);
  EXPECT_NE(submitted.error().message.find("Job violates accounting/QOS policy"),
            std::string::npos);
}

TEST_F(SlurmCommands, WithoutSlurmTheMessageSaysWhatIsMissing) {
  const auto none = make_slurm(options, [](const Words& words) -> Result<CommandEnd> {
    return run_command({"/nowhere/" + words[0]}, 1.0);
  });
  const auto jobs = none->jobs();
  ASSERT_FALSE(jobs);
  EXPECT_EQ(jobs.error().kind, ErrorKind::not_found);
  EXPECT_NE(jobs.error().message.find("squeue"), std::string::npos);
}

TEST_F(SlurmCommands, LastWordsAreTheLastLineOfTheLog) {
  std::filesystem::create_directories(folder / "logs");
  std::ofstream(folder / "logs/3_1.log") << "first\nvbo: sim: no such program\n\n";
  EXPECT_EQ(slurm()->last_words("3_1"),
            "vbo: sim: no such program (" + (folder / "logs/3_1.log") + ")");
  EXPECT_EQ(slurm()->last_words("3_2"), "");
}

TEST(Command, OutputErrorsAndTheExitCode) {
  const auto end = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"}, 10.0);
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->succeeded);
  EXPECT_EQ(end->out, "out\n");
  EXPECT_EQ(end->err, "err\n");
  EXPECT_TRUE(run_command({"true"}, 10.0)->succeeded);
}

TEST(Command, OneThatTakesTooLongIsEnded) {
  const auto end = run_command({"sleep", "100"}, 0.1);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::io);
}

TEST(Command, AShellReadsAWordAsItIs) {
  for (const std::string text : {"plain", "two words", "it's", "$HOME `x` \"y\" \\ *", ""}) {
    const auto end = run_command({"sh", "-c", "printf %s " + shell_word(text)}, 10.0);
    EXPECT_EQ(end->out, text);
  }
}

}  // namespace
}  // namespace vbo
