// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"

namespace vbo::cli {
namespace {

constexpr std::int64_t kTrendRounds = 16;

// How much the last rounds promised to tell, when the method says so.
struct Information {
  double nats = 0.0;
  std::optional<double> ceiling;  // what its estimator can show at most
  std::vector<double> trend;      // oldest first; the last is nats
};

struct Status {
  std::string url;
  StudyRecord record;
  TrialCounts counts;
  std::optional<Trial> best;
  std::string message;
  std::optional<Information> information;
  std::optional<Recommendation> recommendation;  // mean in the user's own sign
  std::optional<Trial> recommended;
};

std::optional<double> value_in(const AskReport& report, std::string_view name) {
  for (const Term& term : report.values) {
    if (term.name == name) return term.value;
  }
  return std::nullopt;
}

std::optional<Information> information_in(const std::vector<RoundReport>& reports) {
  Information information;
  for (const RoundReport& round : reports) {
    const auto nats = value_in(round.report, "information");
    if (!nats) continue;
    information.trend.push_back(*nats);
    information.nats = *nats;
    information.ceiling = value_in(round.report, "ceiling");
  }
  if (information.trend.empty()) return std::nullopt;
  return information;
}

Result<Status> read_status(const std::string& argument) {
  Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return study.error();
  Storage& storage = *study->storage;
  Status status;
  status.url = study->url;
  status.record = std::move(study->record);
  const Result<TrialCounts> counts = storage.counts();
  if (!counts) return counts.error();
  status.counts = *counts;
  Result<std::optional<Trial>> best = storage.best_trial(status.record.goal);
  if (!best) return best.error();
  status.best = std::move(*best);
  const Result<std::vector<RoundReport>> reports = storage.load_reports(kTrendRounds);
  if (!reports) return reports.error();
  status.information = information_in(*reports);
  if (reports->empty()) return status;
  const AskReport& last = reports->back().report;
  status.message = last.message;
  status.recommendation = last.recommendation;
  if (status.recommendation) {
    Result<std::optional<Trial>> trial = storage.load_trial(status.recommendation->id);
    if (!trial) return trial.error();
    status.recommended = std::move(*trial);
  }
  return status;
}

Json information_json(const std::optional<Information>& information) {
  if (!information) return nullptr;
  return {{"nats", information->nats},
          {"ceiling", information->ceiling ? Json(*information->ceiling) : Json()},
          {"trend", information->trend}};
}

Json recommendation_json(const Status& status) {
  if (!status.recommendation || !status.recommended) return nullptr;
  Json json = suggestion_json(status.record.space, *status.recommended);
  json["mean"] = status.recommendation->mean;
  json["deviation"] = status.recommendation->deviation;
  return json;
}

Json status_json(const Status& status) {
  const StudyRecord& record = status.record;
  return {{"study", record.name},
          {"method", record.optimizer.method},
          {"goal", to_string(record.goal)},
          {"completed", status.counts.completed},
          {"failed", status.counts.failed},
          {"running", status.counts.running},
          {"waiting", status.counts.waiting},
          {"budget", record.budget},
          {"seed", record.optimizer.seed},
          {"batch", record.optimizer.batch},
          {"storage", status.url},
          {"best", best_json(record.space, status.best)},
          {"message", status.message},
          {"information", information_json(status.information)},
          {"recommendation", recommendation_json(status)}};
}

std::string information_text(const Information& information) {
  std::string text = fmt::format("{:.3g} nats", information.nats);
  if (information.ceiling) text += fmt::format(" of at most {:.3g}", *information.ceiling);
  if (information.trend.size() < 2) return text;
  text += ", round by round:";
  const std::size_t shown = std::min<std::size_t>(information.trend.size(), 6);
  for (auto it = information.trend.end() - static_cast<std::ptrdiff_t>(shown);
       it != information.trend.end(); ++it) {
    text += fmt::format(" {:.3g}", *it);
  }
  return text;
}

std::string status_text(const Status& status, const Console& console) {
  const StudyRecord& record = status.record;
  const TrialCounts& counts = status.counts;
  const std::int64_t ended = counts.completed + counts.failed;
  const double percent =
      record.budget > 0 ? 100.0 * static_cast<double>(ended) / static_cast<double>(record.budget)
                        : 0.0;
  std::string text =
      console.paint(1, Style::bold, record.name) +
      fmt::format("  {}, method {}\n", to_string(record.goal), record.optimizer.method);
  text += fmt::format("  evaluated    {} of {} ({:.0f} %), {} of them failed\n", ended,
                      record.budget, percent, counts.failed);
  text += fmt::format("  open         {} running, {} waiting\n", counts.running, counts.waiting);
  if (status.best) {
    text += "  best         " + console.paint(1, Style::good, number_text(*status.best->value)) +
            fmt::format("  (trial {})\n", status.best->id) +
            point_lines(record.space, status.best->point, "                 ");
  } else {
    text += "  best         nothing has succeeded yet\n";
  }
  if (status.recommendation && status.recommended) {
    text += fmt::format("  recommended  trial {}: the method expects {:.6g} +- {:.2g} there\n",
                        status.recommendation->id, status.recommendation->mean,
                        status.recommendation->deviation);
    text += point_lines(record.space, status.recommended->point, "                 ");
  }
  if (status.information) {
    text += "  information  " + information_text(*status.information) + "\n";
  }
  if (!status.message.empty()) text += "  method says  " + status.message + "\n";
  return text;
}

}  // namespace

Action define_status(CLI::App& app, const Console& console) {
  auto study = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  Arguments arguments(app);
  arguments.positional("STUDY", *study, "Storage (.db) or study file (.toml)");
  arguments.flag("--json", *json, "Print JSON");
  return [study, json, &console] {
    const Result<Status> status = read_status(*study);
    if (!status) return fail(status.error());
    if (*json) {
      print_json(status_json(*status));
    } else {
      print_out(status_text(*status, console));
    }
    return int{kDone};
  };
}

}  // namespace vbo::cli
