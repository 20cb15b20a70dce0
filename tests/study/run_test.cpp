// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "storage/memory/memory.hpp"
#include "study/support.hpp"

namespace vbo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kill_study;
using testing::objective;
using testing::open_on;
using testing::points_of;
using testing::small_study;

// Runs nothing: the test says which of the submitted jobs end, and how, at every wait().
class ScriptedExecutor final : public Executor {
 public:
  using Step = std::function<std::vector<Outcome>(std::vector<Job>& running)>;
  ScriptedExecutor(std::size_t capacity, Step step) : capacity_(capacity), step_(std::move(step)) {}

  std::size_t capacity() const override { return capacity_; }
  std::size_t running() const override { return running_.size(); }
  void submit(Job job) override {
    EXPECT_LT(running_.size(), capacity_);
    submitted.push_back(job.id);
    running_.push_back(std::move(job));
    most_running = std::max(most_running, running_.size());
  }
  std::vector<Outcome> wait(std::chrono::milliseconds) override { return step_(running_); }
  void cancel() override {
    ++cancelled;
    running_.clear();
  }

  std::vector<TrialId> submitted;
  std::size_t most_running = 0;
  int cancelled = 0;

 private:
  std::size_t capacity_;
  Step step_;
  std::vector<Job> running_;
};

Outcome value_of(const Job& job) { return {.id = job.id, .values = {objective(job.point)}}; }
Outcome failure_of(const Job& job, FailureCause cause = FailureCause::crash) {
  return {.id = job.id, .failure = Failure{cause, "failed"}, .attempts = 2};
}

// The oldest job ends.
ScriptedExecutor::Step oldest(std::function<Outcome(const Job&)> evaluate = value_of) {
  return [evaluate](std::vector<Job>& running) {
    const Job job = running.front();
    running.erase(running.begin());
    return std::vector{evaluate(job)};
  };
}

std::vector<std::size_t> sizes_of_asks(MemoryStorage& storage) {
  std::map<EventId, std::size_t> sizes;
  for (const Trial& trial : storage.load_trials(1, -1).value()) ++sizes[trial.asked_in];
  std::vector<std::size_t> list;
  for (const auto& [event, size] : sizes) list.push_back(size);
  return list;
}

TEST(Run, SpendsTheBudgetAndKeepsEveryWorkerBusy) {
  MemoryStorage storage;
  StudyOptions options = small_study();
  options.budget = 13;
  options.optimizer.batch = 4;
  Study study = open_on(storage, options).value();
  ScriptedExecutor executor(6, oldest());
  std::vector<TrialId> started;
  std::vector<TrialId> finished;
  RunOptions run;
  run.on_started = [&](const Trial& trial) {
    EXPECT_EQ(trial.state, TrialState::running);
    EXPECT_EQ(storage.load_trial(trial.id).value()->state, TrialState::running);
    started.push_back(trial.id);
  };
  run.on_finished = [&](const Trial& trial) {
    EXPECT_EQ(trial.value(), objective(trial.point));
    EXPECT_EQ(storage.load_trial(trial.id).value()->value(), trial.value());
    finished.push_back(trial.id);
  };
  EXPECT_EQ(study.run(executor, run).value(), RunEnd::budget_spent);
  EXPECT_EQ(executor.most_running, 6U);
  EXPECT_EQ(started.size(), 13U);
  EXPECT_EQ(started, finished);
  EXPECT_EQ(executor.submitted, started);
  // A batch, what fills the other workers, then one for each that ended.
  EXPECT_THAT(sizes_of_asks(storage), ElementsAre(4, 2, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(storage.load_trials(1, -1).value().size(), 13U);  // none asked for in vain
  EXPECT_EQ(study.run(executor, run).value(), RunEnd::budget_spent);
  EXPECT_EQ(started.size(), 13U);
}

TEST(Run, ASlowEvaluationHoldsNobodyBack) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();
  ScriptedExecutor executor(3, [](std::vector<Job>& running) {
    const auto next = running.size() > 1 && running.front().id == 1 ? 1 : 0;  // trial 1 is slow
    const Job job = running[next];
    running.erase(running.begin() + next);
    return std::vector{value_of(job)};
  });
  EXPECT_EQ(study.run(executor).value(), RunEnd::budget_spent);
  const auto trials = storage.load_trials(1, -1).value();
  ASSERT_EQ(trials.size(), 40U);
  for (const Trial& trial : trials) EXPECT_LE(trial.told_in, trials[0].told_in);
}

TEST(Run, OutcomesOfOneWaitAreOneEventInTheOrderOfIds) {
  MemoryStorage storage;
  StudyOptions options = small_study();
  options.budget = 6;
  Study study = open_on(storage, options).value();
  ScriptedExecutor executor(3, [](std::vector<Job>& running) {
    std::vector<Outcome> all;
    for (const Job& job : running) all.insert(all.begin(), value_of(job));
    running.clear();
    return all;
  });
  EXPECT_EQ(study.run(executor).value(), RunEnd::budget_spent);
  const auto trials = storage.load_trials(1, -1).value();
  for (const Trial& trial : trials) EXPECT_EQ(trial.told_in, trial.id <= 3 ? 2 : 4);
}

TEST(Run, FailuresCountAndStopItWhenTheyDoNotEnd) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();
  RunOptions run;
  run.stop.failures_in_a_row = 3;
  int count = 0;
  ScriptedExecutor executor(2, oldest([&](const Job& job) {  // two failures, a success, failures
                              return ++count == 3 ? value_of(job) : failure_of(job);
                            }));
  EXPECT_EQ(study.run(executor, run).value(), RunEnd::too_many_failures);
  const auto counts = study.counts().value();
  EXPECT_EQ(counts.completed, 1);
  EXPECT_EQ(counts.failed, 6);  // 2 + 3, and the one that ran meanwhile
  EXPECT_EQ(counts.running + counts.waiting, 0);
  EXPECT_EQ(storage.load_trial(1).value()->failure->message, "failed");
  EXPECT_EQ(storage.load_trial(1).value()->attempts, 2);
  run.stop.failures_in_a_row = 0;
  EXPECT_EQ(study.run(executor, run).value(), RunEnd::budget_spent);
  EXPECT_EQ(study.counts().value().failed, 39);
}

TEST(Run, InfeasibleInputsAreNoReasonToStop) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();
  RunOptions run;
  run.stop.failures_in_a_row = 3;
  ScriptedExecutor executor(
      2, oldest([](const Job& job) { return failure_of(job, FailureCause::infeasible); }));
  EXPECT_EQ(study.run(executor, run).value(), RunEnd::budget_spent);
}

TEST(Run, OddOutcomesAreFailures) {
  MemoryStorage storage;
  StudyOptions options = small_study();
  options.budget = 2;
  Study study = open_on(storage, options).value();
  ScriptedExecutor executor(1, oldest([](const Job& job) {
                              Outcome outcome{.id = job.id};
                              if (job.id == 1) outcome.values = {std::nan("")};
                              return outcome;
                            }));
  EXPECT_EQ(study.run(executor).value(), RunEnd::budget_spent);
  EXPECT_EQ(storage.load_trial(1).value()->failure->cause, FailureCause::non_finite);
  EXPECT_EQ(storage.load_trial(2).value()->failure->cause, FailureCause::no_value);
}

TEST(Run, TheFirstInterruptFinishesWhatRuns) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();
  std::atomic<int> interrupts{0};
  RunOptions run;
  run.interrupts = &interrupts;
  run.on_finished = [&](const Trial& trial) {
    if (trial.id == 5) interrupts = 1;
  };
  ScriptedExecutor executor(3, oldest());
  EXPECT_EQ(study.run(executor, run).value(), RunEnd::interrupted);
  const auto counts = study.counts().value();
  EXPECT_EQ(counts.completed, 7);  // 5, and the two that ran
  EXPECT_EQ(counts.running, 0);
  EXPECT_EQ(executor.cancelled, 0);
}

TEST(Run, TheSecondInterruptStopsAtOnceAndTrialsComeAgainFirst) {
  MemoryStorage storage;
  Study study = open_on(storage, small_study()).value();
  std::atomic<int> interrupts{0};
  RunOptions run;
  run.interrupts = &interrupts;
  run.on_finished = [&](const Trial& trial) {
    if (trial.id == 5) interrupts = 2;
  };
  ScriptedExecutor executor(3, oldest());
  EXPECT_EQ(study.run(executor, run).value(), RunEnd::interrupted);
  EXPECT_EQ(executor.cancelled, 1);
  auto counts = study.counts().value();
  EXPECT_EQ(counts.completed, 5);
  EXPECT_EQ(counts.running, 0);
  EXPECT_EQ(counts.waiting, 2);

  interrupts = 0;
  executor.submitted.clear();
  EXPECT_EQ(study.run(executor, {}).value(), RunEnd::budget_spent);
  EXPECT_THAT(std::vector(executor.submitted.begin(), executor.submitted.begin() + 3),
              ElementsAre(6, 7, 8));
}

TEST(Run, TrialsOfADeadProcessComeAgainFirstAndSuggestionsStayTheSame) {
  StudyOptions options = small_study();
  MemoryStorage whole;
  {
    Study study = open_on(whole, options).value();
    ScriptedExecutor executor(1, oldest());
    study.run(executor).value();
  }
  MemoryStorage storage;
  Study study = open_on(storage, options).value();
  for (int kills = 0;; ++kills) {
    // The process dies with a trial running, after some have ended.
    int left = 7;
    ScriptedExecutor dying(1, [&](std::vector<Job>& running) {
      if (left-- == 0) storage.fail_from_write(1, {ErrorKind::io, "killed"});
      return oldest()(running);
    });
    const auto end = study.run(dying);
    if (end) break;
    EXPECT_THAT(end.error().message, HasSubstr("not stored, and to be evaluated again: trial "));
    storage.fail_from_write(1, {ErrorKind::io, "killed"});
    kill_study(std::move(study), storage);
    study = open_on(storage, options).value();
    EXPECT_EQ(study.counts().value().running, 0);
    ASSERT_LT(kills, 10);
  }
  EXPECT_EQ(points_of(storage.load_trials(1, -1).value()),
            points_of(whole.load_trials(1, -1).value()));
}

TEST(Run, AFiniteSpaceEnds) {
  MemoryStorage storage;
  StudyOptions options = small_study();
  options.space = Space::make({Parameter::real("x", 0, 0), Parameter::integer("n", 1, 9)}).value();
  Study study = open_on(storage, options).value();
  ScriptedExecutor executor(4, oldest());
  EXPECT_EQ(study.run(executor).value(), RunEnd::space_exhausted);
  EXPECT_EQ(study.counts().value().completed, 10);  // one twice, equal: there is no noise
  EXPECT_EQ(study.run(executor).value(), RunEnd::space_exhausted);
}

// The scripted method reports information 1 / round and a flat exploitation; batch 3.
TEST(Run, StopsWhenThereIsNothingLeftToLearn) {
  StudyOptions options = small_study();
  options.budget = 1000;
  RunOptions run;
  run.stop.information = 0.19;  // below from round 6 on
  run.stop.rounds = 4;          // rounds 6, 7, 8, 9
  const auto completed = [&](bool interrupted) {
    MemoryStorage storage;
    Study study = open_on(storage, options).value();
    ScriptedExecutor executor(1, oldest());
    if (interrupted) {
      std::atomic<int> interrupts{0};
      RunOptions first = run;
      first.interrupts = &interrupts;
      first.on_finished = [&](const Trial& trial) {
        if (trial.id == 22) interrupts = 1;
      };
      EXPECT_EQ(study.run(executor, first).value(), RunEnd::interrupted);
      kill_study(std::move(study), storage);
      study = open_on(storage, options).value();
    }
    EXPECT_EQ(study.run(executor, run).value(), RunEnd::no_more_information);
    return study.counts().value().completed;
  };
  EXPECT_EQ(completed(false), 27);
  EXPECT_EQ(completed(true), 27);
}

TEST(Run, ThreadsOfThisProcess) {
  MemoryStorage storage;
  StudyOptions options = small_study();
  options.budget = 200;
  Study study = open_on(storage, options).value();
  const auto executor = make_function_executor(
      [](const Point& point) {
        const double value = objective(point);
        if (value > 1.0) throw std::runtime_error("too big");
        return value;
      },
      4);
  EXPECT_EQ(study.run(*executor).value(), RunEnd::budget_spent);
  const auto counts = study.counts().value();
  EXPECT_EQ(counts.completed + counts.failed, 200);
  EXPECT_GT(counts.failed, 0);
}

}  // namespace
}  // namespace vbo
