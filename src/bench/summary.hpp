// SPDX-License-Identifier: MIT
// From raw results to the numbers people compare: one row per task, batch size and method, over
// all its seeds. Values are in the sign that is maximized.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/record.hpp"

namespace vbo::bench {

struct SummaryOptions {
  std::int64_t last_rounds = 20;     // over which rewards are averaged (fewer when there are fewer)
  std::vector<std::int64_t> at;      // rounds at which the best value is reported
  std::vector<std::string> tasks;    // only these; empty = all
  std::vector<std::string> methods;  // only these; empty = all
};

struct Row {
  std::string task;
  std::string method;
  std::int64_t batch = 0;
  std::int64_t rounds = 0;
  std::int64_t seeds = 0;
  double final_reward = missing;  // S_t averaged over the last rounds, then over seeds
  double variance = missing;      // of that average over seeds
  double end_reward = missing;    // S_t of the last round, mean over seeds
  double late_reward = missing;   // batch_mean averaged over the last rounds, then over seeds
  double best = missing;          // at the end: median over seeds; of best_value()
  double best_q25 = missing, best_q75 = missing;
  std::optional<double> reading;  // on noisy tasks, the highest value seen: median over seeds
  std::optional<double> gap;      // optimum - best, where the optimum is known
  std::vector<double> best_at;    // medians at SummaryOptions::at; missing beyond the last round
  double seconds_per_round = missing;  // ask + tell, over the rounds a method was asked
  double flops_per_round = missing;
  double rank = missing;       // by final_reward among the methods of this task and batch
  double rank_best = missing;  // by best
};

struct MeanRank {
  std::string method;
  std::int64_t groups = 0;  // task and batch pairs it was ranked in
  double rank = missing;
  double rank_best = missing;
  std::int64_t first = 0;       // how often it had the highest final reward
  std::int64_t first_best = 0;  // ... the highest median best (ties count for all)
};

struct Summary {
  std::vector<Row> rows;           // by task, batch, then rank
  std::vector<MeanRank> ranks;     // over groups in which every method takes part; best first
  std::vector<std::string> notes;  // what a reader must know: unequal seeds, several builds, ...
};

// The value a person would take home at that round: without noise where that is known.
double best_value(const RoundRecord& record);

// One job's final reward: mean of S_t over its last rounds.
double final_reward(const JobResult& job, std::int64_t last_rounds = 20);

Summary summarize(const std::vector<JobResult>& jobs, const SummaryOptions& options = {});

enum class TableFormat { markdown, csv, json };

std::string to_text(const Summary& summary, const SummaryOptions& options, TableFormat format);

// Markdown with one line per task and one column per method: the median best at each round of
// options.at, or at the end when there are none. The highest of a line is bold.
std::string to_wide_text(const Summary& summary, const SummaryOptions& options);

}  // namespace vbo::bench
