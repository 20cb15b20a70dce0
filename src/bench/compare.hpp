// SPDX-License-Identifier: MIT
// Two contenders side by side, seed against seed: two methods of one set of results, or the same
// methods in two sets (two commits, say). Higher is better everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/record.hpp"

namespace vbo::bench {

enum class Measure { best, reward };  // the best value at a round, or the final reward

struct CompareOptions {
  Measure measure = Measure::best;
  std::int64_t at = 0;  // round for `best`; 0 = the last
};

enum class Verdict { first, second, tie };
std::string_view to_string(Verdict verdict);  // "first", ...

struct Comparison {
  std::string task;
  std::string method;  // empty when two methods are compared
  std::int64_t batch = 0;
  std::int64_t pairs = 0;                         // seeds both have
  double first = missing, second = missing;       // medians over those seeds
  double difference = missing;                    // first - second
  int wins_first = 0, wins_second = 0, ties = 0;  // seed by seed
  double p = 1.0;                                 // Wilcoxon signed-rank over the pairs
  // 95% interval (Student) of the mean difference; missing for one pair.
  double mean_difference = missing, low = missing, high = missing;
  // A tie unless the interval leaves zero out by more than rounding errors.
  Verdict verdict = Verdict::tie;
};

struct ComparisonReport {
  std::vector<Comparison> rows;
  int tasks_first = 0, tasks_second = 0, tasks_equal = 0;  // by median
  int verdicts_first = 0, verdicts_second = 0, verdicts_tie = 0;
};

ComparisonReport compare_methods(const std::vector<JobResult>& jobs, const std::string& first,
                                 const std::string& second, const CompareOptions& options = {});
ComparisonReport compare_sets(const std::vector<JobResult>& first,
                              const std::vector<JobResult>& second,
                              const CompareOptions& options = {});

std::string to_markdown(const ComparisonReport& report, const std::string& first,
                        const std::string& second);
std::string to_json(const ComparisonReport& report, const std::string& first,
                    const std::string& second);

}  // namespace vbo::bench
