// SPDX-License-Identifier: MIT
#include "bench/summary.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "bench/statistics.hpp"

namespace vbo::bench {
namespace {

bool chosen(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

double mean_over_last(const JobResult& job, std::int64_t last, double RoundRecord::*field) {
  std::vector<double> values;
  const auto n = static_cast<std::int64_t>(job.rounds.size());
  for (std::int64_t i = std::max<std::int64_t>(0, n - last); i < n; ++i) {
    values.push_back(job.rounds[static_cast<std::size_t>(i)].*field);
  }
  return mean(values);
}

double best_at(const JobResult& job, std::int64_t round) {
  if (round < 1 || round > static_cast<std::int64_t>(job.rounds.size())) return missing;
  return best_value(job.rounds[static_cast<std::size_t>(round - 1)]);
}

Row row_of(const std::vector<const JobResult*>& jobs, const SummaryOptions& options) {
  const JobResult& first = *jobs.front();
  Row row{.task = first.job.task,
          .method = first.job.method,
          .batch = first.job.batch,
          .rounds = first.job.rounds,
          .seeds = static_cast<std::int64_t>(jobs.size())};
  std::vector<double> rewards, ends, late, best, readings, seconds, operations;
  for (const JobResult* job : jobs) {
    rewards.push_back(final_reward(*job, options.last_rounds));
    ends.push_back(job->rounds.back().average_reward);
    late.push_back(mean_over_last(*job, options.last_rounds, &RoundRecord::batch_mean));
    best.push_back(best_at(*job, job->job.rounds));
    if (job->rounds.back().incumbent) readings.push_back(job->rounds.back().best);
    for (const RoundRecord& r : job->rounds) {
      if (r.round <= job->job.initial_rounds) continue;
      seconds.push_back(r.seconds_ask + r.seconds_tell);
      operations.push_back(static_cast<double>(r.flops));
    }
  }
  row.final_reward = mean(rewards);
  row.variance = variance(rewards);
  row.end_reward = mean(ends);
  row.late_reward = mean(late);
  row.best = median(best);
  if (!readings.empty()) row.reading = median(readings);
  row.best_q25 = quantile(best, 0.25);
  row.best_q75 = quantile(best, 0.75);
  if (first.task.optimum) row.gap = *first.task.optimum - row.best;
  for (const std::int64_t round : options.at) {
    std::vector<double> values;
    values.reserve(jobs.size());
    for (const JobResult* job : jobs) values.push_back(best_at(*job, round));
    row.best_at.push_back(median(values));
  }
  row.seconds_per_round = mean(seconds);
  row.flops_per_round = mean(operations);
  return row;
}

using GroupKey = std::tuple<std::string, std::int64_t, std::int64_t>;  // task, batch, rounds

void rank_group(std::vector<Row>& rows) {
  std::vector<double> rewards, best;
  for (const Row& row : rows) {
    rewards.push_back(row.final_reward);
    best.push_back(row.best);
  }
  const auto reward_ranks = ranks_descending(rewards, rounding);
  const auto best_ranks = ranks_descending(best, rounding);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].rank = reward_ranks[i];
    rows[i].rank_best = best_ranks[i];
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.rank < b.rank; });
}

std::vector<MeanRank> mean_ranks(const std::map<GroupKey, std::vector<Row>>& groups) {
  std::map<std::string, std::vector<const Row*>> by_method;
  std::map<GroupKey, std::pair<double, double>> leaders;
  for (const auto& [key, rows] : groups) {
    std::pair<double, double> least{1e300, 1e300};
    for (const Row& row : rows) {
      by_method[row.method].push_back(&row);
      least = {std::min(least.first, row.rank), std::min(least.second, row.rank_best)};
    }
    leaders[key] = least;
  }
  std::vector<MeanRank> ranks;
  for (const auto& [method, rows] : by_method) {
    MeanRank r{.method = method, .groups = static_cast<std::int64_t>(rows.size())};
    std::vector<double> reward, best;
    for (const Row* row : rows) {
      reward.push_back(row->rank);
      best.push_back(row->rank_best);
      const auto& least = leaders[{row->task, row->batch, row->rounds}];
      if (row->rank == least.first) ++r.first;
      if (row->rank_best == least.second) ++r.first_best;
    }
    r.rank = mean(reward);
    r.rank_best = mean(best);
    ranks.push_back(r);
  }
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const MeanRank& a, const MeanRank& b) { return a.rank < b.rank; });
  return ranks;
}

std::vector<std::string> notes_on(const std::vector<JobResult>& jobs,
                                  const std::vector<Row>& rows) {
  std::vector<std::string> notes;
  std::set<std::string> commits, machines;
  bool unoptimized = false;
  for (const JobResult& job : jobs) {
    commits.insert(job.origin.commit);
    machines.insert(job.origin.machine);
    unoptimized |= !job.origin.optimized;
  }
  const auto joined = [](const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  if (commits.size() > 1) notes.push_back("results of several commits: " + joined(commits));
  if (machines.size() > 1) {
    notes.push_back("results of several machines, times are not comparable: " + joined(machines));
  }
  if (unoptimized) notes.push_back("built without optimization: times say nothing");
  std::map<GroupKey, std::pair<std::int64_t, std::int64_t>> seeds;
  for (const Row& row : rows) {
    auto& [least, most] =
        seeds.try_emplace({row.task, row.batch, row.rounds}, row.seeds, row.seeds).first->second;
    least = std::min(least, row.seeds);
    most = std::max(most, row.seeds);
  }
  for (const auto& [key, range] : seeds) {
    if (range.first == range.second) continue;
    notes.push_back(std::get<0>(key) + ": methods have " + std::to_string(range.first) + " to " +
                    std::to_string(range.second) + " seeds; the run is not complete");
  }
  return notes;
}

}  // namespace

double best_value(const RoundRecord& record) { return record.incumbent.value_or(record.best); }

double final_reward(const JobResult& job, std::int64_t last_rounds) {
  return mean_over_last(job, last_rounds, &RoundRecord::average_reward);
}

Summary summarize(const std::vector<JobResult>& jobs, const SummaryOptions& options) {
  std::map<GroupKey, std::map<std::string, std::vector<const JobResult*>>> grouped;
  for (const JobResult& job : jobs) {
    if (!chosen(options.tasks, job.job.task) || !chosen(options.methods, job.job.method)) continue;
    grouped[{job.job.task, job.job.batch, job.job.rounds}][job.job.method].push_back(&job);
  }
  std::map<GroupKey, std::vector<Row>> groups;
  Summary summary;
  for (const auto& [key, methods] : grouped) {
    std::vector<Row>& rows = groups[key];
    for (const auto& [method, results] : methods) rows.push_back(row_of(results, options));
    rank_group(rows);
    summary.rows.insert(summary.rows.end(), rows.begin(), rows.end());
  }
  summary.ranks = mean_ranks(groups);
  summary.notes = notes_on(jobs, summary.rows);
  return summary;
}

}  // namespace vbo::bench
