// SPDX-License-Identifier: MIT
// Taking back suggestions, and evaluating failed ones again.
#include "cli/ask_and_tell.hpp"
#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/value_text.hpp"

namespace vbo::cli {
namespace {

struct DropArguments {
  std::string study;
  std::vector<std::string> ids;
  std::string reason;
  double wait = kWaitSeconds;
  bool json = false;
};

using Change = Result<void> (Storage::*)(std::span<const TrialId>, const std::string&);

int change(const DropArguments& options, Change how, const std::string& done) {
  std::vector<TrialId> ids;
  for (const std::string& text : options.ids) {
    const Result<Value> id =
        value_from_text(Parameter::integer("ID", 1, std::int64_t{1} << 53U), text);
    if (!id) {
      return fail(kWrongUsage, "ID: found \"" + text + "\", expected the number of a suggestion");
    }
    ids.push_back(std::get<std::int64_t>(*id));
  }
  const Result<OpenedStudy> study = open_queue(options.study, options.wait);
  if (!study) return fail(study.error());
  Storage& storage = *study->storage;
  for (const TrialId id : ids) {
    const Result<std::optional<Trial>> stored = storage.load_trial(id);
    if (!stored) return fail(stored.error());
    if (!*stored) return fail(no_such_trial(storage, id, options.study));
  }
  if (const Result<void> changed = (storage.*how)(ids, options.reason); !changed) {
    return fail(changed.error());
  }
  if (options.json) {
    print_json({{done, ids}});
  } else {
    for (const TrialId id : ids) print_out("trial " + std::to_string(id) + " " + done + "\n");
  }
  return kDone;
}

Action define_change(CLI::App& app, Change how, const std::string& done) {
  auto options = std::make_shared<DropArguments>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Storage (.db) or study file (.toml)");
  arguments.positional("ID", options->ids, "Ids of suggestions");
  arguments.option("--reason", options->reason, "TEXT", "Why, for the log");
  arguments.option("--wait", options->wait, "SECONDS", "How long to wait for others who write", 0.0,
                   kLongestWait);
  arguments.flag("--json", options->json, "Print JSON");
  return [options, how, done] { return change(*options, how, done); };
}

}  // namespace

Action define_drop(CLI::App& app, const Console&) {
  return define_change(app, &Storage::drop, "dropped");
}

Action define_retry(CLI::App& app, const Console&) {
  return define_change(app, &Storage::retry, "waiting");
}

}  // namespace vbo::cli
