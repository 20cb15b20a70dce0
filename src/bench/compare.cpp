// SPDX-License-Identifier: MIT
#include "bench/compare.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "bench/statistics.hpp"
#include "bench/summary.hpp"
#include "bench/text_table.hpp"

namespace vbo::bench {
namespace {

// task, batch, rounds, method or ""
using Pair = std::tuple<std::string, std::int64_t, std::int64_t, std::string>;
using BySeed = std::map<std::uint64_t, double>;

double measured(const JobResult& job, const CompareOptions& options) {
  if (options.measure == Measure::reward) return final_reward(job);
  const auto rounds = static_cast<std::int64_t>(job.rounds.size());
  const std::int64_t at = options.at > 0 ? options.at : rounds;
  return at > rounds ? missing : best_value(job.rounds[static_cast<std::size_t>(at - 1)]);
}

void add_test(Comparison& row, const std::vector<double>& differences) {
  row.mean_difference = mean(differences);
  const double margin = student_margin(differences);
  row.low = row.mean_difference - margin;
  row.high = row.mean_difference + margin;
  const double least = rounding * (1.0 + std::abs(row.second));
  if (row.low > least) row.verdict = Verdict::first;
  if (row.high < -least) row.verdict = Verdict::second;
}

ComparisonReport compared(const std::map<Pair, BySeed>& first,
                          const std::map<Pair, BySeed>& second) {
  ComparisonReport report;
  for (const auto& [key, values] : first) {
    const auto other = second.find(key);
    if (other == second.end()) continue;
    Comparison row{.task = std::get<0>(key), .method = std::get<3>(key), .batch = std::get<1>(key)};
    std::vector<double> a, b, differences;
    for (const auto& [seed, value] : values) {
      const auto match = other->second.find(seed);
      if (match == other->second.end()) continue;
      a.push_back(value);
      b.push_back(match->second);
      differences.push_back(value - match->second);
      row.wins_first += value > match->second ? 1 : 0;
      row.wins_second += value < match->second ? 1 : 0;
      row.ties += value == match->second ? 1 : 0;
    }
    if (a.empty()) continue;
    row.pairs = static_cast<std::int64_t>(a.size());
    row.first = median(a);
    row.second = median(b);
    row.difference = row.first - row.second;
    row.p = wilcoxon_signed_rank(differences);
    add_test(row, differences);
    report.verdicts_first += row.verdict == Verdict::first ? 1 : 0;
    report.verdicts_second += row.verdict == Verdict::second ? 1 : 0;
    report.verdicts_tie += row.verdict == Verdict::tie ? 1 : 0;
    report.tasks_first += row.difference > 0 ? 1 : 0;
    report.tasks_second += row.difference < 0 ? 1 : 0;
    report.tasks_equal += row.difference == 0 ? 1 : 0;
    report.rows.push_back(std::move(row));
  }
  return report;
}

void collect(const JobResult& job, const std::string& method, const CompareOptions& options,
             std::map<Pair, BySeed>& into) {
  into[{job.job.task, job.job.batch, job.job.rounds, method}][job.job.seed] =
      measured(job, options);
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  return verdict == Verdict::tie ? "tie" : verdict == Verdict::first ? "first" : "second";
}

ComparisonReport compare_methods(const std::vector<JobResult>& jobs, const std::string& first,
                                 const std::string& second, const CompareOptions& options) {
  std::map<Pair, BySeed> a, b;
  for (const JobResult& job : jobs) {
    if (job.job.method == first) collect(job, "", options, a);
    if (job.job.method == second) collect(job, "", options, b);
  }
  return compared(a, b);
}

ComparisonReport compare_sets(const std::vector<JobResult>& first,
                              const std::vector<JobResult>& second, const CompareOptions& options) {
  std::map<Pair, BySeed> a, b;
  for (const JobResult& job : first) collect(job, job.job.method, options, a);
  for (const JobResult& job : second) collect(job, job.job.method, options, b);
  return compared(a, b);
}

std::string to_markdown(const ComparisonReport& report, const std::string& first,
                        const std::string& second) {
  const bool with_method = !report.rows.empty() && !report.rows.front().method.empty();
  std::vector<std::string> header = {"task", "batch"};
  if (with_method) header.push_back("method");
  header.insert(header.end(), {first, second, "difference", "mean difference, 95%", "seeds won",
                               "lost", "tied", "p", "ahead"});
  TextTable table(header);
  for (const Comparison& r : report.rows) {
    std::vector<std::string> cells = {r.task, std::to_string(r.batch)};
    if (with_method) cells.push_back(r.method);
    cells.insert(
        cells.end(),
        {number_text(r.first, 7), number_text(r.second, 7), number_text(r.difference, 4),
         number_text(r.low, 3) + " .. " + number_text(r.high, 3), std::to_string(r.wins_first),
         std::to_string(r.wins_second), std::to_string(r.ties), number_text(r.p, 2),
         r.verdict == Verdict::tie     ? "tie"
         : r.verdict == Verdict::first ? first
                                       : second});
    table.add(std::move(cells));
  }
  return table.markdown() + "\n" + first + " has the higher median on " +
         std::to_string(report.tasks_first) + ", " + second + " on " +
         std::to_string(report.tasks_second) + ", equal on " + std::to_string(report.tasks_equal) +
         ". Outside seed variation: " + std::to_string(report.verdicts_first) + " to " +
         std::to_string(report.verdicts_second) + ", " + std::to_string(report.verdicts_tie) +
         " ties.\n";
}

std::string to_json(const ComparisonReport& report, const std::string& first,
                    const std::string& second) {
  nlohmann::ordered_json json = {{"first", first},
                                 {"second", second},
                                 {"tasks_first", report.tasks_first},
                                 {"tasks_second", report.tasks_second},
                                 {"tasks_equal", report.tasks_equal},
                                 {"verdicts_first", report.verdicts_first},
                                 {"verdicts_second", report.verdicts_second},
                                 {"verdicts_tie", report.verdicts_tie},
                                 {"rows", nlohmann::ordered_json::array()}};
  for (const Comparison& r : report.rows) {
    json["rows"].push_back({{"task", r.task},
                            {"batch", r.batch},
                            {"method", r.method},
                            {"pairs", r.pairs},
                            {"first", r.first},
                            {"second", r.second},
                            {"difference", r.difference},
                            {"wins_first", r.wins_first},
                            {"wins_second", r.wins_second},
                            {"ties", r.ties},
                            {"p", r.p},
                            {"mean_difference", r.mean_difference},
                            {"low", r.low},
                            {"high", r.high},
                            {"verdict", to_string(r.verdict)}});
  }
  return json.dump(2) + "\n";
}

}  // namespace vbo::bench
