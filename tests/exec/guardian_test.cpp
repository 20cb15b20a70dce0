// SPDX-License-Identifier: MIT
// What happens to evaluators when the process that runs the pool is killed.
#include <signal.h>
#include <sys/wait.h>

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

TEST(Guardian, KilledPoolTakesChildrenAndGrandchildrenAlong) {
  const ScratchFolder folder;
  const pid_t victim = fork();
  if (victim == 0) {
    auto pool = make_process_executor(test_space(), shell("echo $$ > " + folder.file("child") +
                                                          "; sleep 1000 & echo $! > " +
                                                          folder.file("grandchild") + "; wait"))
                    .value();
    pool->submit(job(1));
    for (;;) pool->wait(std::chrono::milliseconds(1000));
  }
  const pid_t child = pid_in(folder.file("child"));
  const pid_t grandchild = pid_in(folder.file("grandchild"));
  EXPECT_EQ(kill(child, 0), 0);
  EXPECT_EQ(kill(grandchild, 0), 0);
  kill(victim, SIGKILL);
  waitpid(victim, nullptr, 0);
  EXPECT_TRUE(is_gone(child));
  EXPECT_TRUE(is_gone(grandchild));
}

}  // namespace
}  // namespace vbo
