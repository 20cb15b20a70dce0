// SPDX-License-Identifier: MIT
// A Summary as Markdown for people, CSV for spreadsheets, JSON for programs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/statistics.hpp"
#include "bench/summary.hpp"
#include "bench/text_table.hpp"

namespace vbo::bench {
namespace {

bool same_group(const Row& a, const Row& b) {
  return a.task == b.task && a.batch == b.batch && a.rounds == b.rounds;
}

std::string group_title(const Row& row) {
  return row.task + ", batch " + std::to_string(row.batch) + ", " + std::to_string(row.rounds) +
         " rounds";
}

std::string markdown(const Summary& summary, const SummaryOptions& options) {
  std::string text;
  for (std::size_t first = 0; first < summary.rows.size();) {
    std::size_t last = first;
    while (last < summary.rows.size() && same_group(summary.rows[first], summary.rows[last]))
      ++last;
    std::vector<std::string> header = {"rank",     "method",      "seeds", "final reward",
                                       "variance", "late reward", "best",  "quartiles"};
    for (const std::int64_t round : options.at) header.push_back("best@" + std::to_string(round));
    const bool has_gap = summary.rows[first].gap.has_value();
    const bool noisy = std::any_of(&summary.rows[first], &summary.rows[0] + last,
                                   [](const Row& r) { return r.reading.has_value(); });
    if (noisy) header.push_back("highest reading");
    if (has_gap) header.push_back("gap");
    header.insert(header.end(), {"rank by best", "s/round", "FLOP/round"});
    TextTable table(header);
    for (std::size_t i = first; i < last; ++i) {
      const Row& r = summary.rows[i];
      std::vector<std::string> cells = {
          number_text(r.rank, 3),
          r.method,
          std::to_string(r.seeds),
          number_text(r.final_reward),
          number_text(r.variance, 3),
          number_text(r.late_reward),
          number_text(r.best, 7),
          number_text(r.best_q25, 6) + " .. " + number_text(r.best_q75, 6)};
      for (const double value : r.best_at) cells.push_back(number_text(value, 7));
      if (noisy) cells.push_back(number_text(r.reading.value_or(missing), 7));
      if (has_gap) cells.push_back(number_text(r.gap.value_or(missing), 3));
      cells.push_back(number_text(r.rank_best, 3));
      cells.push_back(number_text(r.seconds_per_round, 3));
      cells.push_back(number_text(r.flops_per_round, 3));
      table.add(cells);
    }
    text += "### " + group_title(summary.rows[first]) + "\n\n" + table.markdown() + "\n";
    first = last;
  }
  if (summary.ranks.size() > 1) {
    TextTable table({"method", "mean rank", "first", "mean rank by best", "first by best", "of"});
    for (const MeanRank& r : summary.ranks) {
      table.add({r.method, number_text(r.rank, 3), std::to_string(r.first),
                 number_text(r.rank_best, 3), std::to_string(r.first_best),
                 std::to_string(r.groups)});
    }
    text += "### Ranks over all tasks\n\n" + table.markdown() + "\n";
  }
  for (const std::string& note : summary.notes) text += "Note: " + note + ".\n";
  return text;
}

std::vector<std::pair<std::string, nlohmann::ordered_json>> cells_of(
    const Row& r, const SummaryOptions& options) {
  std::vector<std::pair<std::string, nlohmann::ordered_json>> cells = {
      {"task", r.task},         {"method", r.method},         {"batch", r.batch},
      {"rounds", r.rounds},     {"seeds", r.seeds},           {"final_reward", r.final_reward},
      {"variance", r.variance}, {"end_reward", r.end_reward}, {"late_reward", r.late_reward},
      {"best", r.best},         {"best_q25", r.best_q25},     {"best_q75", r.best_q75}};
  for (std::size_t i = 0; i < options.at.size(); ++i) {
    cells.emplace_back("best_at_" + std::to_string(options.at[i]), r.best_at[i]);
  }
  cells.emplace_back("reading",
                     r.reading ? nlohmann::ordered_json(*r.reading) : nlohmann::ordered_json());
  cells.emplace_back("gap", r.gap ? nlohmann::ordered_json(*r.gap) : nlohmann::ordered_json());
  cells.emplace_back("rank", r.rank);
  cells.emplace_back("rank_best", r.rank_best);
  cells.emplace_back("seconds_per_round", r.seconds_per_round);
  cells.emplace_back("flops_per_round", r.flops_per_round);
  return cells;
}

std::string csv(const Summary& summary, const SummaryOptions& options) {
  std::string text;
  for (const auto& [name, value] :
       cells_of(Row{.best_at = std::vector(options.at.size(), 0.0)}, options)) {
    text += (text.empty() ? "" : ",") + name;
  }
  text += "\n";
  for (const Row& row : summary.rows) {
    std::string line;
    for (const auto& [name, value] : cells_of(row, options)) {
      if (!line.empty()) line += ",";
      const bool empty =
          value.is_null() || (value.is_number_float() && std::isnan(value.get<double>()));
      if (!empty) line += value.dump();
    }
    text += line + "\n";
  }
  return text;
}

std::string json(const Summary& summary, const SummaryOptions& options) {
  nlohmann::ordered_json all = {{"rows", nlohmann::ordered_json::array()},
                                {"ranks", nlohmann::ordered_json::array()},
                                {"notes", summary.notes}};
  for (const Row& row : summary.rows) {
    nlohmann::ordered_json object;
    for (const auto& [name, value] : cells_of(row, options)) object[name] = value;
    all["rows"].push_back(object);
  }
  for (const MeanRank& r : summary.ranks) {
    all["ranks"].push_back({{"method", r.method},
                            {"groups", r.groups},
                            {"rank", r.rank},
                            {"first", r.first},
                            {"rank_best", r.rank_best},
                            {"first_best", r.first_best}});
  }
  return all.dump(2) + "\n";
}

}  // namespace

std::string to_text(const Summary& summary, const SummaryOptions& options, TableFormat format) {
  switch (format) {
    case TableFormat::csv:
      return csv(summary, options);
    case TableFormat::json:
      return json(summary, options);
    case TableFormat::markdown:
      break;
  }
  return markdown(summary, options);
}

std::string to_wide_text(const Summary& summary, const SummaryOptions& options) {
  std::vector<std::string> header = {"task", "round"};
  for (const MeanRank& r : summary.ranks) header.push_back(r.method);
  TextTable table(header);
  const std::size_t lines = std::max<std::size_t>(1, options.at.size());
  for (std::size_t first = 0; first < summary.rows.size();) {
    const Row& leader = summary.rows[first];
    std::size_t last = first;
    while (last < summary.rows.size() && same_group(leader, summary.rows[last])) ++last;
    for (std::size_t line = 0; line < lines; ++line) {
      const auto value = [&](const Row& r) {
        return options.at.empty() ? r.best : r.best_at[line];
      };
      const std::int64_t round = options.at.empty() ? leader.rounds : options.at[line];
      double highest = missing;
      for (std::size_t i = first; i < last; ++i)
        highest = std::fmax(highest, value(summary.rows[i]));
      std::vector<std::string> cells = {leader.task + ", batch " + std::to_string(leader.batch),
                                        std::to_string(round)};
      for (const MeanRank& r : summary.ranks) {
        const auto row =
            std::find_if(summary.rows.begin() + static_cast<std::ptrdiff_t>(first),
                         summary.rows.begin() + static_cast<std::ptrdiff_t>(last),
                         [&](const Row& candidate) { return candidate.method == r.method; });
        const bool absent = row == summary.rows.begin() + static_cast<std::ptrdiff_t>(last);
        std::string cell = absent ? "" : number_text(value(*row), 6);
        if (!absent && !std::isnan(value(*row)) && !above(highest, value(*row)))
          cell = "**" + cell + "**";
        cells.push_back(std::move(cell));
      }
      table.add(std::move(cells));
    }
    first = last;
  }
  return table.markdown();
}

}  // namespace vbo::bench
