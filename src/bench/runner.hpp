// SPDX-License-Identifier: MIT
// Runs jobs, one per core at a time, and keeps what they give in a directory. Finished jobs found
// there are not run again and unfinished ones continue from their last checkpoint, so a killed run
// goes on when it is started anew, to the same numbers. A job that fails is reported and does not
// stop the others.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/record.hpp"

namespace vbo::bench {

struct RunnerOptions {
  std::filesystem::path directory;
  int jobs = 0;              // at a time; 0 = one per core
  bool keep_points = false;  // store the parameters of every observation, not only its value
  bool redo = false;         // run finished jobs again
  const std::atomic<int>* interrupts = nullptr;  // above 0: stop after the round each job is in
  // After so many seconds it stops likewise, and before that starts no job that, by what others of
  // its kind took, would not end in time. 0 = no limit.
  double limit_seconds = 0.0;
};

// What is told about after every job.
struct Progress {
  std::size_t finished = 0;  // of this run, the failed ones included
  std::size_t total = 0;     // to do in this run
  double seconds = 0.0;      // since the start
  double seconds_left = 0.0;
  const Job* job = nullptr;           // the one that just ended
  const JobResult* result = nullptr;  // nullptr when it failed
  std::string error;                  // why
  double job_seconds = 0.0;
};

struct RunnerReport {
  std::size_t run = 0, failed = 0, found = 0;  // found: finished by an earlier run
  std::size_t found_elsewhere = 0;             // of those, made by another commit or machine
  bool interrupted = false;
  std::size_t left = 0;  // jobs not run for lack of time
  std::vector<std::string> errors;
};

// `on_progress` is called by one thread at a time. The error is about the directory itself.
Result<RunnerReport> run_jobs(const std::vector<Job>& jobs, const RunnerOptions& options,
                              const std::function<void(const Progress&)>& on_progress);

}  // namespace vbo::bench
