// SPDX-License-Identifier: MIT
// mode = "once", against real little programs.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <set>

#include "exec/pool_fixture.hpp"

namespace vbo {
namespace {

using testing::HasSubstr;

FailureCause cause_of(const Outcome& outcome) {
  EXPECT_TRUE(outcome.failure.has_value());
  return outcome.failure.value_or(Failure{}).cause;
}

// Whatever contains them: every behaviour of the contract is the same.
class Once : public testing::TestWithParam<Containment> {
 protected:
  static ProcessOptions contained(ProcessOptions options) {
    options.containment = GetParam();
    return options;
  }
  static Result<std::unique_ptr<Executor>> make(ProcessOptions options) {
    return make_process_executor(test_space(), contained(std::move(options)));
  }
  static Outcome evaluate(ProcessOptions options) {
    return vbo::evaluate(contained(std::move(options)));
  }
};

INSTANTIATE_TEST_SUITE_P(Contained, Once, testing::Values(Containment::tree, Containment::group),
                         [](const auto& info) {
                           return info.param == Containment::tree ? "tree" : "group";
                         });

// One keeper serves them all, or vbo does it itself: an evaluation costs one fork and one exec.
TEST_P(Once, TheNextProgramHasTheSameParent) {
  ProcessOptions options = shell("echo $PPID");
  options.workers = 2;
  auto pool = make(options).value();
  std::set<double> parents;
  for (TrialId id = 1; id <= 10; ++id) {
    pool->submit(job(id));
    parents.insert(collect(*pool).at(id).value().value());
  }
  EXPECT_EQ(parents.size(), 1U);
  EXPECT_EQ(parents.contains(getpid()), GetParam() == Containment::group);
}

TEST_P(Once, TakesTheLastNumberPrinted) {
  const Outcome outcome = evaluate(shell("echo start; echo 1; echo -2.5; echo done"));
  EXPECT_EQ(outcome.value(), -2.5);
  EXPECT_EQ(outcome.attempts, 1);
  EXPECT_GT(outcome.seconds, 0.0);
}

TEST_P(Once, TakesAJsonValue) {
  EXPECT_EQ(evaluate(shell(R"(echo '{"value": 4.5, "time": 3}')")).value(), 4.5);
}

TEST_P(Once, ReplacesParametersInArgumentsWithoutAShell) {
  ProcessOptions options;
  options.command = {"python3", "-c", "import sys; print(len(sys.argv[1]) + float(sys.argv[2]))",
                     "{kind}; exit 1", "{x}"};
  EXPECT_EQ(evaluate(options).value(), 11 + 1.5);
}

TEST_P(Once, GivesParametersAndIdInTheEnvironment) {
  ProcessOptions options =
      shell(R"(test "$VBO_TRIAL_ID" = 7 && test "$VBO_PARAMS" = '{"x":1.5,"n":3,"kind":"a b"}' )"
            R"(&& test "$EXTRA" = yes && echo 1)");
  options.environment = {{"EXTRA", "yes"}};
  setenv("VBO_PARAMS", "not this", 1);  // of a vbo that runs us
  EXPECT_EQ(evaluate(options).value(), 1.0);
  unsetenv("VBO_PARAMS");
}

TEST_P(Once, GivesSeedAndRepeat) {
  Job seeded = job(7);
  seeded.seed = 1234;
  seeded.repeat = 2;
  const std::string script = R"(test "$VBO_SEED" = 1234 && test "$VBO_REPEAT" = 2 && echo {seed})";
  EXPECT_EQ(vbo::evaluate(contained(shell(script)), seeded).value(), 1234.0);
}

TEST_P(Once, OptionsThatNoProcessCanHaveAreRefused) {
  const auto problem = [](ProcessOptions options) {
    const auto made = make(std::move(options));
    return made ? std::string("none") : made.error().field + ": " + made.error().message;
  };
  ProcessOptions options = shell("echo 1");
  EXPECT_EQ(problem(options), "none");
  for (const char* name : {"VBO_PARAMS", "VBO_TRIAL_ID", "VBO_SEED", "VBO_REPEAT"}) {
    options.environment = {{name, "x"}};
    EXPECT_THAT(problem(options), HasSubstr(std::string("env: env sets ") + name));
  }
  options.environment = {{"A", std::string("x\0y", 3)}};
  EXPECT_THAT(problem(options), HasSubstr("NUL character in A"));
  options.environment = {{"A=B", "x"}};
  EXPECT_THAT(problem(options), HasSubstr("has the name \"A=B\""));
  options.environment.clear();
  options.command.back() += std::string("\0", 1);
  EXPECT_THAT(problem(options), HasSubstr("command has a NUL character"));
}

TEST_P(Once, RunsInTheFolderItIsTold) {
  const ScratchFolder folder;
  std::ofstream(folder.file("prog")) << "#!/bin/sh\npwd >&2\necho 5\n";
  std::filesystem::permissions(folder.file("prog"), std::filesystem::perms::owner_all);
  ProcessOptions options;
  options.command = {"./prog"};
  options.directory = folder.path();
  const Outcome outcome = evaluate(options);
  EXPECT_EQ(outcome.value(), 5.0);
  EXPECT_EQ(outcome.stderr_tail, std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST_P(Once, TerminatedFromOutsideIsNoCrash) {
  for (const auto& [signal, cause] : {std::pair{"TERM", FailureCause::lost},
                                      {"HUP", FailureCause::lost},
                                      {"KILL", FailureCause::crash},
                                      {"SEGV", FailureCause::crash}}) {
    ProcessOptions options = shell(std::string("kill -") + signal + " $$; echo 1");
    options.retries = options.lost_retries = 0;
    EXPECT_EQ(cause_of(evaluate(options)), cause) << signal;
  }
}

TEST_P(Once, StandardInputIsEmpty) { EXPECT_EQ(evaluate(shell("cat; echo 3")).value(), 3.0); }

TEST_P(Once, LeaksNoFileDescriptors) {
  const int inherited = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  // The listing itself opens one more, on the folder it reads.
  EXPECT_EQ(evaluate(shell("ls /proc/self/fd | wc -l")).value(), 4.0);
  close(inherited);
}

TEST_P(Once, NoValueAndNonFiniteValuesAreFailures) {
  EXPECT_EQ(cause_of(evaluate(shell("echo hello"))), FailureCause::no_value);
  EXPECT_EQ(cause_of(evaluate(shell("true"))), FailureCause::no_value);
  EXPECT_EQ(cause_of(evaluate(shell("echo nan"))), FailureCause::non_finite);
  EXPECT_EQ(cause_of(evaluate(shell("echo 1; echo -inf"))), FailureCause::non_finite);
}

TEST_P(Once, ExitCodesMeanWhatTheContractSays) {
  EXPECT_EQ(cause_of(evaluate(shell("echo 1; exit 65"))), FailureCause::infeasible);
  const Outcome crashed = evaluate(shell("echo 1; echo oops >&2; exit 3"));
  EXPECT_EQ(cause_of(crashed), FailureCause::crash);
  EXPECT_THAT(crashed.failure->message, HasSubstr("exit code 3"));
  EXPECT_EQ(crashed.stderr_tail, "oops\n");
  for (const char* code : {"126", "127"}) {  // of a shell that finds no program
    EXPECT_EQ(cause_of(evaluate(shell(std::string("exit ") + code))), FailureCause::no_program);
  }
  const Outcome killed = evaluate(shell("kill -SEGV $$"));
  EXPECT_EQ(cause_of(killed), FailureCause::crash);
  EXPECT_THAT(killed.failure->message, HasSubstr("signal 11"));
}

TEST_P(Once, RetriesAreBoundedPerCause) {
  const ScratchFolder folder;
  const std::string count = "echo x >> " + folder.file("count") + "; ";
  const auto attempts = [&](const std::string& script, int retries) {
    std::filesystem::remove(folder.file("count"));
    ProcessOptions options = shell(count + script);
    options.retries = retries;
    const Outcome outcome = evaluate(options);
    EXPECT_EQ(static_cast<std::size_t>(2 * outcome.attempts),
              read_text(folder.file("count")).size());
    return outcome.attempts;
  };
  EXPECT_EQ(attempts("exit 1", 2), 3);
  EXPECT_EQ(attempts("true", 1), 2);
  EXPECT_EQ(attempts("exit 75", 0), 4);
  EXPECT_EQ(attempts("exit 65", 5), 1);
  EXPECT_EQ(attempts("echo nan", 5), 1);
}

TEST_P(Once, ARetryCanSucceed) {
  const ScratchFolder folder;
  const std::string flag = folder.file("flag");
  const Outcome outcome =
      evaluate(shell("if test -e " + flag + "; then echo 8; else touch " + flag + "; exit 75; fi"));
  EXPECT_EQ(outcome.value(), 8.0);
  EXPECT_EQ(outcome.attempts, 2);
}

TEST_P(Once, TimeoutKillsTheWholeGroup) {
  const ScratchFolder folder;
  ProcessOptions options =
      shell("sleep 1000 & echo $! > " + folder.file("pid") + "; echo 1; echo slow >&2; wait");
  options.timeout_seconds = 0.3;
  options.retries = 3;
  const Outcome outcome = evaluate(options);
  EXPECT_EQ(cause_of(outcome), FailureCause::timeout);
  EXPECT_THAT(outcome.failure->message, HasSubstr("0.3 s"));
  EXPECT_EQ(outcome.attempts, 1);
  EXPECT_EQ(outcome.stderr_tail, "slow\n");
  EXPECT_TRUE(is_gone(std::stoi(read_text(folder.file("pid")))));
}

// Longer than a clock of 64 bits can count, and yet not over at once.
TEST_P(Once, TimeoutMayBeAsLongAsOneLikes) {
  for (const double seconds : {1e9, 1e10, 1e300}) {
    ProcessOptions options = shell("sleep 0.05; echo 3");
    options.timeout_seconds = seconds;
    EXPECT_EQ(evaluate(options).value(), 3.0) << seconds;
  }
}

TEST_P(Once, TimeoutKillsWhoIgnoresTheTermination) {
  const ScratchFolder folder;
  ProcessOptions options =
      shell("trap '' TERM; (trap '' TERM; while :; do sleep 0.05; done) & echo $! > " +
            folder.file("pid") + "; while :; do sleep 0.05; done");
  options.timeout_seconds = 0.3;
  options.grace_seconds = 0.2;
  EXPECT_EQ(cause_of(evaluate(options)), FailureCause::timeout);
  EXPECT_TRUE(is_gone(std::stoi(read_text(folder.file("pid")))));
}

TEST_P(Once, WhatIsLeftOfAGroupEndsWithItsLeader) {
  const ScratchFolder folder;
  // The left-over holds standard output open: waiting for its end would take forever.
  const Outcome outcome =
      evaluate(shell("sleep 1000 & echo $! > " + folder.file("pid") + "; echo 6"));
  EXPECT_EQ(outcome.value(), 6.0);
  EXPECT_TRUE(is_gone(std::stoi(read_text(folder.file("pid")))));
}

TEST_P(Once, HugeOutputIsBoundedAndStillRead) {
  const Outcome outcome = evaluate(shell(
      "head -c 30000000 /dev/zero | tr '\\0' 'a'; head -c 300000 /dev/zero | tr '\\0' 'b' >&2; "
      "echo; echo end >&2; echo 9"));
  EXPECT_EQ(outcome.value(), 9.0);
  EXPECT_EQ(outcome.stderr_tail.size(), 4096U);
  EXPECT_TRUE(outcome.stderr_tail.ends_with("bend\n"));
}

TEST_P(Once, ClosingItsStreamsEarlyIsFine) {
  EXPECT_EQ(cause_of(evaluate(shell("exec >&- 2>&-; sleep 0.1"))), FailureCause::no_value);
  EXPECT_EQ(evaluate(shell("echo 2; exec >&- 2>&-; sleep 0.1")).value(), 2.0);
}

TEST_P(Once, MissingProgramIsAFailureThatNamesIt) {
  ProcessOptions options;
  options.command = {"/no/such/program"};
  const Outcome outcome = evaluate(options);
  EXPECT_EQ(cause_of(outcome), FailureCause::no_program);
  EXPECT_THAT(outcome.failure->message,
              HasSubstr("cannot start \"/no/such/program\": No such file"));
  const ScratchFolder folder;
  std::ofstream(folder.file("text")) << "not a program";
  options.command = {folder.file("text")};
  EXPECT_THAT(evaluate(options).failure->message, HasSubstr("Permission denied"));
}

TEST_P(Once, IgnoresSigintOfItsParentsGroup) {
  // Its own group: a Ctrl-C in the terminal reaches vbo only.
  EXPECT_EQ(evaluate(shell("test $(cut -d' ' -f5 /proc/$$/stat) = $$ && echo 1")).value(), 1.0);
}

TEST_P(Once, SignalsAreAtTheirDefaultsInTheChild) {
  signal(SIGUSR1, SIG_IGN);
  // Signals 32 and 33 belong to the C library: whoever is started by posix_spawn(), as `make` does,
  // ignores them, and no program may change that.
  const Outcome outcome =
      evaluate(shell("echo $((0x$(awk '/SigIgn/ {print $2}' /proc/self/status) & ~0x180000000))"));
  signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(outcome.value(), 0.0);
}

TEST_P(Once, WorkersRunAtTheSameTimeAndASlowOneHoldsNobodyBack) {
  const ScratchFolder folder;
  // Trial 1 ends only after trials 2 to 9 have ended.
  ProcessOptions options =
      shell("cd " + folder.path().string() +
            "; if test $VBO_TRIAL_ID = 1; then until test -e go; do sleep 0.02; "
            "done; fi; echo $VBO_TRIAL_ID");
  options.workers = 2;
  auto pool = make(options).value();
  pool->submit(job(1));
  for (TrialId id = 2; id <= 9; ++id) {
    pool->submit(job(id));
    EXPECT_EQ(pool->running(), 2U);
    std::vector<Outcome> ended;
    while (ended.empty()) ended = pool->wait(std::chrono::milliseconds(1000));
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended[0].id, id);
  }
  std::ofstream(folder.file("go")) << "now";
  EXPECT_EQ(collect(*pool).at(1).value(), 1.0);
}

TEST_P(Once, CancelKillsAndForgets) {
  const ScratchFolder folder;
  ProcessOptions options =
      shell("echo $$ > " + folder.file("pid") + ".tmp; mv " + folder.file("pid") + ".tmp " +
            folder.file("pid") + "; sleep 1000");
  auto pool = make(options).value();
  pool->submit(job(1));
  while (!std::filesystem::exists(folder.file("pid"))) pool->wait(std::chrono::milliseconds(10));
  pool->cancel();
  pool->cancel();
  EXPECT_EQ(pool->running(), 0U);
  EXPECT_TRUE(pool->wait(std::chrono::milliseconds(50)).empty());
  EXPECT_TRUE(is_gone(std::stoi(read_text(folder.file("pid")))));
}

TEST_P(Once, LeavesNoZombies) {
  for (int i = 0; i < 5; ++i) evaluate(shell("echo 1"));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_P(Once, WrongOptionsAreRefused) {
  EXPECT_FALSE(make({}).has_value());
  ProcessOptions options = shell("echo {y}");
  EXPECT_THAT(make(options).error().message, HasSubstr("{y}"));
  options = shell("echo");
  options.workers = 0;
  EXPECT_THAT(make(options).error().message, HasSubstr("workers"));
}

}  // namespace
}  // namespace vbo
