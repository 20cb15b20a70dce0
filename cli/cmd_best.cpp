// SPDX-License-Identifier: MIT
#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/limits.hpp"
#include "storage/best.hpp"

namespace vbo::cli {
namespace {

int best(const std::string& argument, bool json) {
  const Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return fail(study.error());
  const StudyRecord& record = study->record;
  const Result<std::optional<Trial>> trial = best_result(*study->storage, record);
  if (!trial) return fail(trial.error());
  if (!*trial) {
    return fail(kNoSuccess, "no evaluation of \"" + record.name + "\" has succeeded yet");
  }
  const bool feasible = is_feasible(record.space, **trial);
  if (json) {
    print_json(best_json(record.space, *trial));
  } else {
    print_out(
        "value " + short_number(*(*trial)->value()) + "  (trial " + std::to_string((*trial)->id) +
        ", " + std::string(to_string(record.goal())) + (feasible ? "" : ", infeasible") + ")\n" +
        point_lines(record.space, (*trial)->point, "") + limit_lines(record.space, **trial, ""));
  }
  if (feasible) return kDone;
  return fail(kNoSuccess, "no result of \"" + record.name +
                              "\" satisfies every constraint; shown is the least violating one");
}

}  // namespace

Action define_best(CLI::App& app, const Console&) {
  auto study = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  Arguments arguments(app);
  arguments.positional("STUDY", *study, "Storage (.db) or study file (.toml)");
  arguments.flag("--json", *json, "Print JSON");
  return [study, json] { return best(*study, *json); };
}

}  // namespace vbo::cli
