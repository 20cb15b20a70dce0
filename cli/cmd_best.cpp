// SPDX-License-Identifier: MIT
#include <map>

#include "cli/ask_and_tell.hpp"
#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/limits.hpp"
#include "exec/command_template.hpp"
#include "exec/value_line.hpp"
#include "report/edges.hpp"
#include "report/json.hpp"
#include "vbo/front.hpp"
#include "vbo/report.hpp"

namespace vbo::cli {
namespace {

struct BestArguments {
  std::string study;
  std::vector<std::string> weights;  // NAME=NUMBER
  bool json = false;
};

Result<std::map<std::string, double>> weights_from(const std::vector<std::string>& given) {
  std::map<std::string, double> weights;
  for (const std::string& text : given) {
    const auto parts = assignment(text);
    const auto number = parts ? parse_value_line(parts->second) : std::nullopt;
    if (!number || number->values.size() != 1) {
      return Error{ErrorKind::invalid_input,
                   "--weights: found \"" + text + "\", expected NAME=NUMBER, as in error=1"};
    }
    if (!weights.emplace(parts->first, number->values.front()).second) {
      return Error{ErrorKind::invalid_input,
                   "--weights: found \"" + parts->first + "\" a second time, expected it once"};
    }
  }
  return weights;
}

// What the weights choose from the front.
Result<std::optional<Trial>> best_of_front(const OpenedStudy& study, const BestArguments& options) {
  const std::vector<Objective>& objectives = study.record.objectives;
  if (options.weights.empty()) {
    std::string weights;
    for (const Objective& objective : objectives) {
      weights += (weights.empty() ? "" : ",") + objective.name + "=1";
    }
    return Error{ErrorKind::invalid_input,
                 "the study has " + std::to_string(objectives.size()) +
                     " objectives and no single best result; its best trade-offs: vbo front " +
                     shell_quoted(options.study) +
                     ", and the one of them with the lowest weighted "
                     "sum: vbo best " +
                     shell_quoted(options.study) + " --weights " + shell_quoted(weights)};
  }
  const auto by_name = weights_from(options.weights);
  if (!by_name) return by_name.error();
  const auto weights = weights_of(objectives, *by_name);
  if (!weights) {
    return Error{weights.error().kind, "--weights: " + weights.error().message};
  }
  const Result<std::vector<Trial>> history = study.storage->load_history();
  if (!history) return history.error();
  return best_by_weights(make_front(study.record, *history), *weights);
}

Result<Recommended> best_of(const OpenedStudy& study, const BestArguments& options) {
  if (study.record.objectives.size() > 1) {
    Result<std::optional<Trial>> trial = best_of_front(study, options);
    if (!trial) return trial.error();
    return Recommended{.best = std::move(*trial), .luckiest = {}, .estimate = {}};
  }
  if (!options.weights.empty()) {
    return Error{ErrorKind::invalid_input,
                 "--weights is for several objectives, and the study has one"};
  }
  const Result<std::vector<Trial>> history = study.storage->load_history();
  if (!history) return history.error();
  return recommend(study.record, *history);
}

int best(const BestArguments& options) {
  const Result<OpenedStudy> study = open_to_read(options.study);
  if (!study) return fail(study.error());
  const StudyRecord& record = study->record;
  const Result<Recommended> found = best_of(*study, options);
  if (!found) return fail(found.error());
  const std::optional<Trial>& trial = found->best;
  if (!trial) {
    return fail(kNoSuccess, record.objectives.size() > 1
                                ? "\"" + record.name + "\" has no feasible result yet"
                                : "no evaluation of \"" + record.name + "\" has succeeded yet");
  }
  const bool feasible = is_feasible(record.space, *trial);
  const Estimate& estimate = found->estimate;
  if (options.json) {
    Json json = best_json(record.space, trial, record.objectives);
    if (record.objectives.size() == 1) {
      json["estimate"] = estimate.best ? json_of(*estimate.best) : Json();
      json["noise"] = json_of(estimate.noise);
    }
    add_edges(json, record.space, *trial);
    print_json(json);
  } else {
    const std::string goal =
        record.objectives.size() > 1 ? "" : ", " + std::string(to_string(record.goal()));
    std::string text = std::string(values_key(record.objectives)) + " " +
                       values_text(record.objectives, trial->values, short_number) + "  (trial " +
                       std::to_string(trial->id) + goal + (feasible ? "" : ", infeasible") + ")\n" +
                       estimate_lines(estimate, "") + point_lines(record.space, trial->point, "") +
                       limit_lines(record.space, *trial, "") +
                       bound_lines(record.space, trial->point, "");
    print_out(text + luckiest_line(found->luckiest, ""));
  }
  if (feasible) return kDone;
  return fail(kNoSuccess, "no result of \"" + record.name +
                              "\" satisfies every constraint; shown is the least violating one");
}

}  // namespace

Action define_best(CLI::App& app, const Console&) {
  auto options = std::make_shared<BestArguments>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Storage (.db) or study file (.toml)");
  arguments.list("--weights", options->weights, "NAME=NUMBER,...",
                 "Of several objectives: the weight of each in the sum that chooses",
                 Arguments::Need::optional);
  arguments.flag("--json", options->json, "Print JSON");
  return [options] { return best(*options); };
}

}  // namespace vbo::cli
