// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "report/json.hpp"
#include "vbo/front.hpp"

namespace vbo::cli {
namespace {

int front(const std::string& argument, bool json) {
  const Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return fail(study.error());
  const StudyRecord& record = study->record;
  const Result<std::vector<Trial>> history = study->storage->load_history();
  if (!history) return fail(history.error());
  const Front front = make_front(record, *history);
  if (json) {
    print_json(front_json(record.space, front));
  } else if (!front.trials.empty()) {
    print_out(fmt::format("{} trade-offs ({}), hypervolume {}{}\nreference  {}\n",
                          front.trials.size(), goals_text(record.objectives),
                          front.exact ? "" : "about ", short_number(front.hypervolume),
                          values_text(record.objectives, front.reference, short_number)) +
              front_table(record.space, front));
  }
  if (!front.trials.empty()) return kDone;
  return fail(kNoSuccess, "\"" + record.name + "\" has no feasible result yet");
}

}  // namespace

Action define_front(CLI::App& app, const Console&) {
  auto study = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  Arguments arguments(app);
  arguments.positional("STUDY", *study, "Storage (.db) or study file (.toml)");
  arguments.flag("--json", *json, "Print JSON");
  return [study, json] { return front(*study, *json); };
}

}  // namespace vbo::cli
