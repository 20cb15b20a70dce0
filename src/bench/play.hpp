// SPDX-License-Identifier: MIT
// Plays one job as a study in memory: the initial design is evaluated and added to it, then rounds
// of ask, evaluate, tell. Only the method's ask and tell are timed and counted. Everything random
// follows from the job's seed, the noise of an evaluation from (seed, trial), so all methods meet
// the same noise.
#pragma once

#include <filesystem>
#include <functional>

#include "bench/record.hpp"
#include "tasks/task.hpp"
#include "vbo/error.hpp"
#include "vbo/study.hpp"

namespace vbo::bench {

struct PlayOptions {
  bool keep_points = false;         // store the parameters of every observation
  std::function<bool()> cancelled;  // asked after every round; may be empty
  // Where the study of an unfinished job is kept, every so often and when it is cancelled: a file
  // like that of any study. Empty = nowhere. One of another job, build or machine, whose sums may
  // differ in the last bits, is not continued.
  std::filesystem::path checkpoint;
  double checkpoint_seconds = 30.0;
};

// The job's study, with its method on one thread.
Result<StudyOptions> study_of(const Job& job, const tasks::Task& task);

// What a point gives without noise, in the task's own sign: Task::noiseless() where the task has
// it, otherwise the mean of repeated evaluations, 8 to 32 of them, as many as it takes for a
// standard error of 0.1% of the mean.
double expected_value(const tasks::Task& task, const Point& point, std::uint64_t seed);

// On noisy tasks the best point so far is scored by expected_value() whenever it changes. An Error
// of kind `busy` means cancelled.
Result<JobResult> play(const Job& job, const PlayOptions& options = {});

}  // namespace vbo::bench
