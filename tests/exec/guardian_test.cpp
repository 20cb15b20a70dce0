// SPDX-License-Identifier: MIT
// What is left of evaluators, and of what they started, when somebody is killed or runs too long.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>

#include "exec/keeper.hpp"
#include "exec/pool_fixture.hpp"

namespace vbo {
namespace {

pid_t pid_in(const std::string& path) {
  for (int i = 0; i < 1000; ++i) {
    const std::string text = read_text(path);
    if (text.ends_with('\n')) return std::stoi(text);
    usleep(10'000);
  }
  ADD_FAILURE() << path << " did not appear";
  return -1;
}

bool is_alive(pid_t pid) { return pid > 0 && kill(pid, 0) == 0; }

// Its children with this name.
std::vector<pid_t> children_called(pid_t parent, const std::string& name) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string text = read_text(entry.path().string() + "/stat");
    const std::string middle = " (" + name + ") ";
    const std::size_t at = text.find(middle);
    if (at == std::string::npos) continue;
    if (std::stoi(text.substr(at + middle.size() + 2)) == parent) found.push_back(std::stoi(text));
  }
  return found;
}

pid_t child_called(pid_t parent, const std::string& name) {
  for (int i = 0; i < 500; ++i) {
    const std::vector<pid_t> found = children_called(parent, name);
    if (!found.empty()) return found.front();
    usleep(10'000);
  }
  ADD_FAILURE() << parent << " has no child " << name;
  return -1;
}

// With and without a control group: the walk has to do alone what the group makes easy.
class Guardian : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { setenv("VBO_CGROUP", GetParam(), 1); }
  void TearDown() override {
    unsetenv("VBO_CGROUP");
    if (victim_ > 0) {
      kill(victim_, SIGKILL);
      waitpid(victim_, nullptr, 0);
    }
  }

  // Starts a process of three kinds: a child in the group, one in a session of its own, and a
  // daemon whose parent is gone. Their numbers are in files.
  std::string starts_three() const {
    return "echo $$ > " + folder_.file("child") + "; sleep 1000 & echo $! > " +
           folder_.file("grandchild") + "; setsid sleep 1000 & echo $! > " +
           folder_.file("session") + "; (setsid sh -c 'echo $$ > " + folder_.file("daemon") +
           "; trap \"\" TERM HUP; sleep 1000; sleep 1000' > /dev/null 2>&1 &) ; ";
  }

  std::vector<pid_t> all() const {
    return {pid_in(folder_.file("child")), pid_in(folder_.file("grandchild")),
            pid_in(folder_.file("session")), pid_in(folder_.file("daemon"))};
  }

  void expect_alive(const std::vector<pid_t>& pids) const {
    for (const pid_t pid : pids) EXPECT_TRUE(is_alive(pid)) << pid;
  }
  void expect_gone(const std::vector<pid_t>& pids) const {
    for (std::size_t i = 0; i < pids.size(); ++i) EXPECT_TRUE(is_gone(pids[i])) << i;
  }

  // Another process that evaluates this; its outcomes are lines of a file.
  void run_elsewhere(ProcessOptions options, int jobs = 1) {
    victim_ = fork();
    if (victim_ != 0) return;
    options.lost_retries = 3;
    auto pool = make_process_executor(test_space(), std::move(options)).value();
    for (int i = 1; i <= jobs; ++i) {
      pool->submit(job(i));
      while (pool->running() > 0) {
        for (const Outcome& outcome : pool->wait(std::chrono::milliseconds(1000))) {
          std::ofstream(folder_.file("outcome" + std::to_string(outcome.id)))
              << (outcome.value() ? "value" : outcome.failure->message) << "\n";
        }
      }
    }
    _exit(0);
  }

  ScratchFolder folder_;
  pid_t victim_ = -1;
};

INSTANTIATE_TEST_SUITE_P(Cgroup, Guardian, testing::Values("off", "on"));

TEST_P(Guardian, KilledPoolTakesEverythingAlong) {
  run_elsewhere(shell(starts_three() + "wait; sleep 1000"));
  const std::vector<pid_t> pids = all();
  expect_alive(pids);
  const pid_t guardian = child_called(victim_, "vbo-guardian");
  kill(victim_, SIGKILL);
  waitpid(victim_, nullptr, 0);
  expect_gone(pids);
  EXPECT_TRUE(is_gone(guardian));
  victim_ = -1;
}

// It could not notice the end of the pool any more, and would outlive it.
TEST_P(Guardian, WithoutRoomForDescriptorsItEndsAtOnce) {
  victim_ = fork();
  if (victim_ == 0) {
    const rlimit few{16, 16};
    setrlimit(RLIMIT_NOFILE, &few);
    const auto pool = make_process_executor(test_space(), shell("echo 1"));
    for (;;) pause();
  }
  EXPECT_TRUE(is_gone(child_called(victim_, "vbo-guardian")));
}

TEST_P(Guardian, TimeoutEndsEverything) {
  ProcessOptions options = shell(starts_three() + "trap '' TERM; sleep 1000; sleep 1000");
  options.timeout_seconds = 1.0;
  options.grace_seconds = 0.2;
  const Outcome outcome = evaluate(options);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->cause, FailureCause::timeout);
  for (const pid_t pid : all()) EXPECT_FALSE(is_alive(pid)) << "already when the outcome is there";
}

TEST_P(Guardian, EndOfTheProgramEndsWhatItLeft) {
  const Outcome outcome = evaluate(shell(starts_three() + "while ! [ -s " + folder_.file("daemon") +
                                         " ]; do sleep 0.01; done; echo 3"));
  EXPECT_EQ(outcome.value(), 3.0);
  for (const pid_t pid : all()) EXPECT_FALSE(is_alive(pid));
}

TEST_P(Guardian, CancelEndsEverything) {
  auto pool = make_process_executor(test_space(), shell(starts_three() + "sleep 1000")).value();
  pool->submit(job(1));
  const std::vector<pid_t> pids = all();
  expect_alive(pids);
  pool->cancel();
  for (const pid_t pid : pids) EXPECT_FALSE(is_alive(pid));
}

// A keeper has one group for all its evaluators; it goes with the keeper.
TEST_P(Guardian, GroupsServeTheNextEvaluatorAndAreRemoved) {
  const std::string folder = usable_cgroup();
  if (folder.empty()) GTEST_SKIP() << "no control group can be made";
  const auto groups = [&] {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("vbo-")) found.insert(name);
    }
    return found;
  };
  const std::set<std::string> before = groups();
  std::set<double> parents;
  {
    ProcessOptions options =
        shell("(setsid sleep 1000 &) ; sed -n 's/^0::.*vbo-//p' /proc/self/cgroup");
    options.workers = 2;
    auto pool = make_process_executor(test_space(), options).value();
    for (TrialId id = 1; id <= 6; ++id) {
      pool->submit(job(id));
      parents.insert(collect(*pool).at(id).value().value());
    }
  }
  EXPECT_EQ(parents.size(), 1U);  // the process id of the keeper is the name of its group
  std::set<std::string> after = groups();
  for (int i = 0; i < 500 && after != before; ++i) {
    usleep(10'000);
    after = groups();
  }
  EXPECT_EQ(after, before);
}

TEST_P(Guardian, KilledGuardianIsReplaced) {
  // The first evaluation goes on without it; the second is started by another, which guards too.
  run_elsewhere(
      shell("if [ $VBO_TRIAL_ID = 1 ]; then while ! [ -e " + folder_.file("go") +
            " ]; do sleep 0.01; done; echo 1; else " + starts_three() + "wait; sleep 1000; fi"),
      2);
  const pid_t first = child_called(victim_, "vbo-guardian");
  child_called(first, "vbo-keeper");
  kill(first, SIGKILL);
  EXPECT_TRUE(is_gone(first));
  pid_t second = first;
  for (int i = 0; i < 500 && (second == first || second < 0); ++i) {
    const std::vector<pid_t> found = children_called(victim_, "vbo-guardian");
    if (!found.empty() && is_alive(found.front())) second = found.front();
    usleep(10'000);
  }
  EXPECT_NE(second, first) << "noticed before it is needed";
  std::ofstream(folder_.file("go")) << "now";
  const std::vector<pid_t> pids = all();
  EXPECT_EQ(read_text(folder_.file("outcome1")), "value\n");
  kill(victim_, SIGKILL);
  waitpid(victim_, nullptr, 0);
  victim_ = -1;
  expect_gone(pids);
}

TEST_P(Guardian, KilledKeeperIsACrashAndLeavesNothing) {
  run_elsewhere(shell(starts_three() + "wait; sleep 1000"));
  const std::vector<pid_t> pids = all();
  const pid_t guardian = child_called(victim_, "vbo-guardian");
  kill(child_called(guardian, "vbo-keeper"), SIGKILL);
  expect_gone(pids);
  int status = 0;
  waitpid(victim_, &status, 0);
  victim_ = -1;
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_text(folder_.file("outcome1")), "the evaluator ended with signal 9 (Killed)\n");
}

TEST_P(Guardian, AForkedCopyOfThePoolKeepsNothingAlive) {
  // A process forked from vbo holds the sockets open; the keeper looks at vbo itself.
  const pid_t parent = fork();
  if (parent == 0) {
    auto pool =
        make_process_executor(test_space(), shell(starts_three() + "wait; sleep 1000")).value();
    pool->submit(job(1));
    const pid_t copy = fork();
    if (copy == 0) {
      sleep(60);
      _exit(0);
    }
    std::ofstream(folder_.file("copy")) << copy << "\n";
    for (;;) pool->wait(std::chrono::milliseconds(1000));
  }
  const std::vector<pid_t> pids = all();
  const pid_t copy = pid_in(folder_.file("copy"));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  expect_gone(pids);
  EXPECT_TRUE(is_alive(copy));
  kill(copy, SIGKILL);
}

// What containment = "group" kills, and what it does not: the session and the daemon are not in the
// group.
class GuardedGroup : public Guardian {
 protected:
  ProcessOptions grouped(const std::string& script) {
    ProcessOptions options = shell(starts_three() + script);
    options.containment = Containment::group;
    return options;
  }

  // The program and its child are gone; the others live, until now.
  void expect_only_the_group_is_gone(std::vector<pid_t> pids) {
    ASSERT_EQ(pids.size(), 4U);
    expect_gone({pids[0], pids[1]});
    expect_alive({pids[2], pids[3]});
    for (const pid_t pid : {pids[2], pids[3]}) kill(-pid, SIGKILL);
    expect_gone({pids[2], pids[3]});
  }
};

INSTANTIATE_TEST_SUITE_P(Cgroup, GuardedGroup, testing::Values("on"));

TEST_P(GuardedGroup, KilledPoolTakesTheGroupAlong) {
  run_elsewhere(grouped("wait; sleep 1000"));
  const std::vector<pid_t> pids = all();
  expect_alive(pids);
  const pid_t guardian = child_called(victim_, "vbo-guardian");
  EXPECT_TRUE(children_called(guardian, "vbo-keeper").empty());
  kill(victim_, SIGKILL);
  waitpid(victim_, nullptr, 0);
  victim_ = -1;
  expect_only_the_group_is_gone(pids);
  EXPECT_TRUE(is_gone(guardian));
}

TEST_P(GuardedGroup, TimeoutEndsTheGroup) {
  ProcessOptions options = grouped("trap '' TERM; sleep 1000; sleep 1000");
  options.timeout_seconds = 1.0;
  options.grace_seconds = 0.2;
  const Outcome outcome = evaluate(options);
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->cause, FailureCause::timeout);
  expect_only_the_group_is_gone(all());
}

TEST_P(GuardedGroup, EndOfTheProgramEndsTheGroup) {
  EXPECT_EQ(evaluate(grouped("while ! [ -s " + folder_.file("daemon") +
                             " ]; do sleep 0.01; done; echo 3"))
                .value(),
            3.0);
  expect_only_the_group_is_gone(all());
}

TEST_P(GuardedGroup, CancelEndsTheGroup) {
  auto pool = make_process_executor(test_space(), grouped("sleep 1000")).value();
  pool->submit(job(1));
  const std::vector<pid_t> pids = all();
  pool->cancel();
  expect_only_the_group_is_gone(pids);
}

TEST_P(GuardedGroup, KilledGuardianIsReplacedAndKnowsTheGroup) {
  run_elsewhere(grouped("wait; sleep 1000"));
  const std::vector<pid_t> pids = all();
  const pid_t first = child_called(victim_, "vbo-guardian");
  kill(first, SIGKILL);
  EXPECT_TRUE(is_gone(first));
  pid_t second = first;
  for (int i = 0; i < 500 && second == first; ++i) {
    const std::vector<pid_t> found = children_called(victim_, "vbo-guardian");
    if (!found.empty() && is_alive(found.front())) second = found.front();
    usleep(10'000);
  }
  EXPECT_NE(second, first);
  kill(victim_, SIGKILL);
  waitpid(victim_, nullptr, 0);
  victim_ = -1;
  expect_only_the_group_is_gone(pids);
}

}  // namespace
}  // namespace vbo
