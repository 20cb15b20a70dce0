// SPDX-License-Identifier: MIT
// How rewards are read from results: which evaluations the average reward S_t counts, and what a
// single diverging evaluation may cost. Files keep every value as it came; this changes what
// tables, comparisons and figures make of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/record.hpp"

namespace vbo::bench {

struct Reading {
  // S_t as published counts from the end of the warm-up, which is the initial design all methods
  // share; false: all evaluations from the first on.
  bool main_phase = true;
  // On these tasks no evaluation counts for less than the worst of the initial design of its seed.
  std::vector<std::string> clip;
};

// S_t of the rounds after the initial design: mean of their batch means; missing before.
void count_main_phase(JobResult& job);

// Raises every value to at least the lowest of the initial design, in batch_mean and
// average_reward. Best values never change by it.
void clip_rewards(JobResult& job, const std::vector<Observation>& observations);

// All finished jobs below `directory`, in the order of their paths, read so.
Result<std::vector<JobResult>> read_jobs(const std::filesystem::path& directory,
                                         const Reading& reading);

}  // namespace vbo::bench
