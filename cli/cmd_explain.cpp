// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

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

Json explanation_json(const Space& space, const Trial& trial) {
  const Rationale& why = trial.rationale;
  Json terms = Json::array();
  for (const Term& term : why.terms) terms.push_back({{"name", term.name}, {"value", term.value}});
  return {{"id", trial.id},
          {"params", params_of(space, trial.point)},
          {"state", to_string(trial.state)},
          {"value", trial.value ? Json(*trial.value) : Json()},
          {"source", why.source},
          {"acquisition", why.acquisition},
          {"terms", terms},
          {"sum", sum_of(why)}};
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
  text += "What its score is made of:\n";
  for (const Term& term : why.terms) {
    text += fmt::format("  {:<{}}  {:>12.6g}\n", term.name, width, term.value);
  }
  text += fmt::format("  {:<{}}  {:>12.6g}\n", "sum", width, sum_of(why));
  text += fmt::format("  {:<{}}  {:>12.6g}\n", "acquisition", width, why.acquisition);
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
