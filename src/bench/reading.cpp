// SPDX-License-Identifier: MIT
#include "bench/reading.hpp"

#include <algorithm>
#include <cmath>

namespace vbo::bench {

void count_main_phase(JobResult& job) {
  double sum = 0.0;
  std::int64_t rounds = 0;
  for (RoundRecord& round : job.rounds) {
    round.average_reward = missing;
    if (round.round <= job.job.initial_rounds) continue;
    if (!std::isnan(round.batch_mean)) {
      sum += round.batch_mean;
      ++rounds;
    }
    if (rounds > 0) round.average_reward = sum / static_cast<double>(rounds);
  }
}

void clip_rewards(JobResult& job, const std::vector<Observation>& observations) {
  double floor = missing;
  for (const Observation& o : observations) {
    if (o.round <= job.job.initial_rounds) floor = std::fmin(floor, o.value);
  }
  if (std::isnan(floor)) return;
  double sum = 0.0;
  std::int64_t finite = 0;
  auto next = observations.begin();
  for (RoundRecord& round : job.rounds) {
    double batch_sum = 0.0;
    std::int64_t batch_finite = 0;
    for (; next != observations.end() && next->round == round.round; ++next) {
      if (std::isnan(next->value)) continue;
      batch_sum += std::max(floor, next->value);
      ++batch_finite;
    }
    sum += batch_sum;
    finite += batch_finite;
    if (batch_finite > 0) round.batch_mean = batch_sum / static_cast<double>(batch_finite);
    if (finite > 0) round.average_reward = sum / static_cast<double>(finite);
  }
}

Result<std::vector<JobResult>> read_jobs(const std::filesystem::path& directory,
                                         const Reading& reading) {
  Result<std::vector<std::filesystem::path>> paths = result_files(directory);
  if (!paths) return paths.error();
  std::vector<JobResult> jobs;
  for (std::filesystem::path& path : *paths) {
    Result<JobResult> job = read_job(path);
    if (!job) return job.error();
    if (std::find(reading.clip.begin(), reading.clip.end(), job->job.task) != reading.clip.end()) {
      const auto observations = read_observations(path.replace_extension(".csv"));
      if (!observations) return observations.error();
      clip_rewards(*job, *observations);
    }
    if (reading.main_phase) count_main_phase(*job);
    jobs.push_back(*std::move(job));
  }
  return jobs;
}

}  // namespace vbo::bench
