// SPDX-License-Identifier: MIT
// Plays one job: the initial design is evaluated and told to the method, then rounds of ask,
// evaluate, tell. Only ask and tell are timed and counted. Everything random follows from the
// job's seed, the noise of an evaluation from (seed, trial), so all methods meet the same noise.
#pragma once

#include <functional>
#include <memory>

#include "bench/checkpoint.hpp"
#include "bench/record.hpp"
#include "tasks/task.hpp"
#include "vbo/error.hpp"
#include "vbo/optimizer.hpp"

namespace vbo::bench {

struct PlayOptions {
  bool keep_points = false;         // store the parameters of every observation
  std::function<bool()> cancelled;  // asked after every round; may be empty
  // Where an unfinished job is kept, every so often and when it is cancelled; empty = nowhere.
  std::filesystem::path checkpoint;
  double checkpoint_seconds = 30.0;
};

// The job's optimizer as a study would make it, on one thread.
Result<std::unique_ptr<Optimizer>> make_job_optimizer(const Space& space, const Job& job);

// What a point gives without luck, in the task's own sign: Task::noiseless() where the task has it,
// otherwise the mean of repeated evaluations, 8 to 32 of them, as many as it takes for a standard
// error of 0.1% of the mean.
double expected_value(const tasks::Task& task, const Point& point, std::uint64_t seed);

// On noisy tasks the best point so far is judged by expected_value() whenever it changes.
// REQUIRES: `optimizer` freshly made, or restored to the state of `from`. An Error of kind `busy`
// means cancelled.
Result<JobResult> play(const Job& job, const tasks::Task& task, Optimizer& optimizer,
                       const PlayOptions& options = {}, const Checkpoint* from = nullptr);

// Makes task and optimizer, and plays; from the checkpoint when there is one of the same build.
Result<JobResult> play(const Job& job, const PlayOptions& options = {});

}  // namespace vbo::bench
