// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/history.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"
#include "exec/command_template.hpp"
#include "report/json.hpp"
#include "report/why.hpp"

namespace vbo::cli {
namespace {

// One suggestion and what its numbers mean.
struct Explanation {
  const StudyRecord& record;
  const Trial& trial;
  bool dropped;  // the trial is in the log of changes alone
  const Ledger& ledger;
  Rationale why;
  Prediction prediction;
  std::string sentences;
  std::vector<HistoryEntry> changes;  // by people, afterwards
};

// A part that has no effect: not worth a line.
bool carries_nothing(const Term& term) { return term.value == 0.0; }

double sum_of(const Rationale& rationale) {
  double sum = 0.0;
  for (const Term& term : rationale.terms) sum += term.value;
  return sum;
}

Json optional_json(const std::optional<double>& number) {
  return number ? json_of(*number) : Json();
}

Json explanation_json(const Explanation& e) {
  Json json = {
      {"id", e.trial.id},
      {"params", json_of(e.record.space, e.trial.point)},
      {"suggested", e.trial.suggested ? json_of(e.record.space, *e.trial.suggested) : Json()},
      {"state", e.dropped ? "dropped" : to_string(e.trial.state)},
      {values_key(e.record.objectives), values_json(e.record.objectives, e.trial.values)},
      {"why", e.sentences},
      {"predicted", optional_json(e.prediction.mean)},
      {"deviation", optional_json(e.prediction.deviation)},
      {"best_before", optional_json(e.prediction.best_before)},
      {"front_before", e.prediction.front_before ? Json(*e.prediction.front_before) : Json()},
      {"trade_off", values_json(e.record.objectives, e.prediction.weights)},
      {"chance_of_improvement", optional_json(e.prediction.beats)},
      {"chance_feasible", optional_json(e.prediction.feasible)}};
  json["history"] = history_json(e.record, e.changes);
  json.update(ledger_json(e.ledger, e.why));
  return json;
}

// Name, value, unit and meaning in columns.
class Lines {
 public:
  explicit Lines(const Explanation& e) : ledger_(e.ledger) {
    for (const auto* terms : {&e.why.terms, &e.why.notes}) {
      for (const Term& term : *terms) {
        name_ = std::max(name_, one_line(term.name).size());
        if (const TermInfo* info = ledger_.find_term(term.name)) {
          unit_ = std::max(unit_, to_string(info->unit).size());
        }
      }
    }
  }

  std::string of(const Term& term) const {
    const TermInfo* info = ledger_.find_term(term.name);
    std::string line = number(term.name, term.value);
    if (info) line += fmt::format("  {:<{}}  {}", to_string(info->unit), unit_, info->meaning);
    return line + "\n";
  }
  std::string of(std::string_view name, double value) const { return number(name, value) + "\n"; }

 private:
  std::string number(std::string_view name, double value) const {
    return fmt::format("  {:<{}}  {:>12.6g}", one_line(name), name_, value);
  }

  const Ledger& ledger_;
  std::size_t name_ = std::string_view("acquisition").size();
  std::size_t unit_ = 0;
};

// A score in units of the objective has the sign of the goal.
std::string_view better(const Explanation& e) {
  const bool lower = acquisition_unit(e.ledger, e.why) == Unit::objective &&
                     e.record.score_goal() == Goal::minimize;
  return lower ? "lower is better" : "higher is better";
}

std::string score_text(const Explanation& e, const Lines& lines) {
  if (!e.why.acquisition) {
    return "It has no score: the point was not chosen by comparing candidates.\n";
  }
  if (e.why.terms.empty()) {
    return fmt::format(
        "Its score was {:.6g}; the version of vbo that stored it did not say of what.\n",
        *e.why.acquisition);
  }
  std::string text = fmt::format("What its score is made of ({}):\n", better(e));
  for (const Term& term : e.why.terms) {
    if (!carries_nothing(term)) text += lines.of(term);
  }
  text += lines.of("sum", sum_of(e.why));
  return text + lines.of("acquisition", *e.why.acquisition);
}

std::string outcome_text(const Explanation& e) {
  const Trial& trial = e.trial;
  if (e.dropped) {
    const Revision& revision = *e.changes.back().revision;
    return "dropped at " + time_text(revision.made_at) +
           (revision.reason.empty() ? "" : ": " + one_line(revision.reason));
  }
  if (trial.value()) {
    const std::vector<Objective>& objectives = e.record.objectives;
    return (objectives.size() > 1 ? "completed with " : "completed with value ") +
           values_text(objectives, trial.values, short_number);
  }
  if (trial.failure) return "failed: " + one_line(trial.failure->message);
  return std::string(to_string(trial.state));
}

std::string explanation_text(const Explanation& e, bool terms) {
  std::string text = fmt::format("Trial {}, {}\n{}", e.trial.id, outcome_text(e),
                                 point_lines(e.record.space, e.trial.point, "  "));
  if (e.trial.suggested) {
    text += "Suggested was\n" + point_lines(e.record.space, *e.trial.suggested, "  ");
  }
  text += "\n" + e.sentences + "\n";
  if (!e.changes.empty()) text += "Changed afterwards:\n" + history_text(e.record, e.changes);
  if (!terms) {
    if (!e.why.terms.empty() || !e.why.notes.empty()) {
      text += "The numbers behind it: --terms\n";
    }
    return text;
  }
  text += fmt::format("\nSuggested by method \"{}\", source \"{}\".\n",
                      one_line(e.record.optimizer.method),
                      e.why.source.empty() ? "unknown" : one_line(e.why.source));
  const Lines lines(e);
  text += score_text(e, lines);
  if (!e.why.notes.empty()) text += "Beside it:\n";
  for (const Term& note : e.why.notes) {
    if (!carries_nothing(note)) text += lines.of(note);
  }
  return text;
}

// The trial as it was when it was dropped; nothing when it was not.
std::optional<Trial> dropped_trial(const std::vector<HistoryEntry>& changes) {
  if (changes.empty() || changes.back().revision->kind != RevisionKind::dropped) return {};
  return changes.back().revision->before;
}

int explain(const std::string& argument, TrialId id, bool terms, bool json) {
  const Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return fail(study.error());
  const Result<std::optional<Trial>> trial = study->storage->load_trial(id);
  if (!trial) return fail(trial.error());
  Result<std::vector<HistoryEntry>> changes = changes_of(*study->storage, study->record, id);
  if (!changes) return fail(changes.error());
  const std::optional<Trial> found = *trial ? *trial : dropped_trial(*changes);
  if (!found) {
    return fail(kWrongUsage, "there is no trial " + std::to_string(id) + " in \"" +
                                 study->record.name + "\"; vbo trials " + shell_quoted(argument) +
                                 " lists them");
  }
  const Trial& shown = *found;
  const StudyRecord record = study->record.at(shown.asked_in);
  const Ledger& ledger = ledger_of(record.space, record.method_options());
  const Result<std::vector<Trial>> history = study->storage->load_history();
  if (!history) return fail(history.error());
  const Prediction prediction = prediction_of(record, *history, shown);
  const Explanation explanation{record,
                                shown,
                                !*trial,
                                ledger,
                                shown.rationale,
                                prediction,
                                why_text(record, prediction, shown),
                                std::move(*changes)};
  if (json) {
    print_json(explanation_json(explanation));
  } else {
    print_out(explanation_text(explanation, terms));
  }
  return kDone;
}

}  // namespace

Action define_explain(CLI::App& app, const Console&) {
  struct Options {
    std::string study;
    TrialId id = 0;
    bool terms = false;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Storage (.db) or study file (.toml)");
  arguments.positional("ID", options->id, "The trial's id");
  arguments.flag("--terms", options->terms, "Also the numbers the method compared, with meanings");
  arguments.flag("--json", options->json, "Print JSON");
  return [options] { return explain(options->study, options->id, options->terms, options->json); };
}

}  // namespace vbo::cli
