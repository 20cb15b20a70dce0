// SPDX-License-Identifier: MIT
// What one evaluation costs the system, counted and not timed: processes, programs and syncs of a
// whole study, coordinator and worker together, seen with ptrace.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <optional>
#include <thread>

#include "support/temporary_folder.hpp"
#include "vbo/study.hpp"
#include "vbo/worker.hpp"

namespace vbo::testing {
namespace {

constexpr const char* kServer =
    R"(while read -r line; do line=${line#*: }; echo "{\"id\": ${line%%,*}, \"value\": 1}"; done)";

struct Counts {
  int forks = 0, programs = 0, syncs = 0;
  int exit_code = -1;
};

struct Setting {
  EvaluatorMode mode;
  Containment containment;
  std::size_t workers;
};

// Exit code 0: every evaluation completed.
int run_study(const std::string& file, const Setting& setting, std::int64_t evaluations) {
  StudyOptions options;
  options.space = Space::make({Parameter::real("x", 0.0, 1.0)}).value();
  options.optimizer.method = "sobol";
  options.optimizer.batch = 8;
  options.budget = evaluations;
  options.storage = file;
  Study study = Study::open(options).value();
  ProcessOptions program;
  program.command = {"/bin/echo", "0.5"};
  if (setting.mode == EvaluatorMode::serve) program.command = {"/bin/sh", "-c", kServer};
  program.mode = setting.mode;
  program.containment = setting.containment;
  program.workers = setting.workers;
  std::atomic<int> stop = 0;
  std::atomic<bool> ended = false;
  std::thread worker([&, storage = study.connect(Access::queue).value()]() mutable {
    const auto executor = make_process_executor(options.space, program).value();
    WorkOptions work_options;
    work_options.interrupts = &stop;
    work_options.leaves_at_end = false;
    (void)work(*storage, *executor, work_options);
    storage.reset();
    ended = true;
  });
  RunOptions run;
  run.local_slots = static_cast<std::int64_t>(program.workers);
  run.stop_workers = &stop;
  run.workers_ended = &ended;
  const auto end = study.coordinate(run);
  worker.join();
  return end && study.counts().value().completed == evaluations ? 0 : 1;
}

bool is_sync(std::uint64_t call) {
  return call == SYS_fsync || call == SYS_fdatasync || call == SYS_msync || call == SYS_syncfs;
}

// Follows a process and all it starts until it has ended.
Counts follow(pid_t root) {
  Counts counts;
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, __WALL)) > 0;) {
    if (!WIFSTOPPED(status)) {
      if (pid == root) counts.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
      continue;
    }
    int deliver = 0;
    const int event = status >> 16;
    counts.forks += event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK;
    counts.programs += event == PTRACE_EVENT_EXEC;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      __ptrace_syscall_info info{};
      ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info);
      counts.syncs += info.op == PTRACE_SYSCALL_INFO_ENTRY && is_sync(info.entry.nr);
    } else if (event == 0) {
      deliver = WSTOPSIG(status);
    }
    ptrace(PTRACE_SYSCALL, pid, nullptr, deliver);
  }
  return counts;
}

// Nothing where tracing is not allowed.
std::optional<Counts> count(const Setting& setting, std::int64_t evaluations) {
  const TemporaryFolder folder;
  std::array<int, 2> go{};
  EXPECT_EQ(pipe(go.data()), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    char byte = 0;
    close(go[1]);
    if (read(go[0], &byte, 1) != 1) _exit(2);
    _exit(run_study(folder / "study.db", setting, evaluations));
  }
  constexpr long kOptions = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                            PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  const bool traced = ptrace(PTRACE_SEIZE, pid, nullptr, kOptions) == 0 &&
                      ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) == 0;
  close(go[0]);
  if (traced) {
    EXPECT_EQ(write(go[1], "g", 1), 1);
  }
  close(go[1]);
  const Counts counts = follow(pid);
  if (!traced) return std::nullopt;
  return counts;
}

class CountsOfAnEvaluation : public ::testing::TestWithParam<Setting> {};

TEST_P(CountsOfAnEvaluation, AreBounded) {
  // The difference of two studies: what a study costs once is not an evaluation's.
  constexpr std::int64_t kFew = 40, kMany = 140;
  const std::optional<Counts> few = count(GetParam(), kFew);
  const std::optional<Counts> many = count(GetParam(), kMany);
  if (!few || !many) GTEST_SKIP() << "ptrace is not allowed here";
  ASSERT_EQ(few->exit_code, 0);
  ASSERT_EQ(many->exit_code, 0);
  const int more = static_cast<int>(kMany - kFew);
  const int expected = GetParam().mode == EvaluatorMode::once ? more : 0;
  EXPECT_EQ(many->forks - few->forks, expected);
  EXPECT_EQ(many->programs - few->programs, expected);
  EXPECT_GT(many->syncs, few->syncs);
  EXPECT_LE(many->syncs - few->syncs, 2 * more);
  std::printf("%d evaluations: %d forks, %d programs, %d syncs\n", more, many->forks - few->forks,
              many->programs - few->programs, many->syncs - few->syncs);
}

INSTANTIATE_TEST_SUITE_P(All, CountsOfAnEvaluation,
                         ::testing::Values(Setting{EvaluatorMode::once, Containment::tree, 1},
                                           Setting{EvaluatorMode::once, Containment::group, 1},
                                           Setting{EvaluatorMode::once, Containment::group, 8},
                                           Setting{EvaluatorMode::serve, Containment::tree, 1}),
                         [](const auto& info) {
                           return std::string(info.param.mode == EvaluatorMode::once ? "once_"
                                                                                     : "serve_") +
                                  (info.param.containment == Containment::tree ? "tree_"
                                                                               : "group_") +
                                  std::to_string(info.param.workers);
                         });

}  // namespace
}  // namespace vbo::testing
