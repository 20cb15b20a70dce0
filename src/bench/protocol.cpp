// SPDX-License-Identifier: MIT
#include "bench/protocol.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "bench/play.hpp"
#include "tasks/task.hpp"

namespace vbo::bench {
std::vector<Job> jobs_of(const Protocol& protocol) {
  std::vector<Job> jobs;
  const auto seeds_of = [&](const ProtocolEntry& entry) {
    return entry.seeds.empty() ? protocol.seeds : entry.seeds;
  };
  std::set<std::uint64_t> all_seeds;
  for (const ProtocolEntry& entry : protocol.entries) {
    for (const std::uint64_t seed : seeds_of(entry)) all_seeds.insert(seed);
  }
  for (const std::uint64_t seed : all_seeds) {
    for (const ProtocolEntry& entry : protocol.entries) {
      const std::vector<std::uint64_t> seeds = seeds_of(entry);
      if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) continue;
      for (const std::string& method : entry.methods) {
        const Result<MethodSpec> spec = parse_method(method);
        const Job job{.task = entry.task,
                      .method = spec ? to_string(*spec) : method,
                      .batch = entry.batch,
                      .rounds = entry.rounds,
                      .initial_rounds = entry.initial_rounds,
                      .seed = seed};
        if (std::find(jobs.begin(), jobs.end(), job) == jobs.end()) jobs.push_back(job);
      }
    }
  }
  return jobs;
}

std::vector<std::string> problems_of(const std::vector<Job>& jobs,
                                     std::vector<std::string>& missing_methods) {
  std::set<std::string> known;
  for (const MethodInfo& method : methods()) known.insert(method.name);
  std::map<std::string, Result<std::unique_ptr<tasks::Task>>> made;
  std::set<std::string> missing_set;
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<std::string> problems;
  const auto complain = [&](const std::string& problem) {
    if (std::find(problems.begin(), problems.end(), problem) == problems.end()) {
      problems.push_back(problem);
    }
  };
  for (const Job& job : jobs) {
    if (!seen.insert({job.task, job.method}).second) continue;
    const auto spec = parse_method(job.method);
    if (!spec) {
      complain(spec.error().message);
      continue;
    }
    if (!known.contains(spec->name)) {
      missing_set.insert(job.method);
      continue;
    }
    auto task = made.find(job.task);
    if (task == made.end()) task = made.emplace(job.task, tasks::make_task(job.task)).first;
    if (!task->second) {
      complain(task->second.error().message);
      continue;
    }
    const auto study = study_of(job, **task->second);
    const auto checked =
        study ? check_optimizer(study->space, study->optimizer) : Result<void>(study.error());
    if (!checked) complain(job.task + ", " + job.method + ": " + checked.error().message);
  }
  missing_methods.assign(missing_set.begin(), missing_set.end());
  return problems;
}

}  // namespace vbo::bench
