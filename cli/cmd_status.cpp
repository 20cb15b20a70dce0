// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "cli/commands.hpp"
#include "cli/signals.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"
#include "report/json.hpp"
#include "report/state.hpp"
#include "vbo/report.hpp"

namespace vbo::cli {
namespace {

constexpr std::size_t kShownRounds = 6;
constexpr int kWatchTenths = 10;  // of a second between looks

// Predicted and observed information of the last rounds; empty when the method reports none.
std::string information_text(const std::vector<RoundSummary>& rounds) {
  std::vector<const RoundSummary*> told;
  for (const RoundSummary& round : rounds) {
    if (round.predicted) told.push_back(&round);
  }
  if (told.empty()) return {};
  std::string text = fmt::format("{:.3g} nats", *told.back()->predicted);
  if (told.back()->ceiling) text += fmt::format(" of at most {:.3g}", *told.back()->ceiling);
  if (const RoundSummary* tested = last_tested(rounds)) {
    text += fmt::format(" (observed in the latest results: {:.3g}", *tested->observed);
    text += tested->predicted ? fmt::format(", predicted {:.3g})", *tested->predicted) : ")";
  }
  if (told.size() < 2) return text;
  text += ", round by round:";
  for (std::size_t i = told.size() - std::min(told.size(), kShownRounds); i < told.size(); ++i) {
    text += fmt::format(" {:.3g}", *told[i]->predicted);
  }
  return text;
}

std::string front_lines(const StudyRecord& record, const Front& front) {
  if (front.trials.empty()) return "  front        nothing is feasible yet\n";
  return fmt::format("  front        {} trade-offs, hypervolume {}{}\n", front.trials.size(),
                     front.exact ? "" : "about ", short_number(front.hypervolume)) +
         short_front_table(record.space, front);
}

// How far it is, and why evaluations fail. Failures alone are no progress, whatever share of the
// budget they took.
std::string evaluated_lines(const StudyReport& status, const Console& console) {
  const TrialCounts& counts = status.counts;
  const std::int64_t ended = counts.completed + counts.failed, budget = status.record.budget;
  std::string text = fmt::format("  evaluated    {} of {}", ended, budget);
  if (counts.completed == 0 && counts.failed > 0) {
    text += ", " + console.paint(1, Style::bad, counts.failed == 1 ? "it failed" : "all failed");
  } else {
    const double share = budget > 0 ? static_cast<double>(ended) / static_cast<double>(budget) : 0;
    text += fmt::format(" ({:.0f} %), {} of them failed", 100.0 * share, counts.failed);
  }
  text += "\n";
  if (status.failures.empty()) return text;
  const FailureGroup& most = status.failures.front();
  text += fmt::format("  {:<11}  {} ({} of {})\n",
                      status.failures.size() == 1 ? "reason" : "most often", one_line(most.message),
                      most.count, counts.failed);
  if (!most.last_line.empty()) {
    text += "                 standard error ends: " + one_line(most.last_line) + "\n";
  }
  return text;
}

std::string status_text(const StudyReport& status, const Console& console) {
  const StudyRecord& record = status.record;
  const TrialCounts& counts = status.counts;
  std::string text = console.paint(1, Style::bold, one_line(record.name)) +
                     fmt::format("  {}, method {}\n", goals_text(record.objectives),
                                 one_line(record.optimizer.method));
  text += evaluated_lines(status, console);
  text += fmt::format("  open         {} running, {} waiting\n", counts.running, counts.waiting);
  text += "  state        " + explained(status.state, status.front.has_value()) + "\n";
  if (status.outlook) {
    text += fmt::format("  next batch   of {}: {}\n", status.outlook->batch,
                        outlook_text(*status.outlook));
  }
  if (status.pace.seconds_left >= 1.0 && status.state != StudyState::every_evaluation_fails) {
    text += fmt::format("  time left    about {} at the pace of the latest results\n",
                        duration_text(status.pace.seconds_left));
  }
  if (status.feasible) {
    text += fmt::format("  feasible     {} of {} results\n", *status.feasible, counts.completed);
  }
  if (status.front) {
    text += front_lines(record, *status.front);
  } else if (status.best && status.estimate.best) {
    constexpr std::string_view indent = "                 ";
    text += fmt::format("  best         trial {}, by its estimate\n", status.best->id) +
            estimate_lines(status.estimate, indent) + luckiest_line(status.luckiest, indent) +
            point_lines(record.space, status.best->point, indent) +
            limit_lines(record.space, *status.best, indent);
  } else if (status.best) {
    const bool feasible = status.feasible.value_or(1) > 0;
    text +=
        "  best         " +
        console.paint(1, feasible ? Style::good : Style::bad, short_number(*status.best->value())) +
        fmt::format("  (trial {}{})\n", status.best->id,
                    feasible ? "" : ", infeasible: the least violating one") +
        point_lines(record.space, status.best->point, "                 ") +
        limit_lines(record.space, *status.best, "                 ") +
        bound_lines(record.space, status.best->point, "                 ");
  } else {
    text += "  best         nothing has succeeded yet\n";
  }
  if (!status.estimate.best) text += estimate_lines(status.estimate, "  noise        ");
  const std::string information = information_text(status.rounds);
  if (!information.empty()) {
    text += "  information  " + information +
            "\n                 how much the next results are predicted to change what is known "
            "about\n                 outcomes: 0 is nothing; the largest is what this estimate can "
            "show\n";
  }
  if (!status.message.empty()) text += "  method       " + one_line(status.message) + "\n";
  return text;
}

int show_status(const std::string& argument, bool json, const Console& console) {
  Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return fail(study.error());
  Result<StudyReport> report = make_report(*study->storage);
  if (!report) return fail(report.error());
  add_estimate(*report);
  if (json) {
    print_json(status_json(*report, study->url));
  } else {
    print_out(status_text(*report, console));
  }
  return kDone;
}

// Draws the status over and over in one place, until Ctrl-C or until the budget is spent and
// nothing is open any more. Without a terminal each change is printed once, below the last.
int watch(const std::string& argument, const Console& console) {
  const std::atomic<int>& interrupts = watch_interrupts();
  Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return fail(study.error());
  std::string shown;
  std::int64_t estimated = -1;  // results that `known` is of
  Estimate known;
  while (interrupts == 0) {
    Result<StudyReport> report = make_report(*study->storage);
    if (!report) return fail(report.error());
    if (report->counts.ended() != estimated) {
      estimated = report->counts.ended();
      known = estimate(report->record, report->trials);
    }
    add_estimate(*report, known);
    const std::string text = status_text(*report, console);
    if (text != shown) {
      const auto lines = std::count(shown.begin(), shown.end(), '\n');
      if (is_terminal(1) && lines > 0) print_out(fmt::format("\x1b[{}A\x1b[J", lines));
      print_out(text);
      std::fflush(stdout);
      shown = text;
    }
    const TrialCounts& counts = report->counts;
    if (counts.completed + counts.failed >= report->record.budget && counts.running == 0 &&
        counts.waiting == 0) {
      return kDone;
    }
    for (int i = 0; i < kWatchTenths && interrupts == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  return kDone;
}

}  // namespace

Action define_status(CLI::App& app, const Console& console) {
  auto study = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  Arguments arguments(app);
  arguments.positional("STUDY", *study, "Storage (.db) or study file (.toml)");
  auto again = std::make_shared<bool>(false);
  arguments.flag("--json", *json, "Print JSON");
  arguments.flag("--watch", *again, "Stay and follow the study; Ctrl-C ends it");
  return [study, json, again, &console] {
    if (*again && *json) return fail(kWrongUsage, "found --watch and --json, expected one of them");
    return *again ? watch(*study, console) : show_status(*study, *json, console);
  };
}

}  // namespace vbo::cli
