// SPDX-License-Identifier: MIT
// Coordinator and workers wake each other up: no wait may end by its timeout while there is work.
// Ten thousand evaluations by real programs over all combinations; with VBO_LONG_TESTS=1 ten
// thousand in each.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "support/temporary_folder.hpp"
#ifdef VBO_TEST_POSTGRES
#include "support/postgres_server.hpp"
#endif
#include "vbo/study.hpp"
#include "vbo/worker.hpp"

namespace vbo::testing {
namespace {

// Answers every request of mode = "serve" with the same value, without leaving the shell.
constexpr const char* kServer =
    R"(while read -r line; do line=${line#*: }; echo "{\"id\": ${line%%,*}, \"value\": 1}"; done)";

struct Setting {
  std::string storage;  // disk, memory_disk or postgres
  std::size_t workers;
  EvaluatorMode mode;
  bool same_process;  // as far as the storage can tell
};

std::string name_of(const ::testing::TestParamInfo<Setting>& info) {
  return info.param.storage + "_" + std::to_string(info.param.workers) +
         (info.param.mode == EvaluatorMode::once ? "_once" : "_serve") +
         (info.param.same_process ? "" : "_apart");
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  std::vector<std::string> storages = {"disk"};
  if (access("/dev/shm", W_OK) == 0) storages.emplace_back("memory_disk");
#ifdef VBO_TEST_POSTGRES
  storages.emplace_back("postgres");
#endif
  for (const std::string& storage : storages) {
    for (const std::size_t workers : {1U, 8U}) {
      for (const EvaluatorMode mode : {EvaluatorMode::once, EvaluatorMode::serve}) {
        all.push_back({storage, workers, mode, true});
        if (mode == EvaluatorMode::serve) all.push_back({storage, workers, mode, false});
      }
    }
  }
  return all;
}

class WakeUp : public ::testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    url_ = folder_ / "study.db";
    if (GetParam().storage == "memory_disk") {
      std::string pattern = "/dev/shm/vbo-wakeup-XXXXXX";
      memory_disk_ = mkdtemp(pattern.data());
      url_ = memory_disk_ / "study.db";
    }
#ifdef VBO_TEST_POSTGRES
    if (GetParam().storage == "postgres") url_ = PostgresServer::instance().fresh_study();
#endif
  }
  ~WakeUp() override {
    std::error_code ignored;
    if (!memory_disk_.empty()) std::filesystem::remove_all(memory_disk_, ignored);
  }

  TemporaryFolder folder_;
  std::filesystem::path memory_disk_;
  std::string url_;
};

TEST_P(WakeUp, NoWaitTimesOutWhileThereIsWork) {
  StudyOptions options;
  options.space = Space::make({Parameter::real("x", 0.0, 1.0)}).value();
  options.optimizer.method = "sobol";
  options.optimizer.batch = 8;
  options.budget = std::getenv("VBO_LONG_TESTS") ? 10'000 : 600;
  options.storage = url_;
  Study study = Study::open(options).value();

  ProcessOptions program;
  program.command = {"/bin/echo", "0.5"};
  if (GetParam().mode == EvaluatorMode::serve) program.command = {"/bin/sh", "-c", kServer};
  program.mode = GetParam().mode;
  program.workers = GetParam().workers;
  std::atomic<int> stop = 0;
  std::atomic<bool> ended = false;
  std::atomic<std::int64_t> missed_results = 0, missed_trials = 0;
  std::thread worker([&, storage = GetParam().same_process
                                       ? study.connect(Access::queue).value()
                                       : open_storage(url_, Access::queue).value()]() mutable {
    const auto executor = make_process_executor(options.space, program).value();
    WorkOptions work_options;
    work_options.interrupts = &stop;
    work_options.leaves_at_end = false;
    work_options.unannounced = &missed_trials;
    EXPECT_EQ(work(*storage, *executor, work_options).value(), WorkEnd::interrupted);
    storage.reset();
    ended = true;
  });
  RunOptions run;
  run.local_slots = static_cast<std::int64_t>(program.workers);
  run.stop_workers = &stop;
  run.workers_ended = &ended;
  run.unannounced = &missed_results;
  EXPECT_EQ(study.coordinate(run).value(), RunEnd::budget_spent);
  worker.join();
  EXPECT_EQ(study.counts().value().completed, options.budget);
  EXPECT_EQ(missed_results, 0);
  EXPECT_EQ(missed_trials, 0);
}

INSTANTIATE_TEST_SUITE_P(All, WakeUp, ::testing::ValuesIn(settings()), name_of);

}  // namespace
}  // namespace vbo::testing
