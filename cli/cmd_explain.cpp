// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"

namespace vbo::cli {
namespace {

double sum_of(const Rationale& rationale) {
  double sum = 0.0;
  for (const Term& term : rationale.terms) sum += term.value;
  return sum;
}

Json json_of_terms(const std::vector<Term>& terms) {
  Json json = Json::array();
  for (const Term& term : terms) json.push_back({{"name", term.name}, {"value", term.value}});
  return json;
}

// What a number of the ledger means, for a person; empty when its name says it all.
std::string_view meaning_of(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> meanings[] = {
      {"exploitation", "expected outcome, as a normal score among all results: 0 is average"},
      {"information_inputs", "sqrt(beta) times what its outcome tells about where it came from"},
      {"information_model", "sqrt(beta) times what its outcome tells about the function"},
      {"I(X;Y)_nats", "this point's share of I(X;Y), in nats"},
      {"I(f;Y|X)_nats", "I(f;Y|X) at this point, in nats: large where the critics disagree"},
      {"sqrt_beta", "weight of a nat of information against the expected outcome"},
      {"round_information_nats", "I(X,f;Y) of the whole round, in nats"},
      {"ceiling_nats", "the most that estimate can show"},
  };
  for (const auto& [key, meaning] : meanings) {
    if (key == name) return meaning;
  }
  return {};
}

std::string term_line(const Term& term, std::size_t width) {
  const std::string_view meaning = meaning_of(term.name);
  return fmt::format("  {:<{}}  {:>12.6g}{}{}\n", term.name, width, term.value,
                     meaning.empty() ? "" : "   ", meaning);
}

Json explanation_json(const Space& space, const Trial& trial) {
  const Rationale& why = trial.rationale;
  return {{"id", trial.id},
          {"params", json_of(space, trial.point)},
          {"state", to_string(trial.state)},
          {"value", trial.value ? Json(*trial.value) : Json()},
          {"source", why.source},
          {"acquisition", why.acquisition},
          {"terms", json_of_terms(why.terms)},
          {"sum", sum_of(why)},
          {"notes", json_of_terms(why.notes)}};
}

std::string outcome_text(const Trial& trial) {
  if (trial.value) return "completed with value " + number_text(*trial.value);
  if (trial.failure) return "failed: " + trial.failure->message;
  return std::string(to_string(trial.state));
}

std::string explanation_text(const StudyRecord& record, const Trial& trial) {
  const Rationale& why = trial.rationale;
  std::string text = fmt::format("Trial {}, {}\n{}", trial.id, outcome_text(trial),
                                 point_lines(record.space, trial.point, "  "));
  text += fmt::format("\nSuggested by method \"{}\", source \"{}\".\n", record.optimizer.method,
                      why.source.empty() ? "unknown" : why.source);
  if (why.terms.empty()) {
    return text +
           "The method keeps no score for this source: the point was not chosen by comparing "
           "candidates.\n";
  }
  std::size_t width = std::string_view("acquisition").size();
  for (const Term& term : why.terms) width = std::max(width, term.name.size());
  for (const Term& note : why.notes) width = std::max(width, note.name.size());
  text += "What its score is made of:\n";
  for (const Term& term : why.terms) text += term_line(term, width);
  text += fmt::format("  {:<{}}  {:>12.6g}\n", "sum", width, sum_of(why));
  text += fmt::format("  {:<{}}  {:>12.6g}\n", "acquisition", width, why.acquisition);
  if (!why.notes.empty()) text += "Beside it:\n";
  for (const Term& note : why.notes) text += term_line(note, width);
  return text;
}

int explain(const std::string& argument, TrialId id, bool json) {
  const Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return fail(study.error());
  const Result<std::optional<Trial>> trial = study->storage->load_trial(id);
  if (!trial) return fail(trial.error());
  if (!*trial) {
    return fail(kWrongUsage, "there is no trial " + std::to_string(id) + " in \"" +
                                 study->record.name + "\"; vbo trials " + argument + " lists them");
  }
  if (json) {
    print_json(explanation_json(study->record.space, **trial));
  } else {
    print_out(explanation_text(study->record, **trial));
  }
  return kDone;
}

}  // namespace

Action define_explain(CLI::App& app, const Console&) {
  struct Options {
    std::string study;
    TrialId id = 0;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Storage (.db) or study file (.toml)");
  arguments.positional("ID", options->id, "The trial's id");
  arguments.flag("--json", options->json, "Print JSON");
  return [options] { return explain(options->study, options->id, options->json); };
}

}  // namespace vbo::cli
