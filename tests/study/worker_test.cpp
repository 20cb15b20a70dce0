// SPDX-License-Identifier: MIT
// What a worker does when it is told to stop while something runs. Claims, leases and late results
// are tested in tests/storage, whole processes end to end.
#include "vbo/worker.hpp"

#include <gtest/gtest.h>

#include "vbo/study.hpp"

namespace vbo {
namespace {

// Runs one evaluation, tells its worker to stop, and then ends it as the test says.
class StoppingExecutor final : public Executor {
 public:
  StoppingExecutor(std::atomic<int>& interrupts, Outcome end)
      : interrupts_(interrupts), end_(std::move(end)) {}
  std::size_t capacity() const override { return 1; }
  std::size_t running() const override { return runs_ ? 1 : 0; }
  void submit(Job job) override {
    runs_ = true;
    end_.id = job.id;
  }
  std::vector<Outcome> wait(std::chrono::milliseconds) override {
    if (!runs_) return {};
    interrupts_ = 1;
    runs_ = false;
    return {end_};
  }
  void cancel() override { runs_ = false; }

 private:
  std::atomic<int>& interrupts_;
  Outcome end_;
  bool runs_ = false;
};

Trial trial_after_stop(Outcome end) {
  StudyOptions options;
  options.space = Space::make({Parameter::real("x", 0.0, 1.0)}).value();
  options.optimizer.method = "random";
  Study study = Study::open(options).value();
  const TrialId id = study.ask(1).value().front().id;
  const auto storage = study.connect(Access::queue).value();
  std::atomic<int> interrupts = 0;
  StoppingExecutor executor(interrupts, std::move(end));
  WorkOptions work_options;
  work_options.interrupts = &interrupts;
  EXPECT_EQ(work(*storage, executor, work_options).value(), WorkEnd::interrupted);
  return storage->load_trial(id).value().value();
}

TEST(StoppedWorker, StoresWhatEndsWell) {
  Outcome end;
  end.values = {1.5};
  const Trial trial = trial_after_stop(end);
  EXPECT_EQ(trial.state, TrialState::completed);
  EXPECT_EQ(trial.value(), 1.5);
}

TEST(StoppedWorker, GivesBackWhatWasEndedTogetherWithIt) {
  for (const FailureCause cause : {FailureCause::crash, FailureCause::no_program,
                                   FailureCause::lost, FailureCause::no_value}) {
    Outcome end;
    end.failure = Failure{cause, "signal 15"};
    const Trial trial = trial_after_stop(end);
    EXPECT_EQ(trial.state, TrialState::waiting);
    EXPECT_EQ(trial.attempts, 0);  // not counted
  }
}

TEST(StoppedWorker, BelievesWhatSpeaksOfTheInput) {
  for (const FailureCause cause : {FailureCause::infeasible, FailureCause::non_finite,
                                   FailureCause::timeout, FailureCause::reported}) {
    Outcome end;
    end.failure = Failure{cause, "no"};
    EXPECT_EQ(trial_after_stop(end).state, TrialState::failed);
  }
}

TEST(Worker, LeavesWhenTheStudyHasEndedUnlessToldToStay) {
  StudyOptions options;
  options.space = Space::make({Parameter::real("x", 0.0, 1.0)}).value();
  options.optimizer.method = "random";
  Study study = Study::open(options).value();
  const auto storage = study.connect(Access::queue).value();
  storage->set_ended(true).value();
  std::atomic<int> interrupts = 0;
  StoppingExecutor executor(interrupts, {});
  WorkOptions work_options;
  work_options.idle_seconds = 0.01;
  EXPECT_EQ(work(*storage, executor, work_options).value(), WorkEnd::study_ended);
  work_options.leaves_at_end = false;
  EXPECT_EQ(work(*storage, executor, work_options).value(), WorkEnd::idle);
}

}  // namespace
}  // namespace vbo
